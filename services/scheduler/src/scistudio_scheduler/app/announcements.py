"""What other services are told about a step of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scistudio_platform.events.block import BlockExecuted, BlockStateChanged, ErrorInfo, OutputSummary
from scistudio_platform.events.model import EventData, Scope
from scistudio_platform.events.run import RunEdge, RunFinished, RunNode, RunStarted, RunStateChanged
from scistudio_platform.ids import NodeId

from scistudio_scheduler.domain.effects import Announce, AnnounceRun, Effect, Record
from scistudio_scheduler.domain.records import Fault, NodeRun
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import ENDED

Announcement = tuple[EventData, Scope]
REFERENCES_LIMIT = 3_000_000  # characters on one side of a block; an event may have 8 MiB
IDENTITY = ("type_chain", "framework", "content_hash")


def run_started(run: Run) -> Announcement:
    """Return the first event of a run."""
    plan = run.plan
    edges = [
        RunEdge(source_node=edge.source_node, source_port=edge.source_port, target_node=edge.target_node, target_port=edge.target_port)
        for edge in plan.edges
    ]
    data = RunStarted(
        workflow_id=plan.workflow_id,
        workflow_path=plan.workflow_path,
        workflow_text=plan.workflow_text,
        commit=plan.commit or None,
        dirty=plan.dirty,
        triggered_by=plan.triggered_by,
        nodes=[RunNode(id=node.id, block_type=node.block.type_name) for node in plan.nodes],
        edges=edges,
    )
    return data, scope_of(run)


def announcements(run: Run, effects: Sequence[Effect]) -> Iterator[Announcement]:
    """Yield the events that ``effects`` stand for, in order."""
    for effect in effects:
        match effect:
            case Announce(node=node, record=record):
                yield _state_changed(record), scope_of(run, node, record)
            case Record(node=node, record=record):
                yield _executed(run, effect), scope_of(run, node, record)
            case AnnounceRun(state=state, reason=reason):
                yield RunStateChanged(state=state.value, reason=reason), scope_of(run)
                if state in ENDED:
                    yield RunFinished.model_validate({"state": state.value, "reason": reason}), scope_of(run)


def scope_of(run: Run, node: NodeId | None = None, record: NodeRun | None = None) -> Scope:
    """Return where something happened."""
    execution = record.execution_id or None if record is not None else None
    return Scope(project=run.plan.project_id, workflow=run.plan.workflow_id, run=run.id, node=node, execution=execution)


def _state_changed(record: NodeRun) -> BlockStateChanged:
    return BlockStateChanged(
        state=record.state.value,
        error=_info(record.error),
        reason=record.reason,
        outputs=[OutputSummary(**output._asdict()) for output in record.summaries],
        started_at=record.started_at,
        ended_at=record.ended_at,
    )


def _executed(run: Run, effect: Record) -> BlockExecuted:
    planned, record, ending = run.plan.by_id[effect.node], effect.record, effect.ending
    return BlockExecuted(
        block_type=planned.block.type_name,
        block_version=planned.block.version,
        config=json.loads(planned.config_json),
        inputs=_parsed(run.input_values(effect.node)),
        outputs=_parsed(record.outputs),
        state=record.state.value,
        error=_info(record.error),
        environment=json.loads(ending.environment_json or "{}"),
        started_at=record.started_at,
        ended_at=record.ended_at,
        duration_s=ending.duration_s,
        cpu_time_s=ending.cpu_time_s,
        peak_memory_bytes=ending.peak_memory_bytes,
        warnings=list(ending.warnings),
        seed=record.seed,
    )


def _parsed(values: Mapping[str, str]) -> dict[str, Any]:
    """Return wire JSON as objects; where it is very long, only what identifies them, so that the bus takes the event."""
    is_long = sum(map(len, values.values())) > REFERENCES_LIMIT
    return {port: _identities(json.loads(value)) if is_long else json.loads(value) for port, value in values.items()}


def _identities(value: Any) -> Any:
    """Keep of each object its types, identity and content hash."""
    if not isinstance(value, dict):
        return value
    if value.get("_collection"):
        return {**value, "items": [_identities(item) for item in value.get("items") or []]}
    metadata = value.get("metadata")
    return {"metadata": {name: metadata[name] for name in IDENTITY if name in metadata}} if isinstance(metadata, dict) else {}


def _info(fault: Fault | None) -> ErrorInfo | None:
    return None if fault is None else ErrorInfo(code=fault.code, message=fault.message, subject=fault.subject, hint=fault.hint)
