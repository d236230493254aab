"""What lies on an output port, told from its references alone: names, kinds and one line about each item."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

ItemKind = Literal["array", "table", "text", "file", "composite", "object"]
KINDS: dict[str, ItemKind] = {
    "Array": "array",
    "Series": "table",
    "DataFrame": "table",
    "Text": "text",
    "Artifact": "file",
    "CompositeData": "composite",
}
SUMMARY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Item:
    """One item on a port."""

    index: int
    name: str
    type_chain: list[str]
    kind: ItemKind
    summary: str

    @property
    def type_name(self) -> str:
        """The item's own type."""
        return self.type_chain[-1] if self.type_chain else ""


@dataclass(frozen=True, slots=True)
class PortContent:
    """All items on a port, in order, as the wire format has them."""

    type_name: str
    wires: list[Any]

    def items(self, start: int, stop: int) -> list[Item]:
        """Return the items from ``start`` up to ``stop``."""
        return [_item(index, wire) for index, wire in enumerate(self.wires[start:stop], start)]


def port_content(wire: Any) -> PortContent:
    """Read what a port carries: a collection, one object alone, or any other JSON as one value."""
    if isinstance(wire, dict) and wire.get("_collection"):
        return PortContent(str(wire.get("item_type") or ""), list(wire.get("items") or []))
    return PortContent(_item(0, wire).type_name, [wire])


def _item(index: int, wire: Any) -> Item:
    fallback = f"item_{index}"
    if not isinstance(wire, dict) or not isinstance(wire.get("metadata"), dict):
        value = wire["_value"] if isinstance(wire, dict) and "_value" in wire else wire
        return Item(index, fallback, [], "object", _shortened(str(value)))
    metadata = wire["metadata"]
    chain = [str(name) for name in metadata.get("type_chain") or []]
    kind: ItemKind = next((KINDS[name] for name in reversed(chain) if name in KINDS), "object")
    return Item(index, _name(metadata) or fallback, chain, kind, _shortened(_summary(kind, metadata)))


def _name(metadata: dict[str, Any]) -> str:
    """The name a person knows the item by; see the block contract's rule of display names."""
    user, meta, framework = (metadata.get(part) or {} for part in ("user", "meta", "framework"))
    source = str(framework.get("source") or "")
    candidates = (
        user.get("display_name"),
        metadata.get("name"),
        _last_part(str(meta.get("source_file") or "")),
        _last_part(str(metadata.get("file_path") or "")),
        _last_part(source) if re.search(r"[/\\]", source) else "",
    )
    return next((str(name) for name in candidates if name), "")


def _last_part(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _summary(kind: ItemKind, metadata: dict[str, Any]) -> str:
    match kind:
        case "array":
            shape = " × ".join(str(n) for n in metadata.get("shape") or [])
            axes = ", ".join(str(axis) for axis in metadata.get("axes") or [])
            return f"{shape} {metadata.get('dtype') or ''}{f' ({axes})' if axes else ''}".strip()
        case "table":
            return _table_summary(metadata)
        case "text":
            return str(metadata.get("content") or metadata.get("format") or "")
        case "file":
            return str(metadata.get("mime_type") or metadata.get("description") or "")
        case "composite":
            return ", ".join(metadata.get("slots") or {})
        case _:
            return str(metadata.get("description") or "")


def _table_summary(metadata: dict[str, Any]) -> str:
    if "length" in metadata:
        return f"{_count(metadata['length'])} values"
    return f"{_count(metadata.get('row_count'))} rows × {len(metadata.get('columns') or [])} columns"


def _count(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else "?"


def _shortened(text: str) -> str:
    line = " ".join(text[: 4 * SUMMARY_LENGTH].split())
    return line if len(line) <= SUMMARY_LENGTH else f"{line[: SUMMARY_LENGTH - 1]}…"
