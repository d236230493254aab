"""Proto in, one call, proto out."""

from __future__ import annotations

import json
from typing import Any

from scistudio_platform.clock import to_timestamp
from scistudio_proto.lineage.v1 import lineage_pb2 as pb
from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceServicer

from scistudio_lineage.app.queries import Queries
from scistudio_lineage.domain.records import ExecutionRecord, ObjectRecord, PortObject, RunRecord
from scistudio_lineage.errors import DirectionMissing

Context = Any  # grpc.aio.ServicerContext: the interceptors use it, the handlers do not


class LineageRpc(LineageServiceServicer):
    """Lineage's gRPC service. An interceptor turns errors into a status."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    async def ListRuns(self, request: pb.ListRunsRequest, context: Context) -> pb.ListRunsResponse:
        page = await self._queries.page(request.project_id, workflow=request.workflow_id, limit=request.page_size, token=request.page_token)
        return pb.ListRunsResponse(runs=[_run(run) for run in page.runs], next_page_token=page.next_token)

    async def GetRun(self, request: pb.GetRunRequest, context: Context) -> pb.GetRunResponse:
        run, history = await self._queries.run(request.project_id, request.run_id)
        return pb.GetRunResponse(
            run=_run(run),
            executions=[_execution(execution) for execution in history.executions],
            objects=[_object(item) for item in history.objects],
        )

    async def TraceObject(self, request: pb.TraceObjectRequest, context: Context) -> pb.TraceObjectResponse:
        if request.direction == pb.DIRECTION_UNSPECIFIED:
            raise DirectionMissing
        upwards = request.direction == pb.DIRECTION_UP
        history = await self._queries.trace(request.project_id, request.object_id, upwards=upwards)
        return pb.TraceObjectResponse(
            objects=[_object(item) for item in history.objects],
            executions=[_execution(execution) for execution in history.executions],
        )


def _run(run: RunRecord) -> pb.RunRecord:
    return pb.RunRecord(
        run_id=run.id,
        project_id=run.project_id,
        workflow_id=run.workflow_id,
        status=run.state,
        started_at=to_timestamp(run.started_at),
        ended_at=to_timestamp(run.ended_at),
        commit=run.commit,
        dirty=run.dirty,
        triggered_by=run.triggered_by,
        workflow_text=run.workflow_text,
    )


def _execution(execution: ExecutionRecord) -> pb.ExecutionRecord:
    error = execution.error or {}
    return pb.ExecutionRecord(
        execution_id=execution.id,
        run_id=execution.run_id,
        node_id=execution.node_id,
        block_type=execution.block_type,
        block_version=execution.block_version,
        config_json=json.dumps(execution.config, ensure_ascii=False),
        state=execution.state,
        started_at=to_timestamp(execution.started_at),
        ended_at=to_timestamp(execution.ended_at),
        duration_s=execution.duration_s or 0.0,
        error_code=error.get("code", ""),
        error_message=error.get("message", ""),
        environment_json=json.dumps(execution.environment, ensure_ascii=False),
        peak_memory_bytes=execution.peak_memory_bytes or 0,
        inputs=[_port(place) for place in execution.inputs],
        outputs=[_port(place) for place in execution.outputs],
        reason=execution.reason,
    )


def _port(place: PortObject) -> pb.PortObject:
    return pb.PortObject(port=place.port, position=place.position, object_id=place.object_id)


def _object(item: ObjectRecord) -> pb.ObjectRecord:
    return pb.ObjectRecord(
        object_id=item.id,
        type_name=item.type_name,
        content_hash=item.content_hash,
        reference_json=json.dumps(item.reference, ensure_ascii=False),
        made_by=item.made_by,
    )
