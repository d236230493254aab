"""Tools about projects. They are additions of ours to the contract, so that an agent can start without a person opening things first."""

from __future__ import annotations

from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_mcp.results import ProjectItem, Projects
from scistudio_mcp.services import Services


def _item(project: pb.Project) -> ProjectItem:
    return ProjectItem(id=project.id, name=project.name, path=project.path, description=project.description, is_open=project.is_open)


def register(server: FastMCP, services: Services) -> None:
    """Register ``list_projects`` and ``open_project``."""

    @server.tool(tags={"category:workspace", "read"}, annotations={"readOnlyHint": True})
    async def list_projects() -> Projects:
        """List the projects that this installation knows, the most recently opened first."""
        answer = await services.workflow.ListProjects(pb.ListProjectsRequest())
        items = [_item(project) for project in answer.projects]
        step = "Call open_project with a path, or go on with list_blocks and get_workflow."
        return Projects(projects=items, count=len(items), next_step=step)

    @server.tool(tags={"category:workspace", "write"}, annotations={"readOnlyHint": False, "idempotentHint": True})
    async def open_project(
        path: Annotated[str, Field(description="Absolute folder of the project, as list_projects gives it.")],
    ) -> ProjectItem:
        """Open a project folder; opening an open one answers it."""
        return _item((await services.workflow.OpenProject(pb.OpenProjectRequest(path=path))).project)
