"""The other services, as the tools ask them, and the project that a session means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistudio_platform.rpc import RpcClient
from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceStub
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceStub
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

from scistudio_mcp.errors import NoProjectChosen
from scistudio_mcp.settings import McpSettings

if TYPE_CHECKING:  # the generated code has asynchronous stubs for type checkers alone
    from scistudio_proto.panels.v1.panels_pb2_grpc import PanelsServiceAsyncStub
    from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceAsyncStub
    from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceAsyncStub
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub


class Services:
    """Clients of the services behind the tools. A part."""

    def __init__(self, settings: McpSettings) -> None:
        timeout_s = settings.call_timeout_s
        self._workflow: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub, timeout_s=timeout_s)
        self._scheduler: RpcClient[SchedulerServiceAsyncStub] = RpcClient(settings, "scheduler", SchedulerServiceStub, timeout_s=timeout_s)
        self._runner: RpcClient[RunnerServiceAsyncStub] = RpcClient(settings, "runner", RunnerServiceStub, timeout_s=timeout_s)
        self._panels: RpcClient[PanelsServiceAsyncStub] = RpcClient(settings, "panels", PanelsServiceStub, timeout_s=timeout_s)

    @property
    def workflow(self) -> WorkflowServiceAsyncStub:
        """Projects, workflow files and the catalog."""
        return self._workflow.stub

    @property
    def scheduler(self) -> SchedulerServiceAsyncStub:
        """Runs."""
        return self._scheduler.stub

    @property
    def runner(self) -> RunnerServiceAsyncStub:
        """Logs."""
        return self._runner.stub

    @property
    def panels(self) -> PanelsServiceAsyncStub:
        """Bounded reads of data."""
        return self._panels.stub

    async def start(self) -> None:
        """Make the channels."""
        for client in (self._workflow, self._scheduler, self._runner, self._panels):
            await client.start()

    async def stop(self) -> None:
        """Close the channels."""
        for client in (self._workflow, self._scheduler, self._runner, self._panels):
            await client.stop()

    async def project_id(self) -> str:
        """Return the project of this session: the one in its address, else the only open one."""
        if named := _project_in_address():
            return (await self.workflow.GetProject(pb.GetProjectRequest(project_id=named))).project.id
        answer = await self.workflow.ListProjects(pb.ListProjectsRequest(only_open=True))
        if len(answer.projects) != 1:
            raise NoProjectChosen([f"{project.name} ({project.id})" for project in answer.projects])
        return answer.projects[0].id


def _project_in_address() -> str:
    """The ``project`` of the session's address; sessions within this process have none."""
    from fastmcp.exceptions import FastMCPError
    from fastmcp.server.dependencies import get_http_request

    try:
        return get_http_request().query_params.get("project", "")
    except (RuntimeError, FastMCPError):
        return ""
