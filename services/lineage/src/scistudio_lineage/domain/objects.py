"""The objects in a port's wire JSON: who they are and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

DEEPEST_SLOT = 32  # a composite in a composite; deeper ones are recorded with their owner only


class Place(NamedTuple):
    """An object on a port of an execution. ``slot`` is the way to it inside a composite: `left/mask`; empty for the item itself."""

    port: str
    position: int
    slot: str
    object_id: str
    type_name: str
    content_hash: str
    reference: Mapping[str, Any]


def places(ports: Mapping[str, Any]) -> Iterator[Place]:
    """Yield every object on ``ports``, items of a Collection in order, slots of composites after their owner."""
    for port, value in ports.items():
        for position, item in enumerate(_items(value)):
            yield from _places(port, position, "", item)


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict) and value.get("_collection"):
        items = value.get("items")
        return items if isinstance(items, list) else []
    return [value]


def _places(port: str, position: int, slot: str, item: Any) -> Iterator[Place]:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    if not isinstance(metadata, dict):
        return  # a plain value: nothing to follow
    framework = metadata.get("framework")
    object_id = framework.get("object_id") if isinstance(framework, dict) else None
    if object_id:
        chain = metadata.get("type_chain") or ["DataObject"]
        yield Place(port, position, slot, str(object_id), str(chain[-1]), str(metadata.get("content_hash") or ""), item)
    slots = metadata.get("slots")
    if isinstance(slots, dict) and slot.count("/") < DEEPEST_SLOT:
        for name, inner in slots.items():
            yield from _places(port, position, f"{slot}/{name}" if slot else str(name), inner)
