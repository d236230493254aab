"""The blocks that come with the SDK."""

from __future__ import annotations

BUILTINS = (
    "scistudio.blocks.io.loaders.load_data:LoadData",
    "scistudio.blocks.io.savers.save_data:SaveData",
    "scistudio.blocks.process.builtins.collections:MergeCollection",
    "scistudio.blocks.process.builtins.collections:SplitCollection",
    "scistudio.blocks.process.builtins.collections:FilterCollection",
    "scistudio.blocks.process.builtins.collections:SliceCollection",
)
