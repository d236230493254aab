"""Checks of a graph that need no knowledge of its blocks."""

from __future__ import annotations

import difflib
import graphlib
from collections import Counter
from collections.abc import Iterator

from scistudio_workflow.domain.flatten import Graph
from scistudio_workflow.domain.model import Edge, Problem, error

ID_LIMIT_BYTES = 200
UNSAFE_IN_IDS = "/\\\0"


def check_graph(graph: Graph) -> Iterator[Problem]:
    """Ids, ends of edges, inputs with two edges, and cycles."""
    yield from _duplicate_ids(graph)
    yield from _unusable_ids(graph)
    yield from _unknown_nodes(graph)
    yield from _crowded_inputs(graph)
    yield from _cycle(graph)


def _duplicate_ids(graph: Graph) -> Iterator[Problem]:
    for node_id, count in Counter(node.id for node in graph.nodes).items():
        if count > 1:
            nodes = [node for node in graph.nodes if node.id == node_id]
            places = " and ".join(f"{node.source or 'line'} {node.line}" for node in nodes if node.line)
            yield error(
                "node.duplicate_id",
                f"{'Two' if count == 2 else count} nodes have the id {node_id!r}" + (f" ({places})." if places else "."),
                node=node_id,
                line=0 if nodes[-1].source else nodes[-1].line,
                hint="Give each node an id of its own, and adjust the edges.",
            )


def _unusable_ids(graph: Graph) -> Iterator[Problem]:
    """Ids name folders and log files of a run."""
    for node in graph.nodes:
        if (reason := _reason_against_id(node.id)) is not None:
            yield error(
                "node.unusable_id",
                f"The node id {node.id[:100]!r} {reason}: outputs and logs of the node are stored under its id.",
                node=node.id,
                line=node.line,
                hint="Use letters, digits, `_` and `-`.",
            )


def _reason_against_id(node_id: str) -> str | None:
    if any(character in UNSAFE_IN_IDS or ord(character) < 32 or ord(character) == 127 for character in node_id):
        return "holds a slash, a backslash or a control character"
    if node_id in (".", "..") or node_id != node_id.strip():
        return "is a dot, or starts or ends with a space"
    if len(node_id.encode()) > ID_LIMIT_BYTES:
        return f"is longer than {ID_LIMIT_BYTES} bytes"
    return None


def _unknown_nodes(graph: Graph) -> Iterator[Problem]:
    ids = {node.id for node in graph.nodes}
    for edge in graph.edges:
        for verb, node_id in (("starts", edge.source_node), ("ends", edge.target_node)):
            if node_id not in ids:
                near = difflib.get_close_matches(node_id, ids, n=1)
                yield error(
                    "edge.unknown_node",
                    f"Edge {edge} {verb} at node {node_id!r}, which the workflow does not have.",
                    node=node_id,
                    line=line_of_edge(edge),
                    hint=f"Did you mean {near[0]!r}?" if near else "Add the node, or remove the edge.",
                )


def _crowded_inputs(graph: Graph) -> Iterator[Problem]:
    first: dict[str, Edge] = {}
    for edge in graph.edges:
        other = first.setdefault(edge.end, edge)
        if other is edge:
            continue
        same = edge == other
        yield error(
            "edge.duplicate" if same else "edge.input_taken",
            f"The edge {edge} stands twice." if same else f"Two edges end at {edge.end}: from {other.start} and from {edge.start}.",
            node=edge.target_node,
            port=edge.target_port,
            line=line_of_edge(edge),
            hint="Remove one of them." if same else "An input takes one edge: remove one, or merge the data in a block before it.",
        )


def _cycle(graph: Graph) -> Iterator[Problem]:
    try:
        predecessors: dict[str, list[str]] = {}
        for edge in graph.edges:
            predecessors.setdefault(edge.target_node, []).append(edge.source_node)
        graphlib.TopologicalSorter(predecessors).prepare()
    except graphlib.CycleError as found:
        circle = _from_the_first(found.args[1], graph)
        last = next(edge for edge in graph.edges if (edge.source_node, edge.target_node) == (circle[-2], circle[-1]))
        yield error(
            "graph.cycle",
            f"The edges form a cycle: {' → '.join(circle)}.",
            node=circle[0],
            line=line_of_edge(last),
            hint="Remove one of these edges: a block can only run when its inputs exist.",
        )


def _from_the_first(circle: list[str], graph: Graph) -> list[str]:
    """The same circle, told from the node that comes first in the file."""
    order = {node.id: place for place, node in reversed(list(enumerate(graph.nodes)))}
    start = min(range(len(circle) - 1), key=lambda place: order.get(circle[place], len(order)))
    return [*circle[start:-1], *circle[: start + 1]]


def line_of_edge(edge: Edge) -> int:
    """Return the line of an edge in the workflow's own file; 0 for an edge of a subworkflow."""
    return 0 if edge.source else edge.line
