"""Blocks that load."""

from scistudio.blocks.io.loaders.load_data import LoadData

__all__ = ["LoadData"]
