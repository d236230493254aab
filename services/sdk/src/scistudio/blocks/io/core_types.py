"""What Load and Save have in common: the type that a node is set to, and ports that follow it."""

from __future__ import annotations

from typing import Any

from scistudio.blocks.base.config import BlockConfig
from scistudio.blocks.base.ports import resolve_type
from scistudio.blocks.io.formats.catalog import CORE_TYPES
from scistudio.core.types.base import DataObject

DEFAULT_TYPE = "DataFrame"
CORE_TYPE_FIELD: dict[str, Any] = {
    "type": "string",
    "enum": list(CORE_TYPES),
    "default": DEFAULT_TYPE,
    "title": "Type of the data",
    "ui_priority": 1,
}
OPTION_FIELDS: dict[str, Any] = {
    "delimiter": {"type": "string", "title": "Delimiter", "description": "Between the cells of a CSV; found out by default."},
    "encoding": {"type": "string", "title": "Encoding", "description": "Of a text file; UTF-8 by default."},
    "format": {"type": "string", "title": "Format", "description": "Format id, where the extension does not say it."},
    "capability_id": {"type": "string", "title": "Reader or writer", "description": "Which one, where several fit."},
}


def dynamic_ports(mapping: str) -> dict[str, Any]:
    """Return the descriptor by which a page lets the port ``data`` follow ``core_type``."""
    return {"source_config_key": "core_type", mapping: {"data": {name: [name] for name in CORE_TYPES}}}


def type_name_of(config: BlockConfig) -> str:
    """Return the name of the type that a node is set to."""
    return str(config.get("core_type") or DEFAULT_TYPE)


def type_of(config: BlockConfig) -> type[DataObject]:
    """Return the type that a node is set to.

    Raises
    ------
    ValueError
        Nobody knows it.
    """
    name = type_name_of(config)
    known = CORE_TYPES.get(name) or resolve_type(name)
    if known is None:
        raise ValueError(f"Unknown core_type: {name}. Core types are {list(CORE_TYPES)}; others come with packages and the project.")
    return known


def port_type_of(config: BlockConfig) -> type[DataObject]:
    """Return the type for a port: ``DataObject`` for one that nobody knows, which fails when the block runs."""
    name = type_name_of(config)
    return CORE_TYPES.get(name) or resolve_type(name) or DataObject


def is_core(data_type: type) -> bool:
    """Tell whether Load and Save know the type's formats themselves."""
    return CORE_TYPES.get(data_type.__name__) is data_type
