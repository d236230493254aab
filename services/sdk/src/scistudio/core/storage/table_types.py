"""Which Arrow types Parquet keeps, which come back by our doing, and which are refused."""

from __future__ import annotations

import base64
from typing import Any


def check_storable(schema: Any) -> None:
    """Refuse what Parquet cannot hold, before anything is written.

    Raises
    ------
    TypeError
        With the column, its type and what to do.
    """
    for field in schema:
        offender = _offender(field.type)
        if offender is not None:
            raise TypeError(
                f"Column {field.name!r} has the Arrow type {field.type}, and Parquet cannot store {offender}. "
                "Cast the column first, for example to text or to a struct with fields."
            )


def _offender(data_type: Any) -> str | None:
    """Return the part of a type that cannot be stored, in words."""
    import pyarrow.types as pt

    if pt.is_interval(data_type) or pt.is_union(data_type) or pt.is_run_end_encoded(data_type):
        return f"{str(data_type).partition('<')[0]} values"
    if pt.is_struct(data_type) and data_type.num_fields == 0:
        return "a struct without fields"
    if (pt.is_fixed_size_list(data_type) and data_type.list_size == 0) or (
        pt.is_fixed_size_binary(data_type) and data_type.byte_width == 0
    ):
        return "values of size 0"
    inner = _inner_types(data_type)
    if any(_loses_dictionary(part) for part in inner):
        return "dictionaries of anything but text inside a nested column"
    return next((found for part in inner if (found := _offender(part)) is not None), None)


def _inner_types(data_type: Any) -> list[Any]:
    import pyarrow as pa

    if isinstance(data_type, pa.BaseExtensionType):
        return [data_type.storage_type]
    if isinstance(data_type, pa.DictionaryType):
        return [data_type.value_type]
    return [data_type.field(position).type for position in range(data_type.num_fields)]


def _loses_dictionary(data_type: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_dictionary(data_type)) and not pt.is_string(data_type.value_type)


def writable(block: Any) -> Any:
    """Return a block that Parquet's writer takes: it cannot cut nested view types, so these are first copied to stand alone."""
    import pyarrow as pa

    if not any("_view" in str(field.type) and field.type.num_fields for field in block.schema):
        return block
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, block.schema) as stream:
        stream.write_table(block)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def original_schema(parquet_file: Any) -> Any:
    """Return the schema that was written: Parquet itself forgets seconds, ``date64`` and dictionaries of integers."""
    import pyarrow as pa

    stored = (parquet_file.metadata.metadata or {}).get(b"ARROW:schema")
    if stored is None:
        return parquet_file.schema_arrow
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored)))


def restored(table: Any, original: Any) -> Any:
    """Return a table with the column types of ``original`` (of those columns that were read)."""
    import pyarrow as pa

    if table.schema.equals(original, check_metadata=True):
        return table
    wanted = original if table.schema.names == original.names else _part_of(original, table.schema.names)
    columns = [_restored_column(column, field.type) for column, field in zip(table.columns, wanted, strict=True)]
    return pa.table(columns, schema=wanted) if columns else table


def _part_of(original: Any, names: list[str]) -> Any:
    import pyarrow as pa

    return pa.schema([original.field(name) for name in names], metadata=original.metadata)


def _restored_column(column: Any, data_type: Any) -> Any:
    import pyarrow.types as pt

    if column.type == data_type:
        return column
    if pt.is_dictionary(data_type) and not pt.is_dictionary(column.type):
        column = column.cast(data_type.value_type).dictionary_encode()
    return column.cast(data_type)
