"""What a child needs for its first real read and write, imported before it is forked."""

from __future__ import annotations

from importlib import import_module

_MODULES = (
    "blake3",
    "numpy",
    "pyarrow",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "zarr",
    "zarr.codecs",
    "zarr.storage",
    "numcodecs.zstd",
    "scistudio.core.types",
    "scistudio.core.types.discovery",
    "scistudio.core.types.meta_rules",
    "scistudio.core.types.serialization",
    "scistudio.core.storage.array_store",
    "scistudio.core.storage.library_store",
    "scistudio.core.storage.persistence",
    "scistudio.core.storage.plain_store",
    "scistudio.core.storage.table_digest",
)


def preload() -> None:
    """Import everything and build what every child builds, without using zarr: its first use starts threads, and a parent that
    has threads must not fork.
    """
    from scistudio.core import entry_points
    from scistudio.core.storage.backend_router import get_router

    for name in _MODULES:
        import_module(name)
    get_router()
    entry_points.installed("scistudio.types")
