"""Proto in, one call, proto out."""

from __future__ import annotations

from typing import Any

from scistudio_platform.clock import to_timestamp
from scistudio_platform.ids import NodeId, ProjectId, RunId
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceServicer

from scistudio_scheduler.adapters.runner import News
from scistudio_scheduler.adapters.store import RunSummary
from scistudio_scheduler.app.scheduling import Scheduling, View
from scistudio_scheduler.domain.records import Fault, NodeRun
from scistudio_scheduler.domain.states import BlockState, RunState

Context = Any  # grpc.aio.ServicerContext: the interceptors use it, the handlers do not


class SchedulerRpc(SchedulerServiceServicer):
    """The scheduler's gRPC service. Rules live in ``domain``; an interceptor turns errors into a status."""

    def __init__(self, scheduling: Scheduling) -> None:
        self._scheduling = scheduling

    async def StartRun(self, request: pb.StartRunRequest, context: Context) -> pb.StartRunResponse:
        view = await self._scheduling.start(
            ProjectId(request.project_id), request.workflow, run_id=request.run_id, triggered_by=request.triggered_by
        )
        return pb.StartRunResponse(run=_run(view))

    async def GetRun(self, request: pb.GetRunRequest, context: Context) -> pb.GetRunResponse:
        return pb.GetRunResponse(run=_run(await self._scheduling.get(ProjectId(request.project_id), RunId(request.run_id))))

    async def ListRuns(self, request: pb.ListRunsRequest, context: Context) -> pb.ListRunsResponse:
        page = await self._scheduling.page(
            ProjectId(request.project_id), workflow=request.workflow_id, limit=request.page_size, token=request.page_token
        )
        return pb.ListRunsResponse(runs=[_summary(run) for run in page.runs], next_page_token=page.next_token)

    async def CancelRun(self, request: pb.CancelRunRequest, context: Context) -> pb.CancelRunResponse:
        node = NodeId(request.node_id) if request.node_id else None
        view = await self._scheduling.cancel(ProjectId(request.project_id), RunId(request.run_id), node, request.reason)
        return pb.CancelRunResponse(run=_run(view))

    async def GetOutput(self, request: pb.GetOutputRequest, context: Context) -> pb.GetOutputResponse:
        text, execution_id = await self._scheduling.output(
            ProjectId(request.project_id), RunId(request.run_id), NodeId(request.node_id), request.port
        )
        return pb.GetOutputResponse(value=PortValue(port=request.port, value_json=text), execution_id=execution_id)


def _run_state(state: RunState) -> pb.RunState.ValueType:
    return pb.RunState.Value(f"RUN_STATE_{state.name}")


def _block_state(state: BlockState) -> pb.BlockState.ValueType:
    return pb.BlockState.Value(f"BLOCK_STATE_{state.name}")


def _run(view: View) -> pb.Run:
    run, plan = view.run, view.run.plan
    return pb.Run(
        id=run.id,
        project_id=plan.project_id,
        workflow_id=plan.workflow_id,
        workflow_path=plan.workflow_path,
        state=_run_state(run.state),
        created_at=to_timestamp(run.created_at),
        ended_at=to_timestamp(run.ended_at),
        reason=view.trouble or run.reason or run.cancel_reason or "",
        triggered_by=plan.triggered_by,
        nodes=[_node(node.id, node.block.type_name, run.nodes[node.id], view.news.get(node.id)) for node in plan.nodes],
    )


def _summary(run: RunSummary) -> pb.Run:
    return pb.Run(
        id=run.id,
        project_id=run.project_id,
        workflow_id=run.workflow_id,
        workflow_path=run.workflow_path,
        state=_run_state(run.state),
        created_at=to_timestamp(run.created_at),
        ended_at=to_timestamp(run.ended_at),
        reason=run.reason,
        triggered_by=run.triggered_by,
    )


def _node(node: NodeId, block_type: str, record: NodeRun, news: News | None) -> pb.NodeRun:
    news = news or News()
    return pb.NodeRun(
        node_id=node,
        block_type=block_type,
        state=_block_state(record.state),
        execution_id=record.execution_id,
        started_at=to_timestamp(news.started_at or record.started_at),
        ended_at=to_timestamp(record.ended_at),
        error=_error(record.error),
        traceback=record.traceback,
        reason=record.reason or news.waiting,
        outputs=[pb.OutputSummary(**output._asdict()) for output in record.summaries],
        progress=1.0 if record.state is BlockState.DONE else news.progress,
        progress_message=news.message,
        warnings=record.warnings,
    )


def _error(fault: Fault | None) -> ErrorDetail | None:
    return None if fault is None else ErrorDetail(code=fault.code, message=fault.message, subject=fault.subject, hint=fault.hint)
