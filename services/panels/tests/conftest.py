"""The built panels service on a real socket; the scheduler and the workflow service are scripted at the process boundary."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scistudio.core.storage import flush_context
from scistudio.core.storage.persistence import flush
from scistudio.core.types import DataObject
from scistudio.core.types.serialization import _serialise_one
from scistudio_panels.service import build
from scistudio_panels.settings import PanelsSettings
from scistudio_platform.rpc import GrpcServer, RpcClient
from scistudio_platform.service import Service
from scistudio_platform.testing import make_settings
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.panels.v1 import panels_pb2 as pb
from scistudio_proto.panels.v1 import panels_pb2_grpc as rpc
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.scheduler.v1 import scheduler_pb2_grpc as scheduler_rpc
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow
from scistudio_proto.workflow.v1 import workflow_pb2_grpc as workflow_rpc

Wire = dict[str, Any]


@dataclass
class Part:
    """What a read answered."""

    media_type: str
    metadata: dict[str, Any]
    body: bytes
    n_parts: int


Read = Callable[..., Awaitable[Part]]


class Scheduler(scheduler_rpc.SchedulerServiceServicer):
    def __init__(self, outputs: dict[str, Any]) -> None:
        self._outputs = outputs

    async def GetOutput(self, request: scheduler.GetOutputRequest, context: Any) -> scheduler.GetOutputResponse:
        value = PortValue(port=request.port, value_json=json.dumps(self._outputs[request.port]))
        return scheduler.GetOutputResponse(value=value)


class Workflow(workflow_rpc.WorkflowServiceServicer):
    def __init__(self, project: Path) -> None:
        self._project = project

    async def GetProject(self, request: Any, context: Any) -> workflow.GetProjectResponse:
        return workflow.GetProjectResponse(project=workflow.Project(id="p", path=str(self._project)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / "data").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def outputs() -> dict[str, Any]:
    """What the ports of the only node hold; a test fills it."""
    return {}


@pytest.fixture
def store(project: Path) -> Callable[[DataObject], Wire]:
    """Stores an object in the project and returns its wire form."""

    def stored(item: DataObject) -> Wire:
        flush_context.set_output_dir(str(project / "data"))
        try:
            return _serialise_one(flush(item))
        finally:
            flush_context.clear()

    return stored


@pytest.fixture
async def read(project: Path, outputs: dict[str, Any]) -> AsyncIterator[Read]:
    """Reads through the service: ``read(port, index, table=pb.TableRead())`` or ``read(reference=wire, …)``."""
    settings = make_settings(PanelsSettings)
    others = [
        GrpcServer(settings, {scheduler_rpc.add_SchedulerServiceServicer_to_server: Scheduler(outputs)}, name="scheduler"),
        GrpcServer(settings, {workflow_rpc.add_WorkflowServiceServicer_to_server: Workflow(project)}, name="workflow"),
    ]
    client = RpcClient(settings, "panels", rpc.PanelsServiceStub)

    async def reading(port: str = "", index: int = 0, *, reference: Any = None, **kind: Any) -> Part:
        request = pb.ReadRequest(project_id="p", **(kind or {"describe": pb.DescribeRead()}))
        if reference is None:
            request.output.CopyFrom(pb.OutputItem(run_id="r", node_id="n", port=port, index=index))
        else:
            request.reference_json = reference if isinstance(reference, str) else json.dumps(reference)
        answers = [answer async for answer in client.stub.Read(request, timeout=20)]
        bodies = [answer.body for answer in answers[1:]]
        return Part(answers[0].header.media_type, json.loads(answers[0].header.metadata_json), b"".join(bodies), len(bodies))

    async with Service("others", others), build(settings), Service("client", [client]):
        yield reading
