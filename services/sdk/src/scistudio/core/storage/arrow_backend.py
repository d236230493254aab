"""Tables in Parquet files: zstd, row groups of 64 Ki rows, statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scistudio.core.storage import table_types
from scistudio.core.storage.errors import reading
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.table_writer import TableWriter

__all__ = ["ArrowBackend"]

# Below this, starting Arrow's threads costs more than they save.
_THREADS_FROM_BYTES = 4 * 1024**2


class ArrowBackend:
    """One Parquet file a table."""

    def write(self, data: Any, ref: StorageReference) -> StorageReference:
        """Write a ``pyarrow.Table`` or dict of columns; the reference gets ``columns``, ``num_rows`` and ``content_hash``.

        Raises
        ------
        TypeError
            If ``data`` is something else, or a column has a type that Parquet cannot hold.
        """
        import pyarrow as pa

        if not isinstance(data, pa.Table | dict):
            hint = " Use DataFrame.from_pandas() for a pandas frame." if type(data).__module__.startswith("pandas") else ""
            raise TypeError(f"ArrowBackend.write expects dict or pa.Table, got {type(data).__name__}.{hint}")
        table = data if isinstance(data, pa.Table) else pa.table(data)
        if table.num_rows and not table.num_columns:
            raise ValueError(f"A table of {table.num_rows} rows without columns cannot be stored: give it at least one column.")
        with TableWriter(ref.path, table.schema) as writer:
            writer.write(table)
        return writer.reference

    def read(self, ref: StorageReference) -> Any:
        """Return the whole table, with the types it was written with."""
        with _opened(ref, "read") as file:
            return table_types.restored(file.read(use_threads=_threads(ref)), table_types.original_schema(file))

    def slice(self, ref: StorageReference, *args: Any) -> Any:
        """Return some columns, named one by one or in one list.

        Raises
        ------
        KeyError
            If a column does not exist.
        """
        columns = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
        with _opened(ref, "slice") as file:
            original = table_types.original_schema(file)
            _check_columns(columns, original, ref)
            return table_types.restored(file.read(columns=columns, use_threads=_threads(ref)).select(columns), original)

    def read_rows(self, ref: StorageReference, start: int = 0, stop: int | None = None, columns: Sequence[str] | None = None) -> Any:
        """Return the rows from ``start`` to ``stop`` (as a Python slice counts), reading only their row groups and columns."""
        with _opened(ref, "slice") as file:
            original = table_types.original_schema(file)
            wanted = original.names if columns is None else list(columns)
            _check_columns(wanted, original, ref)
            first, last, _step = slice(start, stop).indices(file.metadata.num_rows)
            groups, offset = _row_groups(file.metadata, first, last)
            table = file.read_row_groups(groups, columns=None if columns is None else wanted, use_threads=False)
            part = table if columns is None else table.select(wanted)
            return table_types.restored(part.slice(first - offset, max(0, last - first)), original)

    def iter_chunks(self, ref: StorageReference, chunk_size: int) -> Iterator[Any]:
        """Yield tables of at most ``chunk_size`` rows; a table without rows yields nothing."""
        import pyarrow as pa

        with _opened(ref, "iter_chunks") as file:
            original = table_types.original_schema(file)
            for batch in file.iter_batches(batch_size=chunk_size, use_threads=False):
                yield table_types.restored(pa.Table.from_batches([batch]), original)

    def get_metadata(self, ref: StorageReference) -> dict[str, Any]:
        """Return columns, numbers of rows and row groups, and the types by column name."""
        with _opened(ref, "get_metadata") as file:
            original = table_types.original_schema(file)
            return {
                "columns": list(original.names),
                "num_rows": file.metadata.num_rows,
                "num_row_groups": file.metadata.num_row_groups,
                "schema": {field.name: str(field.type) for field in original},
            }


@contextmanager
def _opened(ref: StorageReference, operation: str) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with reading(ref, operation, pa.ArrowInvalid), pq.ParquetFile(ref.path, memory_map=True, pre_buffer=False) as file:
        yield file


def _threads(ref: StorageReference) -> bool:
    return Path(ref.path).stat().st_size >= _THREADS_FROM_BYTES


def _check_columns(columns: Sequence[str], original: Any, ref: StorageReference) -> None:
    unknown = [name for name in columns if name not in original.names]
    if unknown:
        raise KeyError(f"The table {ref.path} has no column {unknown}; it has {original.names}.")


def _row_groups(metadata: Any, first: int, last: int) -> tuple[list[int], int]:
    """Return the row groups that hold the rows from ``first`` to ``last``, and the row that the first of them starts with."""
    groups: list[int] = []
    offset = start = 0
    for group in range(metadata.num_row_groups):
        end = start + metadata.row_group(group).num_rows
        if start < last and first < end:
            offset = offset if groups else start
            groups.append(group)
        start = end
    return groups, offset
