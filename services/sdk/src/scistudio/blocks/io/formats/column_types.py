"""Names that a person may write for the type of a column."""

from __future__ import annotations

import pyarrow as pa

_NAMES = {
    "text": pa.string(),
    "str": pa.string(),
    "int": pa.int64(),
    "integer": pa.int64(),
    "float": pa.float64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "decimal": pa.decimal128(38, 9),
}


def arrow_type(name: str) -> pa.DataType:
    """Return the Arrow type that ``name`` stands for: ``text``, ``int``, ``date`` …, or Arrow's own names.

    Raises
    ------
    ValueError
        Listing the plain names.
    """
    plain = name.strip().lower()
    if plain in _NAMES:
        return _NAMES[plain]
    try:
        return pa.type_for_alias(plain)
    except ValueError as error:
        raise ValueError(f"Unknown column type {name!r}; use one of {sorted(_NAMES)}, or a name of Arrow such as int64.") from error
