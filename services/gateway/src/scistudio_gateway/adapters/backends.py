"""The other services, as parts: their stubs, and whether they serve."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from grpc_health.v1 import health_pb2, health_pb2_grpc
from scistudio_platform.errors import SciStudioError
from scistudio_platform.rpc import RpcClient
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceStub
from scistudio_proto.mcp.v1.mcp_pb2_grpc import McpServiceStub
from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceStub
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceStub
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub
from scistudio_proto.workflow.v1 import workflow_pb2
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

if TYPE_CHECKING:
    from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceAsyncStub
    from scistudio_proto.mcp.v1.mcp_pb2_grpc import McpServiceAsyncStub
    from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceAsyncStub
    from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceAsyncStub
    from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceAsyncStub
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub

PROBE_TIMEOUT_S = 60.0  # of a call that may start a worker, to find out what blocks there are
ServiceState = Literal["serving", "down"]
SERVING = health_pb2.HealthCheckResponse.SERVING


@dataclass(frozen=True, slots=True)
class Backends:
    """Clients of all other services; each is a part."""

    workflow: RpcClient[WorkflowServiceAsyncStub]
    scheduler: RpcClient[SchedulerServiceAsyncStub]
    runner: RpcClient[RunnerServiceAsyncStub]
    lineage: RpcClient[LineageServiceAsyncStub]
    panels: RpcClient[PanelsServiceAsyncStub]
    mcp: RpcClient[McpServiceAsyncStub]

    @property
    def clients(self) -> dict[str, RpcClient[Any]]:
        """All clients by their service's name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    async def health(self, timeout_s: float) -> dict[str, ServiceState]:
        """Ask all services at once whether they serve."""
        states = await asyncio.gather(*(_health(client, timeout_s) for client in self.clients.values()))
        return dict(zip(self.clients, states, strict=True))

    async def project_dir(self, project: str) -> str:
        """Return the folder of a project, which the runner needs for its logs."""
        answer = await self.workflow.stub.GetProject(workflow_pb2.GetProjectRequest(project_id=project))
        return answer.project.path


async def _health(client: RpcClient[Any], timeout_s: float) -> ServiceState:
    stub = health_pb2_grpc.HealthStub(client.channel)
    try:
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=timeout_s)
    except SciStudioError:
        return "down"
    return "serving" if answer.status == SERVING else "down"


def connect(settings: ServiceSettings) -> Backends:
    """Make the clients; nothing is sent before they start, and no service need be there then."""
    return Backends(
        workflow=RpcClient(settings, "workflow", WorkflowServiceStub),
        scheduler=RpcClient(settings, "scheduler", SchedulerServiceStub),
        runner=RpcClient(settings, "runner", RunnerServiceStub),
        lineage=RpcClient(settings, "lineage", LineageServiceStub),
        panels=RpcClient(settings, "panels", PanelsServiceStub),
        mcp=RpcClient(settings, "mcp", McpServiceStub),
    )
