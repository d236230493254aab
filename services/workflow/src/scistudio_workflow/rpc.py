"""Proto in, one call, proto out."""

from __future__ import annotations

from pathlib import Path

import grpc
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceServicer

from scistudio_workflow import messages
from scistudio_workflow.adapters.known_projects import KnownProject
from scistudio_workflow.app.catalogs import Catalogs
from scistudio_workflow.app.plans import Plans
from scistudio_workflow.app.projects import Projects
from scistudio_workflow.app.workflows import Workflows
from scistudio_workflow.domain.model import Mode

Context = grpc.aio.ServicerContext[object, object]


class WorkflowRpc(WorkflowServiceServicer):
    """The service's calls."""

    def __init__(self, projects: Projects, workflows: Workflows, catalogs: Catalogs, plans: Plans) -> None:
        self._projects, self._workflows, self._catalogs, self._plans = projects, workflows, catalogs, plans

    def _project(self, known: KnownProject) -> pb.Project:
        return messages.project(known, is_open=self._projects.is_open(known.id))

    async def ListProjects(self, request: pb.ListProjectsRequest, context: Context) -> pb.ListProjectsResponse:
        return pb.ListProjectsResponse(projects=map(self._project, await self._projects.all(only_open=request.only_open)))

    async def GetProject(self, request: pb.GetProjectRequest, context: Context) -> pb.GetProjectResponse:
        return pb.GetProjectResponse(project=self._project(await self._projects.get(request.project_id)))

    async def CreateProject(self, request: pb.CreateProjectRequest, context: Context) -> pb.CreateProjectResponse:
        return pb.CreateProjectResponse(
            project=self._project(await self._projects.create(request.parent, request.name, request.description))
        )

    async def OpenProject(self, request: pb.OpenProjectRequest, context: Context) -> pb.OpenProjectResponse:
        return pb.OpenProjectResponse(project=self._project(await self._projects.open(request.path)))

    async def CloseProject(self, request: pb.CloseProjectRequest, context: Context) -> pb.CloseProjectResponse:
        await self._projects.close(request.project_id)
        return pb.CloseProjectResponse()

    async def ForgetProject(self, request: pb.ForgetProjectRequest, context: Context) -> pb.ForgetProjectResponse:
        await self._projects.forget(request.project_id)
        return pb.ForgetProjectResponse()

    async def ListWorkflows(self, request: pb.ListWorkflowsRequest, context: Context) -> pb.ListWorkflowsResponse:
        return pb.ListWorkflowsResponse(workflows=map(messages.summary, await self._workflows.all(request.project_id)))

    async def GetWorkflow(self, request: pb.GetWorkflowRequest, context: Context) -> pb.GetWorkflowResponse:
        return pb.GetWorkflowResponse(workflow=messages.workflow(await self._workflows.get(request.project_id, request.workflow)))

    async def ValidateWorkflow(self, request: pb.ValidateWorkflowRequest, context: Context) -> pb.ValidateWorkflowResponse:
        mode = Mode.DRAFT if request.draft else Mode.STRICT
        if request.WhichOneof("source") == "text":
            return messages.validation(await self._workflows.validate_text(request.project_id, request.text, mode))
        return messages.validation(await self._workflows.validate_file(request.project_id, request.workflow, mode))

    async def GetRunPlan(self, request: pb.GetRunPlanRequest, context: Context) -> pb.GetRunPlanResponse:
        return messages.plan(await self._plans.make(request.project_id, request.workflow))

    async def GetCatalog(self, request: pb.GetCatalogRequest, context: Context) -> pb.GetCatalogResponse:
        project = await self._projects.get(request.project_id)
        return messages.catalog(await self._catalogs.get(Path(project.path), rescan=request.rescan))
