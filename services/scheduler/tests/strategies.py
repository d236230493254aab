"""Graphs and runs for tests of the domain."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st
from scistudio_platform.ids import ExecutionId, NodeId, ProjectId, RunId
from scistudio_scheduler.domain.graph import Edge
from scistudio_scheduler.domain.plan import Block, Plan, PlannedNode
from scistudio_scheduler.domain.records import Ending, Fault
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import BlockState

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
BLOCK = Block("test.block", "1.0", "blocks.test", "Test")
LOST = Fault("worker.lost", "The worker was lost.")


def plan_of(edges: list[tuple[str, str, bool]], nodes: list[str], *, continue_on_failure: bool = False) -> Plan:
    """A plan with one output port `out` a node and an input port a predecessor; the third of an edge: it is required."""
    required = {node: frozenset(f"from_{source}" for source, target, needed in edges if target == node and needed) for node in nodes}
    return Plan(
        project_id=ProjectId("p1"),
        project_dir="/projects/p1",
        workflow_id="main",
        continue_on_failure=continue_on_failure,
        nodes=tuple(PlannedNode(NodeId(node), BLOCK, required_inputs=required[node]) for node in nodes),
        edges=tuple(Edge(NodeId(source), "out", NodeId(target), f"from_{source}") for source, target, _ in edges),
    )


@st.composite
def plans(draw: st.DrawFn, max_nodes: int = 8) -> Plan:
    """Any acyclic graph: an edge leads from an earlier node to a later one."""
    nodes = [f"n{i}" for i in range(draw(st.integers(0, max_nodes)))]
    pairs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=12)) if pairs else []
    edges = [(a, b, draw(st.booleans())) for a, b in chosen]
    return plan_of(edges, draw(st.permutations(nodes)), continue_on_failure=draw(st.booleans()))


def new_run(plan: Plan) -> Run:
    return Run.new(RunId("r1"), plan, NOW)


def ending(state: BlockState, ports: tuple[str, ...] = ("out",)) -> Ending:
    """An ending as the runner tells it."""
    if state is BlockState.DONE:
        return Ending(state, outputs=dict.fromkeys(ports, '{"_collection": true, "items": [], "item_type": "Text"}'))
    return Ending(state, error=Fault("block.failed", "It failed.") if state is BlockState.ERROR else None)


def execution(node: str, attempt: int = 1) -> ExecutionId:
    return ExecutionId(f"{node}-{attempt}")
