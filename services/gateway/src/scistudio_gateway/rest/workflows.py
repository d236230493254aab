"""Workflow files of a project."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_gateway.adapters.backends import PROBE_TIMEOUT_S
from scistudio_gateway.domain.exact_json import read_json
from scistudio_gateway.rest.representations import (
    NOT_MODIFIED,
    Json,
    Page,
    ProjectPath,
    Representation,
    Services,
    WorkflowPath,
    is_current,
    not_modified,
)

router = APIRouter(tags=["workflows"])
SEVERITIES: dict[int, Literal["error", "warning"]] = {pb.SEVERITY_ERROR: "error", pb.SEVERITY_WARNING: "warning"}


class WorkflowSummary(Representation):
    """A workflow file."""

    id: str = Field(description="Run identity: the file's stem, or `@` and the path for files elsewhere.")
    path: str
    description: str
    n_nodes: int
    problem: str = Field(description="Why the file cannot be read as a workflow; empty when it can.")


class WorkflowPage(Page[WorkflowSummary]):
    """One page of workflow files."""


class Node(Representation):
    """A block's place in a workflow."""

    id: str
    block_type: str
    config: dict[str, Json] = Field(description="Integers beyond 2^53 are strings.")
    execution_mode: str
    layout: dict[str, float]


class Edge(Representation):
    """A connection of an output to an input."""

    source_node: str
    source_port: str
    target_node: str
    target_port: str


class ExposedPort(Representation):
    """A port that the workflow has when it is used as a block."""

    name: str
    node: str
    port: str


class Workflow(Representation):
    """A workflow file, read."""

    id: str
    path: str
    version: str
    description: str
    nodes: list[Node]
    edges: list[Edge]
    metadata: dict[str, Json]
    exposed_inputs: list[ExposedPort]
    exposed_outputs: list[ExposedPort]
    text: str = Field(description="The file as it is.")


class ValidationProblem(Representation):
    """One thing that is wrong with a workflow, or may be."""

    severity: Literal["error", "warning"]
    code: str
    message: str
    node: str
    port: str
    hint: str
    line: int = Field(description="Of the file, from 1; 0 when unknown.")


class Validation(Representation):
    """All that is wrong with a workflow, errors first."""

    valid: bool = Field(description="It can run: no problem is an error.")
    problems: list[ValidationProblem]


def _node(message: pb.Node) -> Node:
    return Node(
        id=message.id,
        block_type=message.block_type,
        config=read_json(message.config_json, {}),
        execution_mode=message.execution_mode,
        layout=dict(message.layout),
    )


def _edge(message: pb.Edge) -> Edge:
    return Edge(
        source_node=message.source_node,
        source_port=message.source_port,
        target_node=message.target_node,
        target_port=message.target_port,
    )


def _exposed(message: pb.ExposedPort) -> ExposedPort:
    return ExposedPort(name=message.name, node=message.node, port=message.port)


def _workflow(message: pb.Workflow) -> Workflow:
    return Workflow(
        id=message.id,
        path=message.path,
        version=message.version,
        description=message.description,
        nodes=[_node(node) for node in message.nodes],
        edges=[_edge(edge) for edge in message.edges],
        metadata=read_json(message.metadata_json, {}),
        exposed_inputs=[_exposed(port) for port in message.exposed_inputs],
        exposed_outputs=[_exposed(port) for port in message.exposed_outputs],
        text=message.text,
    )


def _problem(message: pb.Problem) -> ValidationProblem:
    return ValidationProblem(
        severity=SEVERITIES[message.severity],
        code=message.code,
        message=message.message,
        node=message.node,
        port=message.port,
        hint=message.hint,
        line=message.line,
    )


@router.get("/projects/{project}/workflows")
async def list_workflows(project: ProjectPath, services: Services) -> WorkflowPage:
    """All workflow files of the project; one that cannot be read says why."""
    answer = await services.workflow.stub.ListWorkflows(pb.ListWorkflowsRequest(project_id=project))
    return WorkflowPage(
        items=[
            WorkflowSummary(id=one.id, path=one.path, description=one.description, n_nodes=one.n_nodes, problem=one.problem)
            for one in answer.workflows
        ]
    )


@router.get("/projects/{project}/workflows/{workflow}", response_model=Workflow, responses=NOT_MODIFIED)
async def get_workflow(
    project: ProjectPath, workflow: WorkflowPath, request: Request, response: Response, services: Services
) -> Workflow | Response:
    """One workflow. Answers 304 to the `ETag` of the same text."""
    found = (await services.workflow.stub.GetWorkflow(pb.GetWorkflowRequest(project_id=project, workflow=workflow))).workflow
    return not_modified(response) if is_current(request, response, found.etag) else _workflow(found)


@router.post("/projects/{project}/workflows/{workflow}/validation")
async def validate_workflow(
    project: ProjectPath,
    workflow: WorkflowPath,
    services: Services,
    draft: Annotated[bool, Query(description="Leave out what only a run needs: unconnected inputs, unfinished configuration.")] = False,
) -> Validation:
    """Check a workflow without running it."""
    request = pb.ValidateWorkflowRequest(project_id=project, workflow=workflow, draft=draft)
    answer = await services.workflow.stub.ValidateWorkflow(request, timeout=PROBE_TIMEOUT_S)
    return Validation(valid=answer.valid, problems=[_problem(problem) for problem in answer.problems])
