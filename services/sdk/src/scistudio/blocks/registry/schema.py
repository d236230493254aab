"""The configuration schema of a block, merged from its base classes."""

from __future__ import annotations

from typing import Any

from scistudio.blocks.io.io_block import IOBlock


def _merge_config_schema(cls: type) -> dict[str, Any]:
    """Return the JSON Schema that the form of ``cls`` is made from; block packages call it by this name.

    Properties are united along the base classes, the more derived class wins; ``required`` is concatenated.
    """
    merged: dict[str, Any] = {"type": "object"}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for base in reversed(cls.__mro__):
        own = base.__dict__.get("config_schema")
        if not isinstance(own, dict):
            continue
        merged |= {key: value for key, value in own.items() if key not in ("properties", "required")}
        properties |= own.get("properties") or {}
        required += own.get("required") or []
    if _writes_to_inherited_path(cls):
        properties["path"] = {"type": "string", "title": "Path", "ui_priority": 0, "ui_widget": "directory_browser"}
    merged["properties"] = properties
    if required:
        merged["required"] = list(dict.fromkeys(required))
    return merged


def _writes_to_inherited_path(cls: type) -> bool:
    """Tell whether a saver leaves ``path`` to ``IOBlock``, whose field picks existing files."""
    if not issubclass(cls, IOBlock) or cls.direction != "output":
        return False
    own = cls.__dict__.get("config_schema") or {}
    return "path" not in (own.get("properties") or {})


def fill_defaults(config: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``config`` with the schema's defaults for what it leaves out, flat or under ``params``."""
    params = config.get("params")
    given = {**config, **(params if isinstance(params, dict) else {})}
    defaults = {
        key: field["default"]
        for key, field in schema.get("properties", {}).items()
        if isinstance(field, dict) and "default" in field and key not in given
    }
    return {**config, **defaults}


def missing_fields(config: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Return the required fields that ``config`` holds nowhere, or as null, and that have no default."""
    params = config.get("params")
    given = {**config, **(params if isinstance(params, dict) else {})}
    properties = schema.get("properties", {})
    return [key for key in schema.get("required", []) if given.get(key) is None and "default" not in properties.get(key, {})]
