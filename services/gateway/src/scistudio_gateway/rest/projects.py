"""Projects that this installation knows."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Response
from pydantic import Discriminator, Field, Tag
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_gateway.rest.representations import Form, Page, ProjectPath, Representation, Services, api_path, moment

router = APIRouter(tags=["projects"])


class Project(Representation):
    """A project folder that is known here."""

    id: str
    name: str
    path: str = Field(description="Folder on the machine of the services.")
    description: str
    opened_at: datetime | None
    is_open: bool = Field(description="Whether this composition holds it open.")

    @classmethod
    def of(cls, message: pb.Project) -> Project:
        """Represent the service's message."""
        return cls(
            id=message.id,
            name=message.name,
            path=message.path,
            description=message.description,
            opened_at=moment(message.opened_at),
            is_open=message.is_open,
        )


class ProjectPage(Page[Project]):
    """One page of projects."""


class NewProject(Form):
    """A project to make."""

    name: str = Field(min_length=1)
    parent: str = Field(min_length=1, description="Folder in which the project's folder is made.")
    description: str = ""


class ExistingProject(Form):
    """A project folder to add to the known ones and open."""

    path: str = Field(min_length=1)
    existing: Literal[True]


class ProjectChange(Form):
    """Whether the project shall be open."""

    is_open: bool


def _sort_of_body(body: Any) -> str:
    given = body if isinstance(body, dict) else {}
    return "existing" if "existing" in given or "path" in given else "new"


ProjectBody = Annotated[
    Annotated[NewProject, Tag("new")] | Annotated[ExistingProject, Tag("existing")], Discriminator(_sort_of_body), Body()
]


@router.get("/projects")
async def list_projects(services: Services) -> ProjectPage:
    """The known projects, the most recently opened first."""
    answer = await services.workflow.stub.ListProjects(pb.ListProjectsRequest())
    return ProjectPage(items=[Project.of(project) for project in answer.projects])


@router.post("/projects", status_code=201)
async def create_project(body: ProjectBody, response: Response, services: Services) -> Project:
    """Make a project (`name`, `parent`), or register an existing folder and open it (`path`, `existing: true`)."""
    stub = services.workflow.stub
    if isinstance(body, NewProject):
        created = await stub.CreateProject(pb.CreateProjectRequest(name=body.name, parent=body.parent, description=body.description))
        project = Project.of(created.project)
    else:
        project = Project.of((await stub.OpenProject(pb.OpenProjectRequest(path=body.path))).project)
    response.headers["Location"] = api_path("projects", project.id)
    return project


@router.get("/projects/{project}")
async def get_project(project: ProjectPath, services: Services) -> Project:
    """One known project."""
    return Project.of((await services.workflow.stub.GetProject(pb.GetProjectRequest(project_id=project))).project)


@router.patch("/projects/{project}")
async def update_project(project: ProjectPath, body: ProjectChange, services: Services) -> Project:
    """Open the project, or give it back."""
    stub = services.workflow.stub
    if body.is_open:
        known = await stub.GetProject(pb.GetProjectRequest(project_id=project))
        return Project.of((await stub.OpenProject(pb.OpenProjectRequest(path=known.project.path))).project)
    await stub.CloseProject(pb.CloseProjectRequest(project_id=project))
    return await get_project(project, services)


@router.delete("/projects/{project}", status_code=204)
async def forget_project(project: ProjectPath, services: Services) -> None:
    """Take the project off the list. Its folder is not touched."""
    await services.workflow.stub.ForgetProject(pb.ForgetProjectRequest(project_id=project))
