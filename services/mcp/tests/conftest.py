"""The built mcp service behind a real Unix socket; the services it asks are scripted at the process boundary."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import numpy as np
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from scistudio_mcp.service import build
from scistudio_mcp.settings import McpSettings
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.service import Service
from scistudio_platform.testing import TOKEN, make_settings
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.panels.v1 import panels_pb2 as panels
from scistudio_proto.panels.v1 import panels_pb2_grpc as panels_rpc
from scistudio_proto.runner.v1 import runner_pb2 as runner
from scistudio_proto.runner.v1 import runner_pb2_grpc as runner_rpc
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.scheduler.v1 import scheduler_pb2_grpc as scheduler_rpc
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow
from scistudio_proto.workflow.v1 import workflow_pb2_grpc as workflow_rpc

Connect = Callable[..., Client[StreamableHttpTransport]]
WIRE = {
    "_collection": True,
    "item_type": "Array",
    "items": [
        {"backend": "zarr", "path": "/p/a.zarr", "format": "zarr", "metadata": {"type_chain": ["DataObject", "Array"], "shape": [2, 3]}}
    ],
}


class Workflow(workflow_rpc.WorkflowServiceServicer):
    def __init__(self, projects: list[workflow.Project]) -> None:
        self.projects = projects

    async def ListProjects(self, request: Any, context: Any) -> workflow.ListProjectsResponse:
        return workflow.ListProjectsResponse(projects=self.projects)

    async def GetProject(self, request: Any, context: Any) -> workflow.GetProjectResponse:
        found = next((project for project in self.projects if project.id == request.project_id), None)
        if found is None:
            raise RemoteError(Kind.NOT_FOUND, "project.not_found", f"There is no project {request.project_id}.", hint="List them.")
        return workflow.GetProjectResponse(project=found)

    async def GetCatalog(self, request: Any, context: Any) -> workflow.GetCatalogResponse:
        port = workflow.Port(name="data", accepted_types=["Array"], required=True)
        block = workflow.BlockSpec(type_name="smooth", name="Smooth", input_ports=[port], output_ports=[port], config_schema_json="{}")
        return workflow.GetCatalogResponse(blocks=[block])

    async def ValidateWorkflow(self, request: Any, context: Any) -> workflow.ValidateWorkflowResponse:
        problem = workflow.Problem(severity=workflow.SEVERITY_ERROR, code="workflow.cycle", message="a -> b -> a", node="a")
        return workflow.ValidateWorkflowResponse(valid=False, problems=[problem] if request.text else [])


class Scheduler(scheduler_rpc.SchedulerServiceServicer):
    def __init__(self) -> None:
        error = ErrorDetail(code="block.raised", message="no")
        failed = scheduler.NodeRun(node_id="smooth", state=scheduler.BLOCK_STATE_ERROR, error=error, traceback="Trace")
        self.run = scheduler.Run(id="run-1", workflow_id="main", state=scheduler.RUN_STATE_FAILED, nodes=[failed])

    async def StartRun(self, request: Any, context: Any) -> scheduler.StartRunResponse:
        assert request.triggered_by == "agent"
        return scheduler.StartRunResponse(run=scheduler.Run(id=request.run_id))

    async def ListRuns(self, request: Any, context: Any) -> scheduler.ListRunsResponse:
        return scheduler.ListRunsResponse(runs=[self.run] if request.workflow_id == "main" else [])

    async def GetRun(self, request: Any, context: Any) -> scheduler.GetRunResponse:
        if request.run_id != "run-1":
            raise RemoteError(Kind.NOT_FOUND, "run.not_found", f"There is no run {request.run_id}.", hint="List them.")
        return scheduler.GetRunResponse(run=self.run)

    async def GetOutput(self, request: Any, context: Any) -> scheduler.GetOutputResponse:
        return scheduler.GetOutputResponse(value=PortValue(port=request.port, value_json=json.dumps(WIRE)))


class Runner(runner_rpc.RunnerServiceServicer):
    async def ReadLogs(self, request: Any, context: Any) -> runner.ReadLogsResponse:
        assert request.project_dir == "/p"
        return runner.ReadLogsResponse(lines=[runner.LogLine(line=1, stream="stdout", text="hello")])


class Panels(panels_rpc.PanelsServiceServicer):
    async def Read(self, request: Any, context: Any) -> AsyncIterator[panels.ReadResponse]:
        metadata = {"dtype": "<u2", "shape": [2, 3], "full_shape": [4, 6]}
        yield panels.ReadResponse(header=panels.ReadHeader(metadata_json=json.dumps(metadata)))
        body = np.arange(6, dtype="<u2").tobytes()
        yield panels.ReadResponse(body=body[:5])
        yield panels.ReadResponse(body=body[5:])


@pytest.fixture
def settings() -> McpSettings:
    return make_settings(McpSettings, http="")


@pytest.fixture
def projects() -> list[workflow.Project]:
    """What the workflow service knows; a test may add to it."""
    return [workflow.Project(id="project-1", name="one", path="/p", is_open=True)]


@pytest.fixture
async def others(settings: McpSettings, projects: list[workflow.Project]) -> AsyncIterator[None]:
    """The scripted neighbours."""
    quiet = settings.model_copy(update={"http": None})
    servicers: dict[str, tuple[Any, object]] = {
        "workflow": (workflow_rpc.add_WorkflowServiceServicer_to_server, Workflow(projects)),
        "scheduler": (scheduler_rpc.add_SchedulerServiceServicer_to_server, Scheduler()),
        "runner": (runner_rpc.add_RunnerServiceServicer_to_server, Runner()),
        "panels": (panels_rpc.add_PanelsServiceServicer_to_server, Panels()),
    }
    async with Service("others", [GrpcServer(quiet, {add: servicer}, name=name) for name, (add, servicer) in servicers.items()]):
        yield


@pytest.fixture
def connect(settings: McpSettings) -> Connect:
    """Makes MCP clients over the service's socket; the argument is the address's query."""

    def factory(**arguments: Any) -> httpx2.AsyncClient:
        transport = httpx2.AsyncHTTPTransport(uds=str(settings.run_dir / "mcp.http.sock"))
        return httpx2.AsyncClient(transport=transport, **{**arguments, "follow_redirects": True})

    def connected(query: str = "") -> Client[StreamableHttpTransport]:
        headers = {"authorization": f"Bearer {TOKEN.get_secret_value()}"}
        return Client(StreamableHttpTransport(f"http://mcp/mcp{query}", headers=headers, httpx_client_factory=factory))

    return connected


@pytest.fixture
async def client(settings: McpSettings, others: None, connect: Connect) -> AsyncIterator[Client[StreamableHttpTransport]]:
    async with build(settings), connect() as client:
        yield client
