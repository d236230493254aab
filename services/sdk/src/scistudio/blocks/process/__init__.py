"""Blocks that compute."""

from scistudio.blocks.process.process_block import ProcessBlock

__all__ = ["ProcessBlock"]
