"""What Series and DataFrame share: a payload that is an Arrow table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy as np

from scistudio.core.types.base import DataObject

# Beyond this, float64 no longer holds every integer, and pandas turns integers with gaps into float64.
_EXACT_IN_FLOAT = 2**53


class TableBacked(DataObject):
    """Reading of a stored or in-memory Arrow table."""

    # Not a type to users: it has no place in a type chain.
    _is_shared_code: ClassVar[bool] = True

    def _as_table(self, data: Any) -> Any:
        """Return the in-memory payload as an Arrow table."""
        import pyarrow as pa

        return pa.table(data) if isinstance(data, dict) else data

    def to_memory(self) -> Any:
        """Return the payload as a ``pyarrow.Table``."""
        if self._storage_ref is None and self._transient_data is not None:
            return self._as_table(self._transient_data)
        return super().to_memory()

    def get_in_memory_data(self) -> Any:
        """Return the payload as a ``pyarrow.Table``."""
        data = super().get_in_memory_data()
        return self._as_table(data)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Return the values as a numpy array."""
        values: np.ndarray[Any, Any] = self.to_pandas().to_numpy()
        return values

    def to_pandas(self) -> Any:
        """Return the payload as a pandas object."""
        return table_to_pandas(self.to_memory())


def n_rows(data: Any) -> int:
    """Return the number of rows of a table, a dict of columns, or a list of values."""
    if isinstance(data, dict):
        return len(next(iter(data.values()))) if data else 0
    return len(data)


def table_to_pandas(table: Any) -> Any:
    """Convert an Arrow table to a pandas DataFrame without rounding: large integers beside missing cells become ``Int64``."""
    pandas = require_pandas()
    frame = table.to_pandas()
    for name in _columns_that_round(table):
        if table.schema.names.count(name) == 1 and name in frame.columns:
            values = table.column(name)
            dtype = pandas.UInt64Dtype() if str(values.type).startswith("u") else pandas.Int64Dtype()
            frame[name] = values.to_pandas(types_mapper=lambda _type, dtype=dtype: dtype).set_axis(frame.index)
    return frame


def require_pandas() -> Any:
    """Import pandas, or say how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("This needs pandas: install scistudio[pandas].") from error
    return pandas


def _columns_that_round(table: Any) -> list[str]:
    import pyarrow.compute as pc
    import pyarrow.types as pt

    def rounds(column: Any) -> bool:
        if not pt.is_integer(column.type) or not column.null_count or column.type.bit_width < 64:
            return False
        extremes = pc.min_max(column)
        return any(abs(extremes[key].as_py() or 0) > _EXACT_IN_FLOAT for key in ("min", "max"))

    return [name for name, column in zip(table.column_names, table.columns, strict=True) if rounds(column)]
