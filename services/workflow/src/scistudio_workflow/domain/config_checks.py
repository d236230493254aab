"""What is wrong with a node's configuration, measured against its block's JSON schema."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema_rs

from scistudio_workflow.domain.catalog import BlockSpec, Catalog
from scistudio_workflow.domain.config import PATH_WIDGETS, is_free, line_of, path_settings
from scistudio_workflow.domain.model import Mode, Node, Problem, error, warning

PORT_KEYS = ("input_ports", "output_ports")
SHOWN_CHARACTERS = 80
_NAMES = {"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list"}
_NAMES |= {"object": "a mapping", "null": "nothing"}


class ConfigChecker:
    """Checks configurations; compiles each block's schema once."""

    def __init__(self, catalog: Catalog, mode: Mode) -> None:
        self._catalog, self._mode = catalog, mode
        self._validators: dict[str, jsonschema_rs.Validator | Problem] = {}

    def check(self, node: Node, spec: BlockSpec, settings: Mapping[str, Any]) -> Iterator[Problem]:
        """Say what is wrong with a node's settings: node, key, value, and what was expected."""
        given = {key: value for key, value in settings.items() if value is not None and not _is_port_list(key, spec)}
        yield from _unmerged_params(node, spec, given)
        if self._mode is Mode.STRICT:
            yield from _missing(node, spec, given)
        yield from _leaving_the_project(node, spec, given)
        yield from _probably_misspelled(node, spec, given)
        validator = self._validator(spec)
        if isinstance(validator, Problem):
            yield validator
            return
        for fault in validator.iter_errors(given):
            if not self._is_told_elsewhere(fault) and not self._is_known_type(spec, fault):
                yield _explained(node, spec, fault)

    def _validator(self, spec: BlockSpec) -> jsonschema_rs.Validator | Problem:
        if spec.type_name not in self._validators:
            self._validators[spec.type_name] = _compile(spec)
        return self._validators[spec.type_name]

    def _is_told_elsewhere(self, fault: jsonschema_rs.ValidationError) -> bool:
        """Missing settings are told together, and not of a draft."""
        return fault.kind.name == "required" and (self._mode is Mode.DRAFT or not fault.instance_path)

    def _is_known_type(self, spec: BlockSpec, fault: jsonschema_rs.ValidationError) -> bool:
        """Types of packages may stand where the schema lists only those of the core."""
        return (
            fault.kind.name == "enum"
            and fault.instance_path == [spec.dynamic_ports.get("source_config_key")]
            and isinstance(fault.instance, str)
            and self._catalog.knows_type(fault.instance)
        )


def _compile(spec: BlockSpec) -> jsonschema_rs.Validator | Problem:
    try:
        return jsonschema_rs.validator_for(spec.config_schema, retriever=_refuse_retrieval)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as fault:
        return warning("block.bad_schema", f"The config schema of block {spec.type_name!r} is not valid: {str(fault).splitlines()[0]}.")


def _refuse_retrieval(uri: str) -> Any:
    """A schema must be complete: checking a workflow fetches nothing."""
    raise ValueError(f"it refers to {uri}")


def _is_port_list(key: str, spec: BlockSpec) -> bool:
    return key in PORT_KEYS and key not in spec.properties


def _unmerged_params(node: Node, spec: BlockSpec, given: Mapping[str, Any]) -> Iterator[Problem]:
    if "params" in given and "params" not in spec.properties:
        message = f"Node {node.id!r}: params is {_shown(given['params'])}, where a mapping of settings is expected."
        yield error("config.invalid", message, node=node.id, line=line_of(node, ["params"]), hint="Write `key: value` lines below it.")


def _missing(node: Node, spec: BlockSpec, given: Mapping[str, Any]) -> Iterator[Problem]:
    required = spec.config_schema.get("required")
    absent = [key for key in required if _is_absent(key, spec, given)] if isinstance(required, list) else []
    if absent:
        yield error(
            "config.missing",
            f"Block '{node.id}' config is missing required field(s): {', '.join(absent)}.",
            node=node.id,
            line=node.line,
            hint="Set " + ("it" if len(absent) == 1 else "them") + " in the block's settings.",
        )


def _is_absent(key: str, spec: BlockSpec, given: Mapping[str, Any]) -> bool:
    schema = spec.properties.get(key)
    rules = schema if isinstance(schema, Mapping) else {}
    if key not in given:
        return rules.get("default") is None
    return given[key] in ("", []) and rules.get("ui_widget") in PATH_WIDGETS


def _probably_misspelled(node: Node, spec: BlockSpec, given: Mapping[str, Any]) -> Iterator[Problem]:
    if spec.config_schema.get("additionalProperties") is False:
        return  # the schema itself refuses it
    for key in given.keys() - spec.properties.keys():
        near = difflib.get_close_matches(key, spec.properties.keys() - given.keys(), n=1, cutoff=0.8)
        if near:
            yield warning(
                "config.unknown_key",
                f"Node {node.id!r}: block {spec.type_name!r} has no setting {key!r}.",
                node=node.id,
                line=line_of(node, [key]),
                hint=f"Did you mean {near[0]!r}?",
            )


def _explained(node: Node, spec: BlockSpec, fault: jsonschema_rs.ValidationError) -> Problem:
    path = list(fault.instance_path)
    place, (expected, hint) = _place(path), _expectation(fault, spec)
    subject = (
        f"{place} is {_shown(fault.instance)}, where {expected} is expected"
        if expected
        else f"{place or 'the configuration'}: {fault.message}"
    )
    return error("config.invalid", f"Node {node.id!r}: {subject}.", node=node.id, line=line_of(node, path), hint=hint)


def _expectation(fault: jsonschema_rs.ValidationError, spec: BlockSpec) -> tuple[str, str]:
    """What a schema wanted, in words, and a hint."""
    kind: Any = fault.kind
    match kind.name:
        case "type":
            return " or ".join(_NAMES.get(name, name) for name in kind.types), ""
        case "enum":
            options = ", ".join(_shown(option) for option in kind.options)
            near = difflib.get_close_matches(str(fault.instance), [str(option) for option in kind.options], n=1)
            return f"one of {options}", f"Did you mean {near[0]!r}?" if near else ""
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            bound = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most", "exclusiveMaximum": "less than"}[
                kind.name
            ]
            return f"a number of {bound} {kind.limit:g}", ""
        case "additionalProperties":
            return "", f"The block's settings are: {', '.join(sorted(spec.properties)) or 'none'}."
        case _:
            return "", ""


def _place(path: Sequence[str | int]) -> str:
    """A setting's name: ``outputs[0].extension``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def _leaving_the_project(node: Node, spec: BlockSpec, given: Mapping[str, Any]) -> Iterator[Problem]:
    for key in path_settings(spec):
        value = given.get(key)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, str) and leaves_project(path):
                yield error(
                    "config.path_outside",
                    f"Node {node.id!r}: {key} is {_shown(path)}, which leaves the project folder.",
                    node=node.id,
                    line=line_of(node, [key]),
                    hint="Put the file into the project, or give its absolute path.",
                )


def leaves_project(path: str) -> bool:
    """Say whether a path of a setting is relative and leads out of the project folder, or can be no path."""
    if "\0" in path:
        return True
    if is_free(path):
        return False
    return ".." in posixpath.normpath(path.replace("\\", "/")).split("/")
