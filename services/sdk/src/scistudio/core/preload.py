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
    _rehearse_table()


def _rehearse_table() -> None:
    """Write and read a table in memory: Arrow sets up its functions and types when first used, which takes milliseconds.

    Without threads: those that Arrow would start do not survive a fork.
    """
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    from scistudio.core.storage.table_digest import column_digest

    table = pa.table({"number": [1.0, None], "text": ["a", None], "list": [[1], None]})
    for column in table.columns:
        column_digest(column)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    pq.ParquetFile(buffer, pre_buffer=False).read(use_threads=False)
