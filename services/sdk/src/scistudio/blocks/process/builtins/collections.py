"""Merging, splitting, filtering and slicing Collections, item by item; no item is read."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any, ClassVar

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.items import display_name
from scistudio.blocks.base.ports import InputPort, OutputPort
from scistudio.blocks.process.process_block import ProcessBlock
from scistudio.core.types.base import DataObject
from scistudio.core.types.collection import Collection

logger = logging.getLogger(__name__)


def _data_input() -> list[InputPort]:
    return [InputPort(name="data", accepted_types=[DataObject], is_collection=True)]


def _output(name: str, description: str) -> OutputPort:
    return OutputPort(name=name, accepted_types=[DataObject], is_collection=True, description=description)


def _collection(inputs: dict[str, Any], port: str, block: str) -> Collection:
    """Return what came on ``port``, which must be a Collection."""
    value = inputs.get(port)
    if not isinstance(value, Collection):
        raise TypeError(f"{block} requires Collection inputs; port '{port}' is not a Collection")
    return value


class MergeCollection(ProcessBlock):
    """Join Collections into one, in the order of the ports."""

    name: ClassVar[str] = "Merge Collection"
    subcategory: ClassVar[str] = "routing"
    ui_icon: ClassVar[str | None] = "merge:90"
    ui_color: ClassVar[str | None] = "#a8e0d3"
    variadic_inputs: ClassVar[bool] = True
    min_input_ports: ClassVar[int | None] = 2
    max_input_ports: ClassVar[int | None] = 8
    input_ports: ClassVar[list[InputPort]] = [
        InputPort(name="input_1", accepted_types=[DataObject], is_collection=True),
        InputPort(name="input_2", accepted_types=[DataObject], is_collection=True),
    ]
    output_ports: ClassVar[list[OutputPort]] = [_output("output", "All items")]

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return all items; their type is the nearest that they have in common."""
        declared = [port.name for port in self.get_effective_input_ports()]
        names = [name for name in declared if inputs.get(name) is not None]
        names += [name for name in inputs if name not in declared and inputs[name] is not None]
        if not names:
            raise ValueError("MergeCollection requires at least one connected input Collection")
        collections = [_collection(inputs, name, "MergeCollection") for name in names]
        item_type = collections[0].item_type
        for name, collection in zip(names[1:], collections[1:], strict=True):
            item_type = _shared_type(item_type, collection.item_type, name)
        return {"output": Collection([item for collection in collections for item in collection], item_type=item_type)}


def _shared_type(left: type, right: type, port: str) -> type:
    """Return the nearest common ancestor; ``DataObject`` alone is none, unless it is what one side holds."""
    shared = next((base for base in left.__mro__ if issubclass(right, base)), DataObject)
    if shared is DataObject and DataObject not in (left, right):
        raise TypeError(f"Cannot merge Collections with different item types: {left.__name__} vs {right.__name__} (port '{port}')")
    return shared


