"""What a read answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LONGEST_EXACT_INTEGER = 2**53  # of JavaScript


@dataclass(frozen=True, slots=True)
class Answer:
    """A body with what it is. ``body`` is sent in parts; nothing larger than the read's bound is ever in memory."""

    media_type: str
    metadata: dict[str, Any]
    body: bytes | memoryview = b""


def json_number(value: Any) -> Any:
    """Return a number as JSON can carry it exactly: large integers and what is not finite as text."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool) or plain is None:
        return plain
    if isinstance(plain, int):
        return plain if abs(plain) <= LONGEST_EXACT_INTEGER else str(plain)
    if isinstance(plain, float):
        return plain if plain - plain == 0 else str(plain)
    return str(plain)
