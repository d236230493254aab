"""What an output holds, told from its wire JSON without reading any data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Output(NamedTuple):
    """One output port: the type of its items and how many there are."""

    port: str
    type_name: str
    n_items: int


def summarise(outputs: Mapping[str, str]) -> tuple[Output, ...]:
    """Return a summary of each output, given as wire JSON by port."""
    return tuple(Output(port, *_summary(json.loads(text))) for port, text in outputs.items())


def _summary(value: Any) -> tuple[str, int]:
    """A Collection says its items' type; one object carries its chain of types; anything else is a plain value."""
    if not isinstance(value, dict):
        return type(value).__name__, 1
    if value.get("_collection"):
        items = value.get("items")
        count = len(items) if isinstance(items, list) else int(value.get("count", 0))
        return str(value.get("item_type", "")), count
    chain = (value.get("metadata") or {}).get("type_chain") or ["DataObject"]
    return str(chain[-1]), 1
