"""One object to one file and back, under the name by which block packages import it."""

from scistudio.blocks.io.materialisation import materialise_to_file, reconstruct_from_file

__all__ = ["materialise_to_file", "reconstruct_from_file"]
