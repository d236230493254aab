"""Runs: start, look at, cancel."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from scistudio_platform.ids import new_id
from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb

from scistudio_gateway.adapters.backends import PROBE_TIMEOUT_S
from scistudio_gateway.errors import NodeNotFound
from scistudio_gateway.rest.representations import (
    CursorQuery,
    Form,
    LimitQuery,
    NodePath,
    Page,
    ProjectPath,
    Representation,
    RunPath,
    Services,
    api_path,
    certain_moment,
    moment,
)

router = APIRouter(tags=["runs"])

RunState = Literal["queued", "running", "paused", "completed", "completed_with_failures", "failed", "cancelled"]
BlockState = Literal["idle", "ready", "running", "paused", "done", "error", "cancelled", "skipped"]
RUN_STATES: dict[int, RunState] = {
    pb.RUN_STATE_QUEUED: "queued",
    pb.RUN_STATE_RUNNING: "running",
    pb.RUN_STATE_PAUSED: "paused",
    pb.RUN_STATE_COMPLETED: "completed",
    pb.RUN_STATE_COMPLETED_WITH_FAILURES: "completed_with_failures",
    pb.RUN_STATE_FAILED: "failed",
    pb.RUN_STATE_CANCELLED: "cancelled",
}
BLOCK_STATES: dict[int, BlockState] = {
    pb.BLOCK_STATE_IDLE: "idle",
    pb.BLOCK_STATE_READY: "ready",
    pb.BLOCK_STATE_RUNNING: "running",
    pb.BLOCK_STATE_PAUSED: "paused",
    pb.BLOCK_STATE_DONE: "done",
    pb.BLOCK_STATE_ERROR: "error",
    pb.BLOCK_STATE_CANCELLED: "cancelled",
    pb.BLOCK_STATE_SKIPPED: "skipped",
}


class ErrorInfo(Representation):
    """An error a person can act on."""

    code: str
    message: str
    subject: str
    hint: str

    @classmethod
    def of(cls, message: ErrorDetail) -> ErrorInfo:
        """Represent the service's message."""
        return cls(code=message.code, message=message.message, subject=message.subject, hint=message.hint)


class OutputSummary(Representation):
    """What a port carries, without the references."""

    port: str
    type_name: str
    n_items: int


class NodeRun(Representation):
    """One node of a run."""

    node_id: str
    block_type: str
    state: BlockState
    execution_id: str
    started_at: datetime | None
    ended_at: datetime | None
    error: ErrorInfo | None = Field(description="Set in state `error`.")
    traceback: str
    reason: str = Field(description="Why it was skipped, cancelled, or is still waiting.")
    outputs: list[OutputSummary]
    progress: float = Field(description="0 to 1; 0 without news.")
    progress_message: str
    warnings: list[str]


class Run(Representation):
    """One pass over a workflow."""

    id: str
    project_id: str
    workflow_id: str
    workflow_path: str
    state: RunState
    created_at: datetime
    ended_at: datetime | None
    reason: str = Field(description="Why it was cancelled or could not go on.")
    triggered_by: str = Field(description="user, agent, cli, api.")
    nodes: list[NodeRun] = Field(description="Empty in lists.")


class RunPage(Page[Run]):
    """One page of runs."""


class NewRun(Form):
    """What to run."""

    workflow: str = Field(min_length=1, description="Run identity, or a project-relative path.")
    run_id: UUID | None = Field(None, description="Made by the caller, so that a request that is repeated starts nothing twice.")


class Cancellation(Form):
    """The only change that a run takes."""

    state: Literal["cancelled"]
    reason: str = Field("", max_length=500)


