"""A workflow with its subworkflows put in place: the graph that a run executes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from scistudio_platform.errors import SciStudioError

from scistudio_workflow.domain.model import SUBWORKFLOW, Edge, ExposedPort, Node, Problem, Workflow, error, warning

SEPARATOR = "__"
DEPTH_LIMIT = 32
SIZE_LIMIT = 20_000

ReadWorkflow = Callable[[str], Workflow]
Endpoint = tuple[str, str]


@dataclass(frozen=True)
class Exposure:
    """A port that a subworkflow offers and an edge uses, and what it stands for in the flattened graph."""

    edge: Edge
    source: str
    is_input: bool
    node: str
    port: str


@dataclass(frozen=True)
class Graph:
    """Nodes and edges without subworkflows.

    Attributes
    ----------
    unresolved : tuple of Problem
        References that could not be followed. Their nodes stay in the graph, without a block.
    dangling : tuple of Problem
        Ports that a reference does not offer, or offers without having them.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    unresolved: tuple[Problem, ...] = ()
    dangling: tuple[Problem, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    files: tuple[str, ...] = ()


def flatten(workflow: Workflow, path: str, read: ReadWorkflow) -> Graph:
    """Replace each subworkflow node by the nodes and edges of the file that it names.

    Inner ids become ``<node>__<inner>``. Nothing is raised for a faulty reference: the graph tells its problems.

    Parameters
    ----------
    workflow : Workflow
    path : str
        Its file, project-relative.
    read : callable
        Gives the workflow of a project-relative path, or raises a SciStudioError.
    """
    flattening = _Flattening(read)
    flattening.expand(workflow, path, "", ())
    return flattening.graph()


@dataclass
class _Surface:
    """What a subworkflow node offers: exposed names and what they stand for; None when that is broken."""

    path: str
    inputs: dict[str, Endpoint | None] = field(default_factory=dict)
    outputs: dict[str, Endpoint | None] = field(default_factory=dict)


class _Flattening:
    def __init__(self, read: ReadWorkflow) -> None:
        self._read = read
        self._known: dict[str, Workflow | SciStudioError] = {}
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []
        self._unresolved: list[Problem] = []
        self._dangling: list[Problem] = []
        self._exposures: list[Exposure] = []
        self._size = 0

    def graph(self) -> Graph:
        return Graph(
            tuple(self._nodes),
            tuple(self._edges),
            tuple(self._unresolved),
            tuple(self._dangling),
            tuple(self._exposures),
            tuple(path for path, found in self._known.items() if isinstance(found, Workflow)),
        )

    def expand(self, workflow: Workflow, path: str, prefix: str, above: tuple[str, ...]) -> _Surface:
        source = path if prefix else ""
        self._size += len(workflow.nodes) + len(workflow.edges)
        surfaces: dict[str, _Surface | None] = {}
        for node in workflow.nodes:
            inner = replace(node, id=prefix + node.id, source=source)
            if node.block_type == SUBWORKFLOW:
                surfaces[node.id] = self._enter(inner, (*above, path))
            if surfaces.get(node.id) is None:
                self._nodes.append(inner)
        for edge in workflow.edges:
            self._add_edge(edge, prefix, source, surfaces)
        return self._surface(workflow, path, prefix, surfaces)

    def _enter(self, node: Node, above: tuple[str, ...]) -> _Surface | None:
        path = posixpath.normpath(node.reference) if node.reference else ""
        if (reason := self._reason_not_to_enter(node, path, above)) is not None:
            self._refuse(node, *reason)
            return None
        found = self._workflow(path)
        if isinstance(found, SciStudioError):
            self._refuse(
                node,
                f"Node {node.id!r} refers to a workflow file that cannot be read: {found.message}",
                found.hint,
                "subworkflow.unresolved",
            )
            return None
        return self.expand(found, path, node.id + SEPARATOR, above)

    def _reason_not_to_enter(self, node: Node, path: str, above: tuple[str, ...]) -> tuple[str, str, str] | None:
        if not path:
            hint = "Choose the file in the node's settings (`config: {ref: {path: subworkflows/NAME.yaml}}`)."
            return f"Subworkflow node {node.id!r} names no workflow file.", hint, "subworkflow.unresolved"
        if path in above:
            circle = " -> ".join((*above[above.index(path) :], path))
            message = f"Cyclic subworkflow reference: {circle} (node {node.id!r})."
            return message, "A workflow cannot contain itself: remove one of these references.", "subworkflow.cycle"
        if len(above) > DEPTH_LIMIT or self._size > SIZE_LIMIT:
            limit = f"{DEPTH_LIMIT} levels deep" if len(above) > DEPTH_LIMIT else f"more than {SIZE_LIMIT:,} nodes and edges"
            return f"With node {node.id!r} the subworkflows are {limit}.", "Split the analysis into several runs.", "subworkflow.too_large"
        return None

    def _refuse(self, node: Node, message: str, hint: str, code: str) -> None:
        self._unresolved.append(error(code, message, node=node.id, hint=hint, line=node.line))

    def _workflow(self, path: str) -> Workflow | SciStudioError:
        if path not in self._known:
            try:
                self._known[path] = self._read(path)
            except SciStudioError as fault:
                self._known[path] = fault
        return self._known[path]

    def _add_edge(self, edge: Edge, prefix: str, source: str, surfaces: dict[str, _Surface | None]) -> None:
        start = self._end(edge, prefix, source, surfaces, is_input=False)
        end = self._end(edge, prefix, source, surfaces, is_input=True)
        if start is not None and end is not None:
            self._edges.append(Edge(*start, *end, line=edge.line, source=source))

    def _end(self, edge: Edge, prefix: str, source: str, surfaces: dict[str, _Surface | None], *, is_input: bool) -> Endpoint | None:
        """Where one end of an edge lies in the flattened graph."""
        node, port = (edge.target_node, edge.target_port) if is_input else (edge.source_node, edge.source_port)
        surface = surfaces.get(node)
        if surface is None:
            return prefix + node, port
        offered = surface.inputs if is_input else surface.outputs
        if port not in offered:
            self._tell_missing(edge, prefix + node, port, surface, offered, is_input=is_input, line=0 if source else edge.line)
        elif (inner := offered[port]) is not None:
            self._exposures.append(Exposure(edge, surface.path, is_input, *inner))
        return offered.get(port)

    def _tell_missing(
        self, edge: Edge, node: str, port: str, surface: _Surface, offered: dict[str, Endpoint | None], *, is_input: bool, line: int
    ) -> None:
        kind = "input" if is_input else "output"
        names = ", ".join(offered) or "none"
        self._dangling.append(
            error(
                "edge.not_exposed",
                f"Edge {edge}: {surface.path} exposes no {kind} {port!r}.",
                node=node,
                port=port,
                line=line,
                hint=f"It exposes these {kind}s: {names}. Connect one of them, or add the port to its exposed_ports.",
            )
        )

    def _surface(self, workflow: Workflow, path: str, prefix: str, surfaces: dict[str, _Surface | None]) -> _Surface:
        ids = {node.id for node in workflow.nodes}
        surface = _Surface(path)
        for exposed in workflow.exposed_inputs:
            surface.inputs[exposed.name] = self._inner(exposed, path, prefix, ids, surfaces, is_input=True)
        for exposed in workflow.exposed_outputs:
            surface.outputs[exposed.name] = self._inner(exposed, path, prefix, ids, surfaces, is_input=False)
        return surface

    def _inner(
        self, exposed: ExposedPort, path: str, prefix: str, ids: set[str], surfaces: dict[str, _Surface | None], *, is_input: bool
    ) -> Endpoint | None:
        """What an exposed port stands for."""
        surface = surfaces.get(exposed.node)
        if surface is None and exposed.node in ids:
            return prefix + exposed.node, exposed.port
        offered: dict[str, Endpoint | None] = {} if surface is None else surface.inputs if is_input else surface.outputs
        if exposed.port not in offered:
            self._tell_broken(
                exposed, path, prefix, reason="which does not exist" if surface is None else f"which offers no {exposed.port!r}"
            )
        return offered.get(exposed.port)

    def _tell_broken(self, exposed: ExposedPort, path: str, prefix: str, *, reason: str) -> None:
        """An error where another workflow refers to the file; the file itself can run without its exposed ports."""
        tell = error if prefix else warning
        owner = prefix.removesuffix(SEPARATOR)
        message = f"Exposed port {exposed.name!r} of {path} stands for {exposed.node}.{exposed.port}: node {exposed.node!r}, {reason}."
        hint = "Correct `internal` in the exposed_ports of that file."
        self._dangling.append(tell("exposed.broken", message, node=owner, port=exposed.name, hint=hint, line=0 if prefix else exposed.line))