class SplitCollection(ProcessBlock):
    """Split a Collection in two: the first items, a share of them, or every n-th; order is kept."""

    name: ClassVar[str] = "Split Collection"
    subcategory: ClassVar[str] = "routing"
    ui_icon: ClassVar[str | None] = "split:90"
    input_ports: ClassVar[list[InputPort]] = _data_input()
    output_ports: ClassVar[list[OutputPort]] = [_output("out", "The chosen items"), _output("remainder", "The others")]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "enum": ["head", "ratio", "every"], "default": "head", "title": "Mode", "ui_priority": 0},
            "n": {"type": "integer", "minimum": 0, "default": 1, "title": "n", "description": "Items of head; step of every."},
            "ratio": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "title": "Share"},
        },
    }

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return the chosen items and the others."""
        data = _collection(inputs, "data", "SplitCollection")
        is_chosen = _choice(config, len(data))
        return _two_ways(data, [is_chosen(index) for index in range(len(data))])


def _choice(config: BlockConfig, n_items: int) -> Callable[[int], bool]:
    """Return the rule by which the item of an index is chosen."""
    mode, n, ratio = config.get("mode", "head"), int(config.get("n", 1)), float(config.get("ratio", 0.5))
    if n < 0 or (mode == "every" and n < 1):
        raise ValueError(f"SplitCollection: n must be at least {1 if mode == 'every' else 0}, got {n}.")
    if not 0 <= ratio <= 1:
        raise ValueError(f"SplitCollection: ratio must lie between 0 and 1, got {ratio}.")
    match mode:
        case "head":
            return lambda index: index < n
        case "ratio":
            return lambda index: index < int(n_items * ratio)
        case "every":
            return lambda index: index % n == 0
    raise ValueError(f"Unknown split mode: {mode}")


def _two_ways(data: Collection, chosen: list[bool]) -> dict[str, Any]:
    kept = [item for item, take in zip(data, chosen, strict=True) if take]
    others = [item for item, take in zip(data, chosen, strict=True) if not take]
    return {"out": Collection(kept, item_type=data.item_type), "remainder": Collection(others, item_type=data.item_type)}


class FilterCollection(ProcessBlock):
    """Keep the items whose metadata fulfil a condition."""

    name: ClassVar[str] = "Filter Collection"
    subcategory: ClassVar[str] = "routing"
    ui_icon: ClassVar[str | None] = "filter"
    input_ports: ClassVar[list[InputPort]] = _data_input()
    output_ports: ClassVar[list[OutputPort]] = [_output("out", "The items that fit"), _output("remainder", "The others")]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "field": {
                "type": "string",
                "title": "Field",
                "description": "name, framework.source, user.<key> or meta.<field>",
                "ui_priority": 0,
            },
            "op": {
                "type": "string",
                "enum": ["eq", "ne", "lt", "le", "gt", "ge", "contains", "regex", "in"],
                "default": "eq",
                "title": "Comparison",
                "ui_priority": 1,
            },
            "value": {"title": "Value", "ui_priority": 2},
        },
        "required": ["field", "value"],
    }

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return the items that fit, and the others; an item without the field does not fit."""
        data = _collection(inputs, "data", "FilterCollection")
        field, op, wanted = config.get("field"), config.get("op", "eq"), config.get("value")
        if not field:
            raise ValueError("FilterCollection requires a 'field'.")
        if op not in COMPARISONS:
            raise ValueError(f"Unknown comparison: {op}; known are {list(COMPARISONS)}.")
        return _two_ways(data, [_fits(index, item, str(field), op, wanted) for index, item in enumerate(data)])


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda found, wanted: bool(found == wanted),
    "ne": lambda found, wanted: bool(found != wanted),
    "lt": lambda found, wanted: bool(found < wanted),
    "le": lambda found, wanted: bool(found <= wanted),
    "gt": lambda found, wanted: bool(found > wanted),
    "ge": lambda found, wanted: bool(found >= wanted),
    "contains": lambda found, wanted: wanted in found,
    "regex": lambda found, wanted: re.search(str(wanted), str(found)) is not None,
    "in": lambda found, wanted: found in wanted,
}


def _fits(index: int, item: Any, field: str, op: str, wanted: Any) -> bool:
    found = field_value(item, field)
    if found is None:
        logger.info("Item %d (%s) has no field '%s': it does not match.", index, display_name(item) or type(item).__name__, field)
        return False
    try:
        return COMPARISONS[op](found, wanted)
    except TypeError as error:
        raise ValueError(f"Field '{field}' of item {index} is {found!r}, which cannot be compared with {wanted!r} by '{op}'.") from error


def field_value(item: Any, field: str) -> Any:
    """Return the metadata that ``field`` names, or ``None``: ``name``, or a path from user, meta or framework."""
    if field == "name":
        return display_name(item) or None
    root, *parts = field.split(".")
    if root not in ("user", "meta", "framework") or not parts:
        raise ValueError(f"Unknown field '{field}': use name, framework.<field>, user.<key> or meta.<field>.")
    value = getattr(item, root)
    for part in parts:
        value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
    return value


class SliceCollection(ProcessBlock):
    """Take a range of items, by Python's rules for slices."""

    name: ClassVar[str] = "Slice Collection"
    subcategory: ClassVar[str] = "routing"
    ui_icon: ClassVar[str | None] = "scissors"
    input_ports: ClassVar[list[InputPort]] = _data_input()
    output_ports: ClassVar[list[OutputPort]] = [_output("out", "The items of the range")]
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "start": {"type": ["integer", "null"], "title": "From", "ui_priority": 0},
            "stop": {"type": ["integer", "null"], "title": "To (exclusive)", "ui_priority": 1},
            "step": {"type": ["integer", "null"], "title": "Step", "ui_priority": 2},
        },
    }

    def run(self, inputs: dict[str, Any], config: BlockConfig) -> dict[str, Any]:
        """Return the items of the range; there may be none."""
        data = _collection(inputs, "data", "SliceCollection")
        if config.get("step") == 0:
            raise ValueError("SliceCollection: step must not be 0.")
        chosen = slice(config.get("start"), config.get("stop"), config.get("step"))
        return {"out": Collection(data[chosen], item_type=data.item_type)}
