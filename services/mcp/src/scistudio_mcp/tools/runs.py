"""Tools about runs."""

from __future__ import annotations

from typing import Annotated, Literal

from fastmcp import FastMCP
from pydantic import Field
from scistudio_platform.clock import from_timestamp
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import new_id
from scistudio_proto.runner.v1 import runner_pb2 as runner_pb
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow_pb

from scistudio_mcp.results import BlockFailure, BlockLogs, CancelledRun, RunProgress, RunStatus, StartedRun
from scistudio_mcp.services import Services

State = Literal["queued", "running", "paused", "succeeded", "failed", "cancelled", "unknown"]
# The words of the contract; everywhere else a run "completes".
STATES: dict[int, State] = {
    pb.RUN_STATE_QUEUED: "queued",
    pb.RUN_STATE_RUNNING: "running",
    pb.RUN_STATE_PAUSED: "paused",
    pb.RUN_STATE_COMPLETED: "succeeded",
    pb.RUN_STATE_COMPLETED_WITH_FAILURES: "failed",
    pb.RUN_STATE_FAILED: "failed",
    pb.RUN_STATE_CANCELLED: "cancelled",
}
LOG_LIMIT = 16 * 1024
RunArgument = Annotated[str, Field(description="A run id, or a workflow id for its latest run.")]


async def find_run(services: Services, project_id: str, run_or_workflow: str) -> pb.Run:
    """Return a run by its id, or the latest run of a workflow by the workflow's id."""
    listed = await services.scheduler.ListRuns(pb.ListRunsRequest(project_id=project_id, workflow_id=run_or_workflow, page_size=1))
    run_id = listed.runs[0].id if listed.runs else run_or_workflow
    return (await services.scheduler.GetRun(pb.GetRunRequest(project_id=project_id, run_id=run_id))).run


def find_node(run: pb.Run, node_id: str) -> pb.NodeRun:
    """Return one node of a run."""
    found = next((node for node in run.nodes if node.node_id == node_id), None)
    if found is None:
        hint = f"Its blocks are: {', '.join(node.node_id for node in run.nodes)}."
        raise RemoteError(
            Kind.NOT_FOUND, "run.node_not_found", f"Run {run.id} has no block {node_id!r}.", subject=f"run/{run.id}", hint=hint
        )
    return found


def _failure(node: pb.NodeRun) -> BlockFailure:
    error = node.error
    return BlockFailure(
        block_id=node.node_id, error=node.traceback or error.message, summary=error.message, hint=error.hint, code=error.code
    )


def status_of(run: pb.Run) -> RunStatus:
    """Return a run in the contract's words; a failed block makes it failed, with the block's error."""
    state = STATES.get(run.state, "unknown")
    states = {node.node_id: pb.BlockState.Name(node.state).removeprefix("BLOCK_STATE_") for node in run.nodes}
    errors = [_failure(node) for node in run.nodes if node.state == pb.BLOCK_STATE_ERROR]
    step = {
        "succeeded": "Call get_block_output and preview_data for results.",
        "failed": "Read errors and get_block_logs, mend, run again.",
    }
    return RunStatus(
        run_id=run.id,
        state=state,
        progress=RunProgress(block_states=states),
        errors=errors,
        next_step=step.get(state, "Ask again in a moment."),
    )


def register(server: FastMCP, services: Services) -> None:
    """Register ``run_workflow``, ``cancel_run``, ``get_run_status`` and ``get_block_logs``."""

    @server.tool(tags={"category:workflow", "write"}, annotations={"readOnlyHint": False, "destructiveHint": False})
    async def run_workflow(path: Annotated[str, Field(description="Workflow id, or project-relative path.")]) -> StartedRun:
        """Start a run of a workflow; returns at once."""
        request = pb.StartRunRequest(project_id=await services.project_id(), workflow=path, run_id=new_id(), triggered_by="agent")
        run = (await services.scheduler.StartRun(request)).run
        return StartedRun(run_id=run.id, next_step="Call get_run_status with this run_id.", poll_hint="Every 1-5 s until it has ended.")

    @server.tool(tags={"category:workflow", "write"}, annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True})
    async def cancel_run(run_id: RunArgument) -> CancelledRun:
        """Ask a run to stop; its blocks' processes are ended."""
        project_id = await services.project_id()
        run = await find_run(services, project_id, run_id)
        await services.scheduler.CancelRun(pb.CancelRunRequest(project_id=project_id, run_id=run.id, reason="cancelled by an agent"))
        return CancelledRun(run_id=run.id, cancel_requested=True, next_step="get_run_status says when it is gone.")

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def get_run_status(run_id: RunArgument) -> RunStatus:
        """State of a run and its blocks, with the error of each block that failed."""
        return status_of(await find_run(services, await services.project_id(), run_id))

    @server.tool(tags={"category:inspection", "read"}, annotations={"readOnlyHint": True})
    async def get_block_logs(run_id: RunArgument, block_id: str) -> BlockLogs:
        """What one block printed in a run: the last 16 KiB of each stream."""
        project_id = await services.project_id()
        run = await find_run(services, project_id, run_id)
        node = find_node(run, block_id)
        project = (await services.workflow.GetProject(workflow_pb.GetProjectRequest(project_id=project_id))).project
        request = runner_pb.ReadLogsRequest(project_id=project_id, project_dir=project.path, run_id=run.id, node_id=block_id, limit=10_000)
        return _logs(await services.runner.ReadLogs(request), node)


def _logs(answer: runner_pb.ReadLogsResponse, node: pb.NodeRun) -> BlockLogs:
    streams = {
        name: "\n".join(line.text for line in answer.lines if (line.stream == "stdout") == (name == "stdout"))
        for name in ("stdout", "stderr")
    }
    started, ended = from_timestamp(node.started_at), from_timestamp(node.ended_at)
    return BlockLogs(
        stdout=streams["stdout"][-LOG_LIMIT:],
        stderr=streams["stderr"][-LOG_LIMIT:],
        truncated=answer.truncated or any(len(text) > LOG_LIMIT for text in streams.values()),
        started_at=started.isoformat() if started else None,
        finished_at=ended.isoformat() if ended else None,
    )
