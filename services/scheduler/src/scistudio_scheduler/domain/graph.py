"""The flattened graph of a run: nodes, edges, and which inputs a node cannot do without."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scistudio_platform.ids import NodeId


@dataclass(frozen=True, slots=True)
class Edge:
    """From an output port of one node to an input port of another."""

    source_node: NodeId
    source_port: str
    target_node: NodeId
    target_port: str


class Graph:
    """Edges by their ends. Validation has already refused cycles and two edges into one port.

    Parameters
    ----------
    required : mapping
        Of every node, in the order of the workflow, to the input ports that it cannot run without.
    edges : iterable of Edge
        Between those nodes.
    """

    def __init__(self, required: Mapping[NodeId, frozenset[str]], edges: Iterable[Edge]) -> None:
        self._required = required
        self.nodes: tuple[NodeId, ...] = tuple(required)
        self._inputs: defaultdict[NodeId, list[Edge]] = defaultdict(list)
        self._successors: defaultdict[NodeId, dict[NodeId, None]] = defaultdict(dict)
        for edge in edges:
            self._inputs[edge.target_node].append(edge)
            self._successors[edge.source_node][edge.target_node] = None

    def inputs(self, node: NodeId) -> tuple[Edge, ...]:
        """Return the edges that end at ``node``."""
        return tuple(self._inputs.get(node, ()))

    def successors(self, node: NodeId) -> tuple[NodeId, ...]:
        """Return the nodes that something leads to from ``node``, each once."""
        return tuple(self._successors.get(node, ()))

    def is_required(self, edge: Edge) -> bool:
        """Whether the target cannot run without what this edge brings."""
        return edge.target_port in self._required[edge.target_node]
