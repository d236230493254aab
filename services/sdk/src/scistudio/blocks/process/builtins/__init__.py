"""Blocks for Collections and tables that come with the SDK."""

from scistudio.blocks.process.builtins.collections import FilterCollection, MergeCollection, SliceCollection, SplitCollection
from scistudio.blocks.process.builtins.tables import MergeBlock, SplitBlock

__all__ = ["FilterCollection", "MergeBlock", "MergeCollection", "SliceCollection", "SplitBlock", "SplitCollection"]
