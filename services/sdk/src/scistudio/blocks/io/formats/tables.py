"""Tables and series: Parquet, JSON, CSV and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scistudio.blocks.io.formats import delimited, delimited_writer
from scistudio.core.types import DataFrame, Series

ROW_GROUP_ROWS = 64 * 1024


def read_delimited(path: Path, options: Mapping[str, Any], **slots: Any) -> DataFrame:
    """Read CSV or TSV. The decisions taken on the way are in ``user["csv"]``."""
    table, notes = delimited.read_table(path, options)
    return DataFrame(data=table, user={"csv": notes}, **slots)


def read_parquet(path: Path, options: Mapping[str, Any], **slots: Any) -> DataFrame:
    """Read Parquet."""
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path} is no readable Parquet file: {error}") from error
    return DataFrame(data=table, **slots)


def read_json(path: Path, options: Mapping[str, Any], **slots: Any) -> DataFrame:
    """Read a list of records, or an object of equally long columns."""
    from scistudio.blocks.io.formats.decoding import read_text_file

    try:
        content = json.loads(read_text_file(path, options.get("encoding")).data)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}, column {error.colno}: {error.msg}.") from error
    return DataFrame(data=_table_of_json(path, content), **slots)


def _table_of_json(path: Path, content: Any) -> pa.Table:
    if isinstance(content, list) and all(isinstance(record, dict) for record in content):
        names = list(dict.fromkeys(name for record in content for name in record))
        columns = {name: [record.get(name) for record in content] for name in names}
    elif isinstance(content, dict) and all(isinstance(column, list) for column in content.values()):
        columns = content
        if len({len(column) for column in columns.values()}) > 1:
            raise ValueError(f"{path}: the columns differ in length: { {name: len(column) for name, column in columns.items()} }.")
    else:
        raise ValueError(f"{path} holds neither a list of records nor an object of columns.")
    return pa.table({name: _column_of_json(path, name, values) for name, values in columns.items()})


def _column_of_json(path: Path, name: str, values: list[Any]) -> pa.Array:
    """Integers beyond 64 bits become decimals; a column of mixed kinds is an error, not a guess."""
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    try:
        if any(abs(value) >= 2**63 for value in numbers):
            return pa.array(values, pa.decimal128(38, 0))
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise ValueError(f"{path}, column '{name}': {error}. All values of a column must be of one kind.") from error


def read_series_delimited(path: Path, options: Mapping[str, Any], **slots: Any) -> Series:
    """Read a CSV or TSV of one column."""
    table, notes = delimited.read_table(path, options)
    return _series(table, {"csv": notes}, slots)


def read_series_parquet(path: Path, options: Mapping[str, Any], **slots: Any) -> Series:
    """Read a Parquet file of one column."""
    return _series(read_parquet(path, options).to_memory(), {}, slots)


def _series(table: pa.Table, user: dict[str, Any], slots: Mapping[str, Any]) -> Series:
    if table.num_columns != 1:
        raise ValueError(
            f"LoadData(core_type='Series') expects a single-column tabular file, got {table.num_columns} columns. "
            "Load it as a DataFrame, or check the delimiter."
        )
    return Series(data=table, value_name=table.column_names[0], length=table.num_rows, user=user, **slots)


def write_delimited(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write CSV or TSV, block by block; a table of one block is read once for all passes."""
    first = list(islice(batches(obj), 2))
    delimited_writer.write(lambda: iter(first) if len(first) < 2 else batches(obj), path, options)


def write_parquet(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write Parquet, block by block."""
    tables = batches(obj)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_table(first, row_group_size=ROW_GROUP_ROWS)
        for table in tables:
            writer.write_table(table.cast(first.schema), row_group_size=ROW_GROUP_ROWS)


def write_json(obj: Any, path: Path, options: Mapping[str, Any]) -> None:
    """Write a list of records."""
    records = [record for table in batches(obj) for record in table.to_pylist()]
    path.write_text(json.dumps(records, indent=2, ensure_ascii=False, default=_json_value), encoding="utf-8")


def _json_value(value: Any) -> Any:
    """Times as ISO 8601, exact decimals as text."""
    if isinstance(value, bytes):
        raise ValueError("A column holds bytes, which JSON cannot: save as Parquet, or convert the column.")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def batches(obj: Any) -> Iterator[pa.Table]:
    """Yield the object's table in blocks of rows; at least one, so that an empty table keeps its columns."""
    if obj.storage_ref is None:
        yield obj.get_in_memory_data()
        return
    is_empty = True
    for table in obj.iter_chunks(ROW_GROUP_ROWS):
        is_empty = False
        yield table
    if is_empty:
        yield obj.to_memory()
