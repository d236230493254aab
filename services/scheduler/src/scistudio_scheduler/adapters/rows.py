"""Rows to domain objects and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from scistudio_platform.ids import ExecutionId, NodeId, RunId

from scistudio_scheduler.adapters.tables import NodeRow, RunRow
from scistudio_scheduler.domain.outputs import Output
from scistudio_scheduler.domain.plan import Plan
from scistudio_scheduler.domain.records import Fault, NodeRun
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import BlockState, RunState

PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)


def run_values(run: Run) -> dict[str, Any]:
    """Return what changes of a run, for an insert or an update."""
    return {
        "id": run.id,
        "state": run.state.value,
        "ended_at": run.ended_at,
        "reason": run.reason,
        "cancel_reason": run.cancel_reason,
        "failure": None if run.failure is None else asdict(run.failure),
    }


def plan_values(run: Run) -> dict[str, Any]:
    """Return what never changes of a run, for its insert."""
    plan = run.plan
    return {
        "project_id": plan.project_id,
        "workflow_id": plan.workflow_id,
        "workflow_path": plan.workflow_path,
        "triggered_by": plan.triggered_by,
        "created_at": run.created_at,
        "settled": False,
        "plan": PLAN.dump_python(plan, mode="json"),
    }


def node_values(run: Run, node: NodeId) -> dict[str, Any]:
    """Return the row of a node but its position."""
    record = run.nodes[node]
    return {
        "run_id": run.id,
        "node_id": node,
        "state": record.state.value,
        "execution_id": record.execution_id,
        "attempt": record.attempt,
        "seed": record.seed,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "error": None if record.error is None else asdict(record.error),
        "traceback": record.traceback,
        "reason": record.reason,
        "outputs": record.outputs,
        "summaries": [list(output) for output in record.summaries],
        "warnings": list(record.warnings),
        "stopping": record.stopping,
    }


def to_run(row: RunRow, nodes: Iterable[NodeRow], *, with_outputs: bool) -> Run:
    """Return the run that the rows hold."""
    return Run(
        id=RunId(row.id),
        plan=PLAN.validate_python(row.plan),
        created_at=row.created_at,
        nodes={NodeId(node.node_id): _to_record(node, with_outputs=with_outputs) for node in nodes},
        state=RunState(row.state),
        ended_at=row.ended_at,
        reason=row.reason,
        cancel_reason=row.cancel_reason,
        failure=None if row.failure is None else Fault(**row.failure),
    )


def _to_record(row: NodeRow, *, with_outputs: bool) -> NodeRun:
    return NodeRun(
        state=BlockState(row.state),
        execution_id=ExecutionId(row.execution_id),
        attempt=row.attempt,
        seed=row.seed,
        started_at=row.started_at,
        ended_at=row.ended_at,
        error=None if row.error is None else Fault(**row.error),
        traceback=row.traceback,
        reason=row.reason,
        outputs=dict(row.outputs) if with_outputs else {},
        summaries=tuple(Output(*values) for values in row.summaries),
        warnings=tuple(row.warnings),
        stopping=row.stopping,
    )
