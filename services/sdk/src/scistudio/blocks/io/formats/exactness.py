"""Columns whose text says more than the number that a reader makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Integers beyond this are no longer all distinct as float64.
EXACT_IN_FLOAT64 = 2**53
_INTEGER = r"^\s*[+-]?[0-9]+\s*$"
_LEADING_ZERO = r"^\s*[+-]?0[0-9xX]"
_COMMA_NUMBER = r"^\s*[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?([eE][+-]?[0-9]+)?\s*$"
_MAX_DECIMAL_DIGITS = 38
_PIECE_BYTES, _LOOKAHEAD = 1024 * 1024, 3
_MORE, _PREFIX = np.zeros(256, dtype=bool), np.zeros(256, dtype=bool)
_MORE[list(b"0123456789xX")] = True
_PREFIX[list(b" +-")] = True


def is_number(kind: pa.DataType) -> bool:
    """Tell whether a column type holds integers or floats."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def may_have_leading_zeros(body: pa.Buffer, delimiter: str) -> bool:
    """Look for a cell like ``007`` or ``0x1F`` anywhere in the text; a few false hits only cost time.

    A regular expression would take several times as long as the reader itself.
    """
    text = np.frombuffer(body, dtype=np.uint8)
    if _zero_led(np.concatenate([np.frombuffer(b"\n", np.uint8), text[:_LOOKAHEAD]]), delimiter):
        return True
    pieces = (text[start : start + _PIECE_BYTES + _LOOKAHEAD] for start in range(0, len(text), _PIECE_BYTES))
    return any(_zero_led(piece, delimiter) for piece in pieces)


def _zero_led(text: np.ndarray[Any, np.dtype[np.uint8]], delimiter: str) -> bool:
    """Look for a start of a cell, at most one sign or blank, a zero, and a digit or an x. More blanks count as a hit."""
    is_start = text == ord(delimiter)
    for mark in b'\r\n"':
        is_start |= text == mark
    starts = np.flatnonzero(is_start[:-_LOOKAHEAD] if len(text) > _LOOKAHEAD else is_start[:-2])
    first, second = text[starts + 1], text[starts + 2]
    if _MORE[second[first == ord("0")]].any():
        return True
    signed = _PREFIX[first]
    third = text[np.minimum(starts[signed] + 3, len(text) - 1)]
    return bool(((second[signed] == ord("0")) & _MORE[third]).any() or _PREFIX[second[signed]].any())


def may_be_rounded(column: pa.ChunkedArray) -> bool:
    """Tell whether a float column holds values so large that integers may have lost digits."""
    if not pa.types.is_floating(column.type):
        return False
    largest = pc.max(pc.abs(pc.if_else(pc.is_finite(column), column, 0.0))).as_py()
    return largest is not None and largest >= EXACT_IN_FLOAT64


def exact_column(text: pa.ChunkedArray, number: pa.ChunkedArray, missing: list[str]) -> tuple[pa.ChunkedArray, str]:
    """Return the column without loss, and why it is not the number; ``""`` when the number is exact.

    Leading zeros stay text. Integers beyond 64 bits become decimals; where the column also holds fractions, text.
    """
    present = pc.if_else(pc.is_in(text, value_set=pa.array(missing, pa.string())), pa.scalar(None, pa.string()), text)
    if _any(pc.match_substring_regex(present, _LEADING_ZERO)):
        return present, "text: leading zeros"
    if not may_be_rounded(number):
        return number, ""
    whole = pc.match_substring_regex(present, _INTEGER)
    if _all(whole):
        trimmed = pc.utf8_trim_whitespace(present)
        longest = pc.max(pc.utf8_length(pc.utf8_trim(trimmed, "+-"))).as_py()
        if longest <= _MAX_DECIMAL_DIGITS:
            return trimmed.cast(pa.decimal128(_MAX_DECIMAL_DIGITS, 0)), "decimal: integers beyond 64 bits"
        return present, "text: integers beyond 38 digits"
    large = pc.greater_equal(pc.abs(number), float(EXACT_IN_FLOAT64))
    if _any(pc.and_kleene(whole, large)):
        return present, "text: integers beyond 53 bits beside fractions"
    return number, ""


def is_decimal_comma(column: pa.ChunkedArray) -> bool:
    """Tell whether every value of a text column is a number written with a decimal comma."""
    if not pa.types.is_string(column.type) or not _any(pc.match_substring(column, ",")):
        return False
    return _all(pc.match_substring_regex(column, _COMMA_NUMBER))


def from_decimal_comma(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Turn ``1.234,56`` into numbers."""
    plain = pc.replace_substring(pc.replace_substring(pc.utf8_trim_whitespace(column), ".", ""), ",", ".")
    return plain.cast(pa.float64())


def _any(mask: Any) -> bool:
    return bool(pc.any(mask, min_count=0).as_py())


def _all(mask: Any) -> bool:
    """Nulls count as fitting; a column of nothing but nulls does not."""
    return bool(pc.all(mask, min_count=1).as_py())
