"""Writing CSV and TSV."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

Batches = Callable[[], Iterator[pa.Table]]


def write(batches: Batches, path: Path, options: Mapping[str, Any]) -> None:
    """Write the tables that ``batches`` yields (anew at each call) as one file.

    Text is quoted only in files that need it: where a cell holds a delimiter, a quote or a line break, or where empty
    texts stand beside missing ones.
    """
    delimiter = options.get("delimiter") or ("\t" if ".tsv" in path.name.lower() else ",")
    schema = next(batches()).schema
    _check_types(schema)
    style = "needed" if any(_needs_quotes(table, delimiter) for table in batches()) else "none"
    settings = pa_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=style)
    with path.open("wb") as file:
        file.write(_header(schema.names, delimiter))
        for table in batches():
            pa_csv.write_csv(_plain(table), file, settings)
    encoding = codecs.lookup(options.get("encoding") or "utf-8").name
    if encoding != "utf-8":
        _transcode(path, encoding)


def _header(names: list[str], delimiter: str) -> bytes:
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def _check_types(schema: pa.Schema) -> None:
    nested = [field.name for field in schema if pa.types.is_nested(field.type) or pa.types.is_binary(field.type)]
    if nested:
        raise ValueError(f"Columns {nested} hold lists, structures or bytes, which a delimited file cannot: save as Parquet.")


def _needs_quotes(table: pa.Table, delimiter: str) -> bool:
    special = f"[{''.join(chr(92) + c for c in (delimiter, chr(34)))}\r\n]"
    for column in table.columns:
        values = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            continue
        awkward = pc.or_(pc.match_substring_regex(values, special), pc.equal(values, ""))
        if pc.any(awkward, min_count=0).as_py():
            return True
    return False


def _plain(table: pa.Table) -> pa.Table:
    """Write dictionaries as their values; the writer knows no dictionaries."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(field.type.value_type))
    return table


def _transcode(path: Path, encoding: str) -> None:
    """Rewrite the file in ``encoding``; a character that it lacks is an error with its place, never a question mark."""
    staged = path.with_name(f"{path.name}.{encoding}")
    with path.open(encoding="utf-8", newline="") as source, staged.open("w", encoding=encoding, newline="") as target:
        try:
            for line in source:
                target.write(line)
        except UnicodeEncodeError as error:
            staged.unlink()
            raise ValueError(f"{error.object[error.start]!r} cannot be written in {encoding}; choose utf-8.") from error
    staged.replace(path)
