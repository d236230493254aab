"""Getting a process ready to fork blocks."""

from __future__ import annotations

import gc
import importlib

# What a block's process uses for certain or nearly so. Imported, never used: children inherit modules, not threads.
MODULES = (
    "asyncio",
    "ctypes",
    "faulthandler",
    "importlib.metadata",
    "json",
    "logging",
    "numpy.random",
    "resource",
    "traceback",
    "uuid",
    "scistudio.blocks.base",
    "scistudio.blocks.io.formats.arrays",
    "scistudio.blocks.io.formats.artifacts",
    "scistudio.blocks.io.formats.tables",
    "scistudio.blocks.io.formats.texts",
    "scistudio.blocks.io.handover",
    "scistudio.blocks.io.loaders.load_data",
    "scistudio.blocks.io.savers.save_data",
    "scistudio.blocks.process.builtins",
    "scistudio.blocks.registry",
    "scistudio.worker.child",
    "scistudio.worker.execution",
    "scistudio.worker.probe",
)


def warm() -> None:
    """Import the modules, and do once what every execution would do first."""
    from scistudio.core.preload import preload

    preload()
    for name in MODULES:
        importlib.import_module(name)
    _rehearse()
    # What is here now stays as it is: collections in children shall not touch (and so copy) its pages.
    gc.collect()
    gc.freeze()


def _rehearse() -> None:
    """Go through the steps of a small execution that write nothing, so that their caches are filled."""
    from scistudio.blocks.base.config import BlockConfig
    from scistudio.core.types import serialization
    from scistudio.worker import child, environment, lazy_types, protocol, surroundings

    surroundings.prepare_output()
    environment.warm()
    child.flush_output()
    serialization._registry_instance = lazy_types.of_this_process()
    metadata = {"type_chain": ["DataObject", "Text"], "framework": {}, "content": "", "format": "plain", "encoding": "utf-8"}
    item = {"backend": "filesystem", "path": "/", "format": None, "metadata": metadata}
    value = serialization.reconstruct_value({"_collection": True, "items": [item], "item_type": "Text"})
    protocol.encode({"type": "result", "outputs": {"port": serialization.serialise_value(value)}})
    BlockConfig(params={"key": 1}, block_id="node").get("key")
