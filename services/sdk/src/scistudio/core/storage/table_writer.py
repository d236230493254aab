"""Writing a table piece by piece."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from scistudio.core.storage import content_hash, table_types
from scistudio.core.storage.content_hash import ROWS_PER_BLOCK
from scistudio.core.storage.ref import StorageReference
from scistudio.core.storage.staging import discard, publish, stage
from scistudio.core.storage.table_digest import column_digest
from scistudio.stability import provisional

__all__ = ["TableWriter"]


@provisional(since="0.4.0")
class TableWriter:
    """Write a Parquet table that never is in memory as a whole. Use it as a context manager; the file exists once it is whole.

    Parameters
    ----------
    path
        Where the table goes.
    schema
        ``pyarrow.Schema``; that of the first piece when not given.

    Examples
    --------
    >>> with TableWriter("peaks.parquet") as writer:            # doctest: +SKIP
    ...     for spectrum in spectra:
    ...         writer.write(find_peaks(spectrum))
    >>> DataFrame(storage_ref=writer.reference)                 # doctest: +SKIP
    """

    def __init__(self, path: str, schema: Any = None) -> None:
        self._ref = StorageReference("arrow", path)
        self._target, self._staging = _target_of(self._ref)
        self._schema: Any = None
        self._file: Any = None
        self._waiting: list[Any] = []
        self._n_waiting = self._n_rows = 0
        self._digests: list[bytes] = []
        self._written: StorageReference | None = None
        if schema is not None:
            self._open(schema)

    @property
    def reference(self) -> StorageReference:
        """The reference of the finished table.

        Raises
        ------
        ValueError
            If the writer is not closed, or failed.
        """
        if self._written is None:
            raise ValueError(f"The table {self._ref.path} is not finished: leave the `with` block first.")
        return self._written

    def write(self, piece: Any) -> None:
        """Append a table, record batch or dict of columns.

        Raises
        ------
        ValueError
            If its columns differ from those of the first piece.
        """
        import pyarrow as pa

        table = piece if isinstance(piece, pa.Table) else pa.table(piece)
        if self._file is None:
            self._open(table.schema)
        elif table.schema != self._schema:
            table = self._fitted(table)
        self._waiting.append(table)
        self._n_waiting += table.num_rows
        if self._n_waiting >= ROWS_PER_BLOCK:
            self._write_blocks(final=False)

    def close(self) -> StorageReference:
        """Finish the file and give it its name."""
        if self._file is None:
            raise ValueError(f"The table {self._ref.path} has neither a piece nor a schema.")
        self._write_blocks(final=True)
        self._file.close()
        publish(self._staging, self._target)
        metadata = {
            "columns": list(self._schema.names),
            "num_rows": self._n_rows,
            "content_hash": content_hash.of_table(self._schema, self._n_rows, self._digests),
        }
        self._written = StorageReference("arrow", self._ref.path, "parquet", metadata)
        return self._written

    def abandon(self) -> None:
        """Leave nothing behind."""
        try:
            if self._file is not None:
                self._file.close()
        finally:
            discard(self._staging)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.abandon()
            return
        try:
            self.close()
        except BaseException:
            self.abandon()
            raise

    def _open(self, schema: Any) -> None:
        import pyarrow.parquet as pq

        table_types.check_storable(schema)
        self._schema = schema
        try:
            self._file = pq.ParquetWriter(str(self._staging), schema, compression="zstd")
        except BaseException:
            discard(self._staging)
            raise

    def _fitted(self, table: Any) -> Any:
        try:
            return table.select(self._schema.names).cast(self._schema)
        except (KeyError, ValueError) as error:
            raise ValueError(f"A later piece of the table does not fit the first: {error}") from error

    def _write_blocks(self, *, final: bool) -> None:
        """Write whole blocks (row groups), and at the end what is left."""
        import pyarrow as pa

        rows = pa.concat_tables(self._waiting) if self._waiting else self._schema.empty_table()
        n_written = rows.num_rows if final else rows.num_rows - rows.num_rows % ROWS_PER_BLOCK
        for start in range(0, n_written, ROWS_PER_BLOCK):
            block = rows.slice(start, min(ROWS_PER_BLOCK, n_written - start))
            self._digests += [column_digest(column) for column in block.columns]
            self._file.write_table(table_types.writable(block), row_group_size=ROWS_PER_BLOCK)
        self._n_rows += n_written
        self._waiting = [rows.slice(n_written)]
        self._n_waiting = rows.num_rows - n_written


def _target_of(ref: StorageReference) -> tuple[Any, Any]:
    from pathlib import Path

    target = Path(ref.path)
    return target, stage(target)
