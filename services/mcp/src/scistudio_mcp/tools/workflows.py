"""Tools about workflow files."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal

from fastmcp import FastMCP
from pydantic import Field
from scistudio_proto.workflow.v1 import workflow_pb2 as pb

from scistudio_mcp.results import DecodedWorkflow, Problem, Validation, WorkflowItem, Workflows
from scistudio_mcp.services import Services

INLINE = re.compile(r"\s*(name|workflow|id|version):|(?s:.*^\s*nodes:)", re.MULTILINE)


def _problem(problem: pb.Problem) -> Problem:
    severity: Literal["error", "warning"] = "error" if problem.severity == pb.SEVERITY_ERROR else "warning"
    return Problem(
        severity=severity,
        code=problem.code,
        message=problem.message,
        node=problem.node,
        port=problem.port,
        hint=problem.hint,
        line=problem.line,
    )


def _decoded(workflow: pb.Workflow) -> DecodedWorkflow:
    nodes = [{"id": node.id, "block_type": node.block_type, "config": json.loads(node.config_json or "{}")} for node in workflow.nodes]
    edges = [
        {"source": f"{edge.source_node}:{edge.source_port}", "target": f"{edge.target_node}:{edge.target_port}"} for edge in workflow.edges
    ]
    return DecodedWorkflow(path=workflow.path, name=workflow.id, nodes=nodes, edges=edges)


def register(server: FastMCP, services: Services) -> None:
    """Register ``list_workflows``, ``get_workflow`` and ``validate_workflow``."""

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def list_workflows() -> Workflows:
        """List the project's workflow files."""
        answer = await services.workflow.ListWorkflows(pb.ListWorkflowsRequest(project_id=await services.project_id()))
        items = [
            WorkflowItem(id=found.id, path=found.path, description=found.description, n_nodes=found.n_nodes, problem=found.problem)
            for found in answer.workflows
        ]
        return Workflows(workflows=items, count=len(items))

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def get_workflow(path: Annotated[str, Field(description="Workflow id, or project-relative path.")]) -> DecodedWorkflow:
        """Read a workflow file, decoded."""
        request = pb.GetWorkflowRequest(project_id=await services.project_id(), workflow=path)
        return _decoded((await services.workflow.GetWorkflow(request)).workflow)

    @server.tool(tags={"category:workflow", "read"}, annotations={"readOnlyHint": True})
    async def validate_workflow(
        yaml_or_path: Annotated[str, Field(description="Workflow id, project-relative path, or the YAML text itself.")],
    ) -> Validation:
        """Check a workflow without running it."""
        request = pb.ValidateWorkflowRequest(project_id=await services.project_id())
        if INLINE.match(yaml_or_path):
            request.text = yaml_or_path
        else:
            request.workflow = yaml_or_path
        answer = await services.workflow.ValidateWorkflow(request)
        problems = [_problem(problem) for problem in answer.problems]
        errors = [problem for problem in problems if problem.severity == "error"]
        warnings = [problem for problem in problems if problem.severity == "warning"]
        step = "Call run_workflow." if answer.valid else "Mend the errors and validate again."
        return Validation(valid=answer.valid, errors=errors, warnings=warnings, next_step=step)
