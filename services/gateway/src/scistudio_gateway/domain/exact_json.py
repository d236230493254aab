"""JSON that a browser reads as it was meant: JavaScript rounds integers beyond 2^53 and knows no NaN, so both travel as text."""

from __future__ import annotations

import json
import math
from typing import Any

SAFE_INTEGER = 2**53 - 1


def _integer(text: str) -> int | str:
    number = int(text) if len(text) < 20 else None
    return number if number is not None and abs(number) <= SAFE_INTEGER else text


def _real(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def read_json(text: str, default: Any = None) -> Any:
    """Parse ``text``; integers that a browser would round, and numbers that JSON does not have, become strings."""
    return json.loads(text, parse_int=_integer, parse_float=_real, parse_constant=str) if text else default


def ascii_json(value: Any) -> str:
    """Return ``value`` on one line of ASCII, for a header."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
