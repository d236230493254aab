"""How a delimited text file is laid out: what separates the cells, and where the header is."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CANDIDATES = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1024 * 1024
_SAMPLE_ROWS = 25


@dataclass(frozen=True)
class Dialect:
    """Layout of one file.

    Attributes
    ----------
    names
        One a column, distinct: an empty header cell becomes ``column_<n>``, a repeated name gets ``_2``, ``_3`` …
    body_offset
        Byte at which the first data row begins.
    n_lines_before
        Physical lines before it, for messages.
    """

    delimiter: str
    names: list[str]
    body_offset: int
    n_lines_before: int
    n_comment_lines: int
    renamed: dict[str, str] = field(default_factory=dict)


def detect(data: bytes, default_delimiter: str, options: Mapping[str, Any]) -> Dialect:
    """Find the layout of ``data`` (UTF-8), following the options ``delimiter``, ``header`` and ``comment`` where set.

    ``header``: true (the default), false (columns are then called ``column_1`` …), or the number of the header's line.
    """
    sample = data[:_SAMPLE_BYTES].decode("utf-8", errors="ignore")
    lines = io.StringIO(sample, newline="").readlines()
    header = options.get("header")
    header = True if header is None else header
    n_comments = 0
    first = int(header) - 1 if isinstance(header, int) and not isinstance(header, bool) else 0
    if first < 0 or first >= max(len(lines), 1):
        raise ValueError(f"'header' is line {header}, but the file has {len(lines)} lines.")
    if isinstance(header, bool):
        n_comments = _leading_comments(lines, options.get("comment"), options.get("delimiter") or default_delimiter)
        first = n_comments
    delimiter = options.get("delimiter") or _guess_delimiter(lines[first:], default_delimiter)
    if not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii():
        raise ValueError(f"'delimiter' must be one ASCII character, got {delimiter!r}.")
    reader = csv.reader(lines[first:], delimiter=delimiter)
    cells = next(reader, [])
    names, renamed = distinct_names(cells if header is not False else [""] * len(cells))
    n_before = first + (reader.line_num if header is not False else 0)
    offset = sum(len(line.encode()) for line in lines[:n_before])
    return Dialect(delimiter, names, offset, n_before, n_comments, renamed if header is not False else {})


def distinct_names(cells: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return a name for each column, and what was changed: ``{new: as in the file}``."""
    names: list[str] = []
    renamed: dict[str, str] = {}
    taken = set(cells)
    for index, cell in enumerate(cells):
        name = cell or f"column_{index + 1}"
        if name in names or (not cell and name in taken):
            name = next(f"{name}_{n}" for n in range(2, len(cells) + 3) if f"{name}_{n}" not in taken and f"{name}_{n}" not in names)
        if name != cell:
            renamed[name] = cell
        names.append(name)
    return names, renamed


def _leading_comments(lines: list[str], comment: Any, delimiter: str) -> int:
    """Count the comment lines at the start.

    Without a ``comment`` option, lines that begin with ``#`` are; but the last of them is the header itself when it has
    as many cells as the line after it (``#id,name`` is a custom of some programs).
    """
    mark = comment if isinstance(comment, str) and comment else "#"
    n_comments = next((index for index, line in enumerate(lines) if not line.startswith(mark)), len(lines))
    if comment is None and 0 < n_comments < len(lines):
        last, after = (next(csv.reader([line], delimiter=delimiter), []) for line in lines[n_comments - 1 : n_comments + 1])
        if len(last) == len(after) > 1:
            return n_comments - 1
    return n_comments


def _guess_delimiter(lines: list[str], default: str) -> str:
    """Return the delimiter that gives every sampled row the same number of cells; the extension's own first."""
    counts = {candidate: _cell_counts(lines, candidate) for candidate in (default, *CANDIDATES)}
    even = {candidate: rows[0] for candidate, rows in counts.items() if rows and len(set(rows)) == 1 and rows[0] > 1}
    if default in even:
        return default
    if even:
        return max(even, key=lambda candidate: even[candidate])
    if counts[default] and Counter(counts[default]).most_common(1)[0][0] > 1:
        return default
    headers = {candidate: rows[0] for candidate, rows in counts.items() if rows}
    best = max(headers, key=lambda candidate: headers[candidate], default=default)
    return best if headers.get(best, 1) > 1 else default


def _cell_counts(lines: list[str], delimiter: str) -> list[int]:
    """Return the number of cells of the first rows, blank lines left out."""
    counts: list[int] = []
    try:
        for row in csv.reader(lines[: _SAMPLE_ROWS * 4], delimiter=delimiter):
            if row:
                counts.append(len(row))
            if len(counts) >= _SAMPLE_ROWS:
                break
    except csv.Error:  # an odd quote under the wrong delimiter
        return []
    return counts
