"""The lineage database of each project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scistudio_platform.db import Database, ProjectDatabases
from scistudio_platform.rpc import RpcClient
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

from scistudio_lineage.errors import ProjectGone

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub


class Projects:
    """Finds a project's database by its folder, which the workflow service knows. Folders are remembered."""

    def __init__(self, settings: ServiceSettings, databases: ProjectDatabases) -> None:
        self._rpc: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub)
        self._databases = databases
        self._folders: dict[str, Path] = {}
        self.is_shared = settings.database_url is not None

    async def start(self) -> None:
        """Make the channel."""
        await self._rpc.start()

    async def stop(self) -> None:
        """Close the channel."""
        await self._rpc.stop()

    async def database(self, project: str) -> Database:
        """Return the database that holds the project's lineage.

        Raises
        ------
        ProjectGone
            If its folder is no longer there: lineage must not make it anew.
        """
        folder = await self._folder(project)
        if not self.is_shared and not folder.is_dir():  # one stat
            del self._folders[project]
            await self._databases.close(project)
            raise ProjectGone(project, str(folder))
        return await self._databases.get(project, folder)

    async def _folder(self, project: str) -> Path:
        if project not in self._folders:
            answer = await self._rpc.stub.GetProject(pb.GetProjectRequest(project_id=project))
            self._folders[project] = Path(answer.project.path)
        return self._folders[project]
