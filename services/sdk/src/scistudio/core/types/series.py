"""Series: one-dimensional labelled data."""

from __future__ import annotations

from typing import Any

from scistudio.core.types.table import TableBacked, n_rows, table_to_pandas
from scistudio.stability import stable

__all__ = ["Series"]


@stable(since="0.3.1")
class Series(TableBacked):
    """Values in order, such as a trace or a spectrum.

    Parameters
    ----------
    index_name, value_name
        What the position and the values mean.
    length
        Number of values; taken from ``data`` when not given.
    data
        A list or array (stored as one column named ``value_name``), or an Arrow table (stored as it is).
    **slots
        Those of :class:`DataObject`.
    """

    def __init__(
        self,
        *,
        index_name: str | None = None,
        value_name: str | None = None,
        length: int | None = None,
        data: Any = None,
        **slots: Any,
    ) -> None:
        super().__init__(**slots)
        self.index_name = index_name
        self.value_name = value_name
        self._length = length
        self._transient_data = data

    @property
    def length(self) -> int | None:
        """Number of values, where known."""
        if self._length is None and self._transient_data is not None:
            return n_rows(self._transient_data)
        if self._length is None and self._storage_ref is not None:
            return (self._storage_ref.metadata or {}).get("num_rows")
        return self._length

    @length.setter
    def length(self, length: int | None) -> None:
        self._length = length

    def _as_table(self, data: Any) -> Any:
        import pyarrow as pa

        if isinstance(data, pa.Table | dict):
            return super()._as_table(data)
        return pa.table({self.value_name or "value": data})

    def to_pandas(self) -> Any:
        """Return the first column as a pandas Series."""
        table = self.to_memory()
        return table_to_pandas(table.select([0])).iloc[:, 0]

    @classmethod
    def serialise_extra_metadata(cls, obj: Any) -> dict[str, Any]:
        """Return names and length."""
        return {"index_name": obj.index_name, "value_name": obj.value_name, "length": obj.length}

    @classmethod
    def reconstruct_extra_kwargs(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        """Return names and length."""
        return {key: metadata.get(key) for key in ("index_name", "value_name", "length")}
