"""Getting a process ready to fork blocks."""

from __future__ import annotations

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
    """Import the modules, and read once what every execution reports."""
    from scistudio.core.preload import preload

    preload()
    for name in MODULES:
        importlib.import_module(name)
    from scistudio.blocks.base.config import BlockConfig
    from scistudio.worker import environment, lazy_types

    environment.warm()
    lazy_types.core_registry()
    BlockConfig(params={})  # builds the validator
