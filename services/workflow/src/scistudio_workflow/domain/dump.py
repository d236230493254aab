"""Workflows as YAML text, in the order of keys that the file format documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from scistudio_workflow.domain.model import ExposedPort, Node, Workflow


class _Dumper(yaml.CSafeDumper):
    """Quotes what either version of YAML would take for something else than text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write every value out: aliases are for people."""
        return True


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9.]+[eE][-+]?[0-9]+\Z"), list("-+.0123456789"))
_Dumper.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"0[xo][0-9a-fA-F]+\Z"), ["0"])
_Dumper.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"[yYnN]\Z"), list("yYnN"))


def dump_workflow(workflow: Workflow) -> str:
    """Return the text of a workflow file."""
    return dump_document({"workflow": as_document(workflow)})


def dump_document(document: Mapping[str, Any]) -> str:
    """Return any document of plain values as YAML."""
    return yaml.dump(_plain(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=10_000)


def as_document(workflow: Workflow) -> dict[str, Any]:
    """Return the plain values of a workflow, as they stand in its file."""
    document: dict[str, Any] = {
        "id": workflow.id,
        "version": workflow.version,
        "description": workflow.description,
        "nodes": [_node(node) for node in workflow.nodes],
        "edges": [{"source": edge.start, "target": edge.end} for edge in workflow.edges],
        "metadata": workflow.metadata,
    }
    if workflow.has_exposed_ports:
        document["exposed_ports"] = {"inputs": _exposed(workflow.exposed_inputs), "outputs": _exposed(workflow.exposed_outputs)}
    return document


def _node(node: Node) -> dict[str, Any]:
    document: dict[str, Any] = {"id": node.id, "block_type": node.block_type, "config": node.config}
    if node.execution_mode:
        document["execution_mode"] = node.execution_mode
    if node.layout is not None:
        document["layout"] = node.layout
    return document


def _exposed(ports: Sequence[ExposedPort]) -> list[dict[str, str]]:
    return [{"name": port.name, "internal": f"{port.node}.{port.port}"} for port in ports]


def _plain(value: Any) -> Any:
    """The same value of the plain classes, which the dumper knows."""
    match value:
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case str():
            return value
        case Sequence():
            return [_plain(item) for item in value]
        case _:
            return value
