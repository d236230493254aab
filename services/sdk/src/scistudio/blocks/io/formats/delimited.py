"""Reading CSV and TSV: every value as exact as it stands in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from scistudio.blocks.io.formats import exactness
from scistudio.blocks.io.formats.column_types import arrow_type
from scistudio.blocks.io.formats.decoding import read_text_file
from scistudio.blocks.io.formats.dialect import Dialect, detect

DEFAULT_DELIMITERS = {".tsv": "\t"}
# What numeric columns take for "no value" when the person names nothing. Text columns keep these as text: NA is a
# country, and None may be somebody's answer.
MISSING_NUMBERS = ["", "#N/A", "#NA", "-NaN", "-nan", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"]
_THREADS_FROM_BYTES = 4 * 1024 * 1024


def read_table(path: Path, options: Mapping[str, Any]) -> tuple[pa.Table, dict[str, Any]]:
    """Read a delimited text file.

    Options: ``delimiter``, ``encoding``, ``decimal``, ``header``, ``comment``, ``na_values``, ``dtypes`` (column → type).

    Returns
    -------
    The table, and what was decided on the way: layout, encoding, and columns that are not what they look like.

    Raises
    ------
    ValueError
        Naming row and column.
    """
    decoded = read_text_file(path, options.get("encoding"))
    if not decoded.data.strip():
        raise ValueError(f"{path} is empty: it has neither a header nor rows.")
    dialect = detect(decoded.data, DEFAULT_DELIMITERS.get(path.suffix.lower(), ","), options)
    reading = Reading(path, decoded.data, dialect, options)
    table, decisions = reading.table()
    notes: dict[str, Any] = {"encoding": decoded.encoding, "delimiter": dialect.delimiter, "decimal": reading.decimal}
    for name, value in (("comment_lines", dialect.n_comment_lines), ("renamed_columns", dialect.renamed), ("columns", decisions)):
        if value:
            notes[name] = value
    return table, notes


class Reading:
    """One file on its way into a table; columns may be read again as text to look closer."""

    def __init__(self, path: Path, data: bytes, dialect: Dialect, options: Mapping[str, Any]) -> None:
        self.path, self.dialect = path, dialect
        self.body = pa.py_buffer(data)[dialect.body_offset :]
        self.has_quotes = b'"' in data
        na_values = options.get("na_values")
        self.na_values = None if na_values is None else [str(value) for value in ([na_values] if isinstance(na_values, str) else na_values)]
        self.wanted = self._wanted_types(options.get("dtypes") or {})
        self.decimal = str(options.get("decimal") or ".")
        self.may_guess_decimal = options.get("decimal") is None and dialect.delimiter != ","
        if len(self.decimal) != 1:
            raise ValueError(f"'decimal' must be one character, got {self.decimal!r}.")

    def table(self) -> tuple[pa.Table, dict[str, str]]:
        """Return the table, and why columns have a type that is not the obvious one."""
        if not self.body.size or (not self.body.to_pybytes()[:1024].strip() and not self.body.to_pybytes().strip()):
            return self._empty(), {}
        table = self.read()
        if self.may_guess_decimal and any(exactness.is_decimal_comma(table[name]) for name in self._free(table, pa.types.is_string)):
            self.decimal = ","
            table = self.read()
        decisions: dict[str, str] = {}
        if self.decimal == ",":
            table = self._join_thousands(table, decisions)
        if self.na_values is None:
            table = self._missing_numbers(table)
        return self._exact(table, decisions), decisions

    def read(self, *, columns: list[str] | None = None, as_text: bool = False, null_values: list[str] | None = None) -> pa.Table:
        """Parse the body: all of it or some ``columns``, with the reader's inference or ``as_text``."""
        types = dict(self.wanted)
        if as_text:
            types = dict.fromkeys(columns or self.dialect.names, pa.string())
        try:
            return pa_csv.read_csv(
                pa.BufferReader(self.body),
                pa_csv.ReadOptions(column_names=self.dialect.names, use_threads=self.body.size > _THREADS_FROM_BYTES),
                self._parse_options(),
                pa_csv.ConvertOptions(
                    column_types=types,
                    include_columns=columns or [],
                    null_values=null_values or ["", *(self.na_values or [])],
                    strings_can_be_null=null_values is None,
                    quoted_strings_can_be_null=False,
                    decimal_point=self.decimal,
                ),
            )
        except pa.ArrowInvalid as error:
            raise ValueError(self._explain(error)) from error

    def _parse_options(self) -> pa_csv.ParseOptions:
        # In a file of one column an empty line is a missing value, not nothing.
        is_single = len(self.dialect.names) == 1
        return pa_csv.ParseOptions(delimiter=self.dialect.delimiter, newlines_in_values=self.has_quotes, ignore_empty_lines=not is_single)

    def _wanted_types(self, dtypes: Mapping[str, Any]) -> dict[str, pa.DataType]:
        unknown = sorted(set(dtypes) - set(self.dialect.names))
        if unknown:
            raise ValueError(f"'dtypes' names columns that {self.path} does not have: {unknown}. It has {self.dialect.names}.")
        return {name: arrow_type(str(kind)) for name, kind in dtypes.items()}

    def _empty(self) -> pa.Table:
        """Return the columns without rows."""
        types = [self.wanted.get(name, pa.string()) for name in self.dialect.names]
        return pa.table([pa.array([], type=kind) for kind in types], names=self.dialect.names)

    def _free(self, table: pa.Table, is_kind: Any) -> list[str]:
        """Return the columns of a kind whose type the person did not set."""
        return [name for name in table.column_names if name not in self.wanted and is_kind(table.schema.field(name).type)]

    def _missing_numbers(self, table: pa.Table) -> pa.Table:
        """Take ``NA`` and its like for missing, in columns that hold numbers or times otherwise."""
        tokens = pa.array(MISSING_NUMBERS[1:])
        suspects = [name for name in self._free(table, pa.types.is_string) if pc.any(pc.is_in(table[name], value_set=tokens)).as_py()]
        if not suspects:
            return table
        again = self.read(columns=suspects, null_values=MISSING_NUMBERS)
        for name in suspects:
            if not pa.types.is_string(again.schema.field(name).type):
                table = table.set_column(table.column_names.index(name), name, again[name])
        return table

    def _join_thousands(self, table: pa.Table, decisions: dict[str, str]) -> pa.Table:
        """Read ``1.234,56`` as a number, where the whole column is written so."""
        for name in self._free(table, pa.types.is_string):
            if exactness.is_decimal_comma(table[name]):
                table = table.set_column(table.column_names.index(name), name, exactness.from_decimal_comma(table[name]))
                decisions[name] = "thousands separators removed"
        return table

    def _exact(self, table: pa.Table, decisions: dict[str, str]) -> pa.Table:
        """Replace number columns that lost digits of the text by exact ones."""
        numbers = self._free(table, exactness.is_number)
        if not exactness.may_have_leading_zeros(self.body, self.dialect.delimiter):
            numbers = [name for name in numbers if exactness.may_be_rounded(table[name])]
        if not numbers:
            return table
        text = self.read(columns=numbers, as_text=True, null_values=[] if self.na_values is not None else MISSING_NUMBERS)
        for name in numbers:
            exact, why = exactness.exact_column(text[name], table[name], self.na_values or MISSING_NUMBERS)
            if why:
                table = table.set_column(table.column_names.index(name), name, exact)
                decisions[name] = why
        return table

    def _explain(self, error: pa.ArrowInvalid) -> str:
        """Say where in the file the parser stopped, and what to do."""
        text = str(error)
        found = re.search(r"(?:Row #(?P<row>\d+): )?Expected (?P<want>\d+) columns, got (?P<got>\d+): (?P<line>.*)", text, re.DOTALL)
        if found:
            row = int(found["row"]) if found["row"] else self._row_of_width(int(found["got"]))
            return (
                f"{self.path}, line {row + self.dialect.n_lines_before}: expected {found['want']} cells, got {found['got']}: "
                f"{found['line'][:200]!r}. Check the delimiter ({self.dialect.delimiter!r}) and the quotes of that line."
            )
        column = re.search(r"column #(\d+): .* to (\S+): invalid value '(.*)'", text, re.DOTALL)
        if column:
            name = self.dialect.names[int(column[1])] if int(column[1]) < len(self.dialect.names) else f"#{column[1]}"
            return (
                f"{self.path}, column '{name}'{self._row_of_value(name, column[3])}: {column[3]!r} is no {column[2]}. "
                "Change 'dtypes' for this column (to string, for example), or name the value in 'na_values'."
            )
        return f"{self.path} cannot be read: {text}"

    def _row_of_width(self, n_cells: int) -> int:
        """Find the first row with ``n_cells`` cells, from 1; the parallel reader does not tell."""
        rows: list[int] = []

        def note(row: Any) -> str:
            rows.append(row.number)
            return "skip"

        parse = self._parse_options()
        parse.invalid_row_handler = note
        pa_csv.read_csv(pa.BufferReader(self.body), pa_csv.ReadOptions(column_names=self.dialect.names, use_threads=False), parse)
        return rows[0] if rows and rows[0] is not None else 0

    def _row_of_value(self, name: str, value: str) -> str:
        """Say in which line ``value`` stands."""
        column = self.read(columns=[name], as_text=True)[name]
        index = pc.index(column, value).as_py()
        return f", line {index + 1 + self.dialect.n_lines_before}" if index >= 0 else ""
