"""Checks of nodes and edges against what is known of their blocks."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scistudio_workflow.domain.catalog import BlockSpec, Catalog, Port
from scistudio_workflow.domain.config import line_of, settings_of
from scistudio_workflow.domain.flatten import Exposure, Graph
from scistudio_workflow.domain.graph_checks import line_of_edge
from scistudio_workflow.domain.model import SUBWORKFLOW, Edge, Mode, Node, Problem, error, warning
from scistudio_workflow.domain.ports import effective_ports

IsFile = Callable[[str], bool]


@dataclass(frozen=True)
class Bound:
    """A node with its block, its settings and the ports that it has with them."""

    node: Node
    spec: BlockSpec
    settings: Mapping[str, Any]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    def input(self, name: str) -> Port | None:
        """Return an input port."""
        return next((port for port in self.inputs if port.name == name), None)

    def output(self, name: str) -> Port | None:
        """Return an output port."""
        return next((port for port in self.outputs if port.name == name), None)


def bind(graph: Graph, catalog: Catalog) -> dict[str, Bound]:
    """Return the nodes whose block is known, by id."""
    bound = {}
    for node in graph.nodes:
        spec = None if node.block_type == SUBWORKFLOW else catalog.find(node.block_type)
        if spec is not None:
            settings = settings_of(node, spec)
            bound[node.id] = Bound(node, spec, settings, *effective_ports(spec, settings, catalog))
    return bound


def check_block_types(graph: Graph, catalog: Catalog, mode: Mode) -> Iterator[Problem]:
    """Each node must be of a known block: a run cannot do without, a draft may be waiting for it."""
    tell = error if mode is Mode.STRICT else warning
    for node in graph.nodes:
        if node.block_type != SUBWORKFLOW and catalog.find(node.block_type) is None:
            message = f"Node {node.id!r} has the block type {node.block_type!r}, which is not known."
            yield tell("block.unknown", message, node=node.id, line=node.line, hint=_where_it_may_be(node.block_type, catalog))


def _where_it_may_be(block_type: str, catalog: Catalog) -> str:
    similar = catalog.similar(block_type)
    hints = [f"Did you mean {' or '.join(repr(name) for name in similar)}?"] if similar else []
    hints += [f"{failure.file_path} could not be loaded ({failure.error_type}: {failure.message})." for failure in catalog.failures[:3]]
    return " ".join(hints) or "Install the package that brings the block, or put its file into the project's blocks folder."


def check_edges(graph: Graph, bound: Mapping[str, Bound], catalog: Catalog) -> Iterator[Problem]:
    """Both ends of an edge name ports, and the input accepts what the output gives."""
    for edge in graph.edges:
        start, end = bound.get(edge.source_node), bound.get(edge.target_node)
        out = start.output(edge.source_port) if start else None
        into = end.input(edge.target_port) if end else None
        if start and out is None:
            yield _no_such_port(edge, edge.source_node, edge.source_port, start.outputs, "output")
        if end and into is None:
            yield _no_such_port(edge, edge.target_node, edge.target_port, end.inputs, "input")
        if out and into and not catalog.are_compatible(out.accepted_types, into.accepted_types):
            yield error(
                "edge.type_mismatch",
                f"Edge {edge}: the output gives {' or '.join(out.accepted_types)}, the input accepts {' or '.join(into.accepted_types)}.",
                node=edge.target_node,
                port=edge.target_port,
                line=line_of_edge(edge),
                hint="Connect another port, or put a block between them that converts.",
            )


def _no_such_port(edge: Edge, node: str, port: str, ports: tuple[Port, ...], kind: str) -> Problem:
    names = [known.name for known in ports]
    near = difflib.get_close_matches(port, names, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Its {kind}s are: {', '.join(names) or 'none'}."
    message = f"Edge {edge}: node {node!r} has no {kind} {port!r}."
    return warning("edge.unknown_port", message, node=node, port=port, line=line_of_edge(edge), hint=hint)


def check_exposures(exposures: tuple[Exposure, ...], bound: Mapping[str, Bound]) -> Iterator[Problem]:
    """A port that a subworkflow exposes must exist in it."""
    for exposure in exposures:
        inner = bound.get(exposure.node)
        if inner and (inner.input if exposure.is_input else inner.output)(exposure.port) is None:
            kind = "input" if exposure.is_input else "output"
            yield error(
                "exposed.broken",
                f"Edge {exposure.edge}: the exposed port of {exposure.source} stands for {exposure.node}.{exposure.port}, "
                f"and block {inner.spec.type_name!r} has no such {kind}.",
                node=exposure.node,
                port=exposure.port,
                hint="Correct `internal` in the exposed_ports of that file.",
            )


def check_inputs_connected(graph: Graph, bound: Mapping[str, Bound]) -> Iterator[Problem]:
    """Each required input has an edge through which data can come."""
    incoming = {(edge.target_node, edge.target_port): edge for edge in graph.edges}
    for node_id, node in bound.items():
        for port in node.inputs:
            edge = incoming.get((node_id, port.name))
            if port.required and (edge is None or _brings_nothing(edge, bound)):
                came = f": its edge comes from {edge.start}, which is no output" if edge else ""
                yield error(
                    "port.unconnected",
                    f"Node {node_id!r}: the required input {port.name!r} is not connected{came}.",
                    node=node_id,
                    port=port.name,
                    line=node.node.line,
                    hint="Connect an output to it.",
                )


def _brings_nothing(edge: Edge, bound: Mapping[str, Bound]) -> bool:
    start = bound.get(edge.source_node)
    return start is not None and start.output(edge.source_port) is None


def check_port_counts(bound: Mapping[str, Bound]) -> Iterator[Problem]:
    """A block with a variable number of ports stays within its limits."""
    for node_id, node in bound.items():
        spec = node.spec
        counts = (
            (spec.variadic_inputs, "input", len(node.inputs), spec.min_input_ports, spec.max_input_ports),
            (spec.variadic_outputs, "output", len(node.outputs), spec.min_output_ports, spec.max_output_ports),
        )
        for is_variadic, kind, count, least, most in counts:
            limit = _limit_broken(count, least, most) if is_variadic else None
            if limit is not None:
                message = f"Node {node_id!r}: Variadic {kind} port count {count} {limit}."
                hint = f"Change the block's {kind}_ports."
                yield error("port.count", message, node=node_id, line=line_of(node.node, [f"{kind}_ports"]), hint=hint)


def _limit_broken(count: int, least: int | None, most: int | None) -> str | None:
    if least is not None and count < least:
        return f"is below minimum {least}"
    return f"exceeds maximum {most}" if most is not None and count > most else None


def check_extensions(bound: Mapping[str, Bound]) -> Iterator[Problem]:
    """Outputs that are told apart by their file extension need different ones."""
    for node_id, node in bound.items():
        if not node.spec.variadic_outputs:
            continue
        extensions = Counter(extension for extension, _ in boundary_ports(node.settings, "output"))
        for extension, count in extensions.items():
            if count > 1:
                yield error(
                    "port.duplicate_extension",
                    f"Node {node_id!r}: {count} outputs have the extension {extension!r}, so that no file can be matched to its port.",
                    node=node_id,
                    line=line_of(node.node, ["output_ports"]),
                    hint="Give each output an extension of its own.",
                )


def boundary_ports(settings: Mapping[str, Any], direction: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Extension and types of each port whose data crosses as a file, each port once."""
    seen: set[Any] = set()
    for key in (f"{direction}_ports", f"{direction}s"):
        entries = settings.get(key)
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, Mapping) and isinstance(extension := entry.get("extension"), str) and extension.strip(". "):
                types = entry.get("types", entry.get("data_type"))
                name = entry.get("name")
                if not isinstance(name, str) or name not in seen:
                    yield "." + extension.strip().lstrip(".").lower(), _names(types)
                seen.add(name if isinstance(name, str) else None)


def _names(types: Any) -> tuple[str, ...]:
    listed = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    return tuple(name for name in listed if isinstance(name, str))
