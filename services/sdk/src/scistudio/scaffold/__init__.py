"""Starters for blocks, types and packages of blocks."""

from scistudio.scaffold.files import NameTakenError, init_block_package, new_block, new_type

__all__ = ["NameTakenError", "init_block_package", "new_block", "new_type"]
