"""What happened: runs, executions and objects as lineage recorded them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from scistudio_proto.lineage.v1 import lineage_pb2 as pb

from scistudio_gateway.domain.exact_json import read_json
from scistudio_gateway.rest.representations import (
    CursorQuery,
    Json,
    LimitQuery,
    Page,
    ProjectPath,
    Representation,
    RunPath,
    Segment,
    Services,
    moment,
)

router = APIRouter(tags=["lineage"])
DIRECTIONS = {"up": pb.DIRECTION_UP, "down": pb.DIRECTION_DOWN}


class RunRecord(Representation):
    """A run, as it was recorded."""

    run_id: str
    project_id: str
    workflow_id: str
    status: str
    started_at: datetime | None
    ended_at: datetime | None
    commit: str = Field(description="Of the project's repository; empty without one.")
    dirty: bool
    triggered_by: str
    workflow_text: str = Field(description="The file as it was; empty in lists.")


class RunRecordPage(Page[RunRecord]):
    """One page of recorded runs."""


class PortObject(Representation):
    """An object that went in or came out."""

    port: str
    position: int
    object_id: str


class ExecutionRecord(Representation):
    """One attempt at one block."""

    execution_id: str
    run_id: str
    node_id: str
    block_type: str
    block_version: str
    config: dict[str, Json]
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float
    error_code: str
    error_message: str
    environment: dict[str, Json]
    peak_memory_bytes: int
    inputs: list[PortObject]
    outputs: list[PortObject]
    reason: str


class ObjectRecord(Representation):
    """A stored object."""

    object_id: str
    type_name: str
    content_hash: str
    reference: dict[str, Json] | None = Field(description="The SDK's wire format.")
    made_by: str = Field(description="Execution; empty for what came from outside.")


class RunLineage(Representation):
    """All that was recorded about a run."""

    run: RunRecord
    executions: list[ExecutionRecord]
    objects: list[ObjectRecord]


class ObjectLineage(Representation):
    """What an object was made from, or what was made from it, with the executions between."""

    objects: list[ObjectRecord]
    executions: list[ExecutionRecord]


def _run(message: pb.RunRecord) -> RunRecord:
    return RunRecord(
        run_id=message.run_id,
        project_id=message.project_id,
        workflow_id=message.workflow_id,
        status=message.status,
        started_at=moment(message.started_at),
        ended_at=moment(message.ended_at),
        commit=message.commit,
        dirty=message.dirty,
        triggered_by=message.triggered_by,
        workflow_text=message.workflow_text,
    )


def _port_object(message: pb.PortObject) -> PortObject:
    return PortObject(port=message.port, position=message.position, object_id=message.object_id)


PLAIN_FIELDS = (
    *("execution_id", "run_id", "node_id", "block_type", "block_version", "state", "duration_s"),
    *("error_code", "error_message", "peak_memory_bytes", "reason"),
)


def _execution(message: pb.ExecutionRecord) -> ExecutionRecord:
    return ExecutionRecord(
        **{name: getattr(message, name) for name in PLAIN_FIELDS},
        config=read_json(message.config_json, {}) or {},
        environment=read_json(message.environment_json, {}) or {},
        started_at=moment(message.started_at),
        ended_at=moment(message.ended_at),
        inputs=[_port_object(one) for one in message.inputs],
        outputs=[_port_object(one) for one in message.outputs],
    )


def _object(message: pb.ObjectRecord) -> ObjectRecord:
    return ObjectRecord(
        object_id=message.object_id,
        type_name=message.type_name,
        content_hash=message.content_hash,
        reference=read_json(message.reference_json),
        made_by=message.made_by,
    )


@router.get("/projects/{project}/lineage/runs")
async def list_recorded_runs(
    project: ProjectPath,
    services: Services,
    workflow: Annotated[str, Query(description="Only of this run identity.")] = "",
    cursor: CursorQuery = "",
    limit: LimitQuery = 50,
) -> RunRecordPage:
    """The recorded runs, the newest first."""
    request = pb.ListRunsRequest(project_id=project, workflow_id=workflow, page_size=limit, page_token=cursor)
    answer = await services.lineage.stub.ListRuns(request)
    return RunRecordPage(items=[_run(run) for run in answer.runs], next_cursor=answer.next_page_token or None)


@router.get("/projects/{project}/lineage/runs/{run}")
async def get_run_lineage(project: ProjectPath, run: RunPath, services: Services) -> RunLineage:
    """A run with its executions and objects."""
    answer = await services.lineage.stub.GetRun(pb.GetRunRequest(project_id=project, run_id=run))
    return RunLineage(
        run=_run(answer.run), executions=[_execution(one) for one in answer.executions], objects=[_object(one) for one in answer.objects]
    )


@router.get("/projects/{project}/objects/{object_id}/lineage")
async def trace_object(
    project: ProjectPath,
    object_id: Annotated[Segment, Path(description="Object id.")],
    services: Services,
    direction: Annotated[Literal["up", "down"], Query(description="up: what it was made from; down: what was made from it.")] = "up",
) -> ObjectLineage:
    """The objects before or after an object."""
    request = pb.TraceObjectRequest(project_id=project, object_id=object_id, direction=DIRECTIONS[direction])
    answer = await services.lineage.stub.TraceObject(request)
    return ObjectLineage(objects=[_object(one) for one in answer.objects], executions=[_execution(one) for one in answer.executions])
