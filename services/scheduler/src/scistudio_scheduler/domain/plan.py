"""What a run was started with: it never changes while the run lives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from scistudio_platform.ids import NodeId, ProjectId

from scistudio_scheduler.domain.graph import Edge, Graph


@dataclass(frozen=True)
class Block:
    """Where a block's class is, and what its process may use. Limits are none when 0."""

    type_name: str
    version: str
    module: str
    class_name: str
    file_path: str = ""
    import_roots: tuple[str, ...] = ()
    start_method: str = ""
    cpu_cores: int = 1
    memory_gb: float = 0.0
    cpu_time_s: float = 0.0
    wall_time_s: float = 0.0
    terminate_grace_s: float = 5.0


@dataclass(frozen=True)
class PlannedNode:
    """A node with its block and its resolved configuration (JSON text)."""

    id: NodeId
    block: Block
    config_json: str = "{}"
    required_inputs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Plan:
    """The flattened, validated workflow of one run, and where it came from."""

    project_id: ProjectId
    project_dir: str
    workflow_id: str
    workflow_path: str = ""
    workflow_text: str = ""
    commit: str = ""
    dirty: bool = False
    triggered_by: str = ""
    continue_on_failure: bool = False
    nodes: tuple[PlannedNode, ...] = ()
    edges: tuple[Edge, ...] = ()
    trace_context: dict[str, str] = field(default_factory=dict)

    @cached_property
    def graph(self) -> Graph:
        """The nodes and edges, ready to be asked."""
        return Graph({node.id: node.required_inputs for node in self.nodes}, self.edges)

    @cached_property
    def by_id(self) -> dict[NodeId, PlannedNode]:
        """The nodes by their id."""
        return {node.id: node for node in self.nodes}
