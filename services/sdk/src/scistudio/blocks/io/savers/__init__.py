"""Blocks that save."""

from scistudio.blocks.io.savers.save_data import SaveData

__all__ = ["SaveData"]
