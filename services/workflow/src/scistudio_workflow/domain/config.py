"""A node's configuration as its block's schema types it, and what a run is given."""

from __future__ import annotations

import copy
import math
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scistudio_workflow.domain.catalog import BlockSpec
from scistudio_workflow.domain.document import Listed, Mapped
from scistudio_workflow.domain.model import Node
from scistudio_workflow.domain.scalars import YES_AND_NO

PATH_WIDGETS = ("file_browser", "directory_browser")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def settings_of(node: Node, spec: BlockSpec) -> dict[str, Any]:
    """Return a node's settings as its block reads them: ``params`` merged over the others, and values as the schema types them."""
    config = node.config
    params = config.get("params")
    if "params" in config and "params" not in spec.properties and isinstance(params, Mapping | None):
        flat = _typed_mapping({key: value for key, value in config.items() if key != "params"}, spec.config_schema, _texts(config))
        return flat | _typed_mapping(params or {}, spec.config_schema, _texts(params))
    return _typed_mapping(config, spec.config_schema, _texts(config))


def _texts(value: Any) -> Mapping[Any, str]:
    return value.texts if isinstance(value, Mapped | Listed) else {}


def _typed_mapping(values: Mapping[str, Any], schema: Any, texts: Mapping[Any, str]) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    known = properties if isinstance(properties, Mapping) else {}
    return {key: _typed(value, known.get(key), texts.get(key)) for key, value in values.items()}


def _typed(value: Any, schema: Any, text: str | None) -> Any:
    """A value as a schema wants it: ``1.10`` stays text where text is expected, and ``yes`` is true where a truth value is."""
    rules = schema if isinstance(schema, Mapping) else {}
    if isinstance(value, Mapping):
        return _typed_mapping(value, rules, _texts(value))
    if isinstance(value, list):
        return [_typed(item, rules.get("items"), _texts(value).get(index)) for index, item in enumerate(value)]
    if text is None or value is None:
        return value
    types = _types_of(rules)
    if types == {"boolean"}:
        return YES_AND_NO.get(text.lower(), value)
    wants_text = "string" in types if types else text in (rules.get("enum") or ())
    return text if wants_text and not _has_type(value, types) else value


def _types_of(schema: Mapping[str, Any]) -> set[str]:
    types = schema.get("type")
    return {types} if isinstance(types, str) else set(types) if isinstance(types, list) else set()


def _has_type(value: Any, types: set[str]) -> bool:
    match value:
        case bool():
            return "boolean" in types
        case int():
            return bool(types & {"integer", "number"})
        case float():
            return "number" in types
        case _:
            return False


def line_of(node: Node, path: Sequence[str | int]) -> int:
    """Return the line of a setting in the workflow's own file, as near as it is known; 0 for a node of a subworkflow."""
    value: Any = node.config
    line = node.line
    if path and isinstance(params := node.config.get("params"), Mapped) and path[0] in params:
        value = params
    for part in path:
        if isinstance(value, Mapped) and part in value.lines:
            value, line = value[str(part)], value.lines[str(part)]
        elif isinstance(value, Listed) and isinstance(part, int) and part < len(value):
            value, line = value[part], value.lines[part]
        else:
            break
    return 0 if node.source else line


def path_settings(spec: BlockSpec) -> list[str]:
    """Return the settings whose values are files or folders."""
    return [key for key, rules in spec.properties.items() if isinstance(rules, Mapping) and rules.get("ui_widget") in PATH_WIDGETS]


def is_free(path: str) -> bool:
    """Data may lie anywhere, when the path says so: absolute, or an address."""
    return path.startswith("/") or _URI.match(path) is not None


def resolved(spec: BlockSpec, settings: Mapping[str, Any], project_dir: str) -> dict[str, Any]:
    """Return what a run is given: settings, the schema's defaults for those that are missing, and absolute paths."""
    config = {key: value for key, value in settings.items() if value is not None or _may_be_null(spec.properties.get(key))}
    for key, rules in spec.properties.items():
        if key not in config and _has_default(rules):
            config[key] = copy.deepcopy(rules["default"])
    for key in path_settings(spec):
        config |= {key: _absolute(config[key], project_dir)} if key in config else {}
    return config


def _may_be_null(rules: Any) -> bool:
    """Whether an empty value is one; elsewhere it means that the setting is left to its default."""
    return not isinstance(rules, Mapping) or "null" in _types_of(rules)


def _has_default(rules: Any) -> bool:
    """Whether there is a default that JSON can carry; a block knows its own infinities."""
    default = rules.get("default") if isinstance(rules, Mapping) else None
    return default is not None and not (isinstance(default, float) and not math.isfinite(default))


def _absolute(value: Any, project_dir: str) -> Any:
    if isinstance(value, list):
        return [_absolute(item, project_dir) for item in value]
    if not isinstance(value, str) or not value or is_free(value):
        return value
    return posixpath.join(project_dir, posixpath.normpath(value))
