"""DataFrame: tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from scistudio.core.types.table import TableBacked, n_rows, require_pandas
from scistudio.stability import provisional, stable

__all__ = ["DataFrame"]


@stable(since="0.3.1")
class DataFrame(TableBacked):
    """A table of rows and named columns.

    Parameters
    ----------
    columns, row_count
        Taken from ``data`` or the stored table when not given.
    schema
        Types by column name, where a block wants to state them.
    data
        An Arrow table, or a dict of columns. For pandas use :meth:`from_pandas`.
    **slots
        Those of :class:`DataObject`.
    """

    def __init__(
        self,
        *,
        columns: Sequence[str] | None = None,
        row_count: int | None = None,
        schema: Any = None,
        data: Any = None,
        **slots: Any,
    ) -> None:
        super().__init__(**slots)
        self._columns = None if columns is None else list(columns)
        self._row_count = row_count
        self.schema = schema
        self._transient_data = data

    @classmethod
    @provisional(since="0.4.0")
    def from_pandas(cls, frame: Any, **slots: Any) -> Self:
        """Make a table from a pandas DataFrame. NaN becomes a missing value; an index that has a name becomes a column."""
        require_pandas()
        import pyarrow as pa

        return cls(data=pa.Table.from_pandas(frame), **slots)

    @classmethod
    @provisional(since="0.4.0")
    def from_arrow(cls, table: Any, **slots: Any) -> Self:
        """Make a table from anything that is tabular to Arrow: a table, a record batch, a reader, a polars frame."""
        import pyarrow as pa

        return cls(data=pa.table(table), **slots)

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns, where known."""
        if self._columns is None and self._transient_data is not None:
            return [str(name) for name in getattr(self._transient_data, "column_names", self._transient_data)]
        if self._columns is None and self._storage_ref is not None:
            return (self._storage_ref.metadata or {}).get("columns")
        return self._columns

    @columns.setter
    def columns(self, columns: Sequence[str] | None) -> None:
        self._columns = None if columns is None else list(columns)

    @property
    def row_count(self) -> int | None:
        """Number of rows, where known."""
        if self._row_count is None and self._transient_data is not None:
            return n_rows(self._transient_data)
        if self._row_count is None and self._storage_ref is not None:
            return (self._storage_ref.metadata or {}).get("num_rows")
        return self._row_count

    @row_count.setter
    def row_count(self, row_count: int | None) -> None:
        self._row_count = row_count

    @provisional(since="0.4.0")
    def rows(self, start: int = 0, stop: int | None = None, columns: Sequence[str] | None = None) -> Any:
        """Return the rows ``start`` to ``stop`` (exclusive) as an Arrow table, reading only the row groups and columns needed.

        Parameters
        ----------
        start, stop
            Row numbers from 0; negative ones count from the end, as in Python.
        columns
            Names of the columns wanted; all by default.

        Raises
        ------
        KeyError
            If a column does not exist.
        """
        if self._storage_ref is not None:
            from scistudio.core.storage.arrow_backend import ArrowBackend

            return ArrowBackend().read_rows(self._storage_ref, start, stop, columns)
        table = self.to_memory()
        first, last, _step = slice(start, stop).indices(table.num_rows)
        return (table if columns is None else table.select(list(columns))).slice(first, max(0, last - first))

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return columns, row count and schema."""
        return {"columns": obj.columns or [], "row_count": obj.row_count, "schema": _schema_json(obj.schema)}

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return columns, row count and schema."""
        return {
            "columns": metadata.get("columns") or None,
            "row_count": metadata.get("row_count"),
            "schema": metadata.get("schema") or None,
        }


def _schema_json(schema: Any) -> dict[str, Any]:
    """Return a schema as names and types; an Arrow schema is put into words."""
    if schema is None or isinstance(schema, dict):
        return schema or {}
    return {field.name: str(field.type) for field in schema}