def _node(message: pb.NodeRun) -> NodeRun:
    return NodeRun(
        node_id=message.node_id,
        block_type=message.block_type,
        state=BLOCK_STATES[message.state],
        execution_id=message.execution_id,
        started_at=moment(message.started_at),
        ended_at=moment(message.ended_at),
        error=ErrorInfo.of(message.error) if message.HasField("error") else None,
        traceback=message.traceback,
        reason=message.reason,
        outputs=[OutputSummary(port=one.port, type_name=one.type_name, n_items=one.n_items) for one in message.outputs],
        progress=message.progress,
        progress_message=message.progress_message,
        warnings=list(message.warnings),
    )


def _run(message: pb.Run) -> Run:
    return Run(
        id=message.id,
        project_id=message.project_id,
        workflow_id=message.workflow_id,
        workflow_path=message.workflow_path,
        state=RUN_STATES[message.state],
        created_at=certain_moment(message.created_at),
        ended_at=moment(message.ended_at),
        reason=message.reason,
        triggered_by=message.triggered_by,
        nodes=[_node(node) for node in message.nodes],
    )


def _node_of(run: pb.Run, node: str) -> NodeRun:
    for one in run.nodes:
        if one.node_id == node:
            return _node(one)
    raise NodeNotFound(run.id, node)


@router.post("/projects/{project}/runs", status_code=202)
async def start_run(project: ProjectPath, body: NewRun, request: Request, response: Response, services: Services) -> Run:
    """Start a run. The answer comes before it ends: follow it by its `Location`, or by events."""
    started = await services.scheduler.stub.StartRun(
        pb.StartRunRequest(
            project_id=project,
            workflow=body.workflow,
            run_id=str(body.run_id) if body.run_id else new_id(),  # ours is repeated by the client when a service is restarted
            triggered_by="user" if request.scope.get("signed_in_by") == "cookie" else "api",
        ),
        timeout=PROBE_TIMEOUT_S,
    )
    response.headers["Location"] = api_path("projects", project, "runs", started.run.id)
    return _run(started.run)


@router.get("/projects/{project}/runs")
async def list_runs(
    project: ProjectPath,
    services: Services,
    workflow: Annotated[str, Query(description="Only of this run identity.")] = "",
    cursor: CursorQuery = "",
    limit: LimitQuery = 50,
) -> RunPage:
    """The project's runs, the newest first, without their nodes."""
    request = pb.ListRunsRequest(project_id=project, workflow_id=workflow, page_size=limit, page_token=cursor)
    answer = await services.scheduler.stub.ListRuns(request)
    return RunPage(items=[_run(run) for run in answer.runs], next_cursor=answer.next_page_token or None)


@router.get("/projects/{project}/runs/{run}")
async def get_run(project: ProjectPath, run: RunPath, services: Services) -> Run:
    """One run with its nodes, as it is now."""
    return _run((await services.scheduler.stub.GetRun(pb.GetRunRequest(project_id=project, run_id=run))).run)


@router.patch("/projects/{project}/runs/{run}")
async def update_run(project: ProjectPath, run: RunPath, body: Cancellation, services: Services) -> Run:
    """Cancel the run. Answers at once; the states say when it is gone."""
    request = pb.CancelRunRequest(project_id=project, run_id=run, reason=body.reason)
    return _run((await services.scheduler.stub.CancelRun(request)).run)


@router.get("/projects/{project}/runs/{run}/nodes/{node}")
async def get_node(project: ProjectPath, run: RunPath, node: NodePath, services: Services) -> NodeRun:
    """One node of a run."""
    return _node_of((await services.scheduler.stub.GetRun(pb.GetRunRequest(project_id=project, run_id=run))).run, node)


@router.patch("/projects/{project}/runs/{run}/nodes/{node}")
async def update_node(project: ProjectPath, run: RunPath, node: NodePath, body: Cancellation, services: Services) -> NodeRun:
    """Cancel one node of a run."""
    request = pb.CancelRunRequest(project_id=project, run_id=run, node_id=node, reason=body.reason)
    return _node_of((await services.scheduler.stub.CancelRun(request)).run, node)
