"""The workflow service as the scheduler sees it: plans, projects and the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scistudio_platform.ids import NodeId, ProjectId
from scistudio_platform.rpc import RpcClient
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

from scistudio_scheduler.domain.graph import Edge
from scistudio_scheduler.domain.plan import Block, Plan, PlannedNode

if TYPE_CHECKING:
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub

CATALOG_TIMEOUT_S = 30.0


class WorkflowClient:
    """Asks the workflow service. Folders of projects are remembered: a project never moves while its service lives."""

    def __init__(self, settings: ServiceSettings, *, plan_timeout_s: float) -> None:
        self._rpc: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub)
        self._plan_timeout_s = plan_timeout_s
        self._folders: dict[ProjectId, Path] = {}

    async def start(self) -> None:
        """Make the channel."""
        await self._rpc.start()

    async def stop(self) -> None:
        """Close the channel."""
        await self._rpc.stop()

    async def plan(self, project: ProjectId, workflow: str, *, triggered_by: str, trace_context: Mapping[str, str]) -> Plan:
        """Return the flattened, strictly validated workflow with the specs of its blocks."""
        request = pb.GetRunPlanRequest(project_id=project, workflow=workflow)
        answer = await self._rpc.stub.GetRunPlan(request, timeout=self._plan_timeout_s)
        self._folders[project] = Path(answer.project.path)
        return _to_plan(project, answer, triggered_by, dict(trace_context))

    async def folder(self, project: ProjectId) -> Path:
        """Return the folder of a project that this installation knows."""
        if project not in self._folders:
            answer = await self._rpc.stub.GetProject(pb.GetProjectRequest(project_id=project))
            self._folders[project] = Path(answer.project.path)
        return self._folders[project]

    async def open_projects(self) -> dict[ProjectId, Path]:
        """Return the projects that this composition holds open, with their folders."""
        answer = await self._rpc.stub.ListProjects(pb.ListProjectsRequest(only_open=True))
        projects = {ProjectId(project.id): Path(project.path) for project in answer.projects}
        self._folders |= projects
        return projects

    async def block_types(self, project: ProjectId) -> frozenset[str]:
        """Return the type names of all blocks that the project's workflows may use now."""
        answer = await self._rpc.stub.GetCatalog(pb.GetCatalogRequest(project_id=project), timeout=CATALOG_TIMEOUT_S)
        return frozenset(block.type_name for block in answer.blocks)


def _to_plan(project: ProjectId, answer: pb.GetRunPlanResponse, triggered_by: str, trace_context: dict[str, str]) -> Plan:
    edges = (Edge(NodeId(edge.source_node), edge.source_port, NodeId(edge.target_node), edge.target_port) for edge in answer.edges)
    return Plan(
        project_id=project,
        project_dir=answer.project.path,
        workflow_id=answer.workflow_id,
        workflow_path=answer.path,
        workflow_text=answer.text,
        commit=answer.commit,
        dirty=answer.dirty,
        triggered_by=triggered_by,
        continue_on_failure=answer.continue_on_failure,
        nodes=tuple(_to_node(node) for node in answer.nodes),
        edges=tuple(edges),
        trace_context=trace_context,
    )


def _to_node(planned: pb.PlannedNode) -> PlannedNode:
    return PlannedNode(
        id=NodeId(planned.node.id),
        block=_to_block(planned.node.block_type, planned.block),
        config_json=planned.resolved_config_json or planned.node.config_json or "{}",
        required_inputs=frozenset(port.name for port in planned.input_ports if port.required),
    )


def _to_block(block_type: str, spec: pb.BlockSpec) -> Block:
    resources = spec.resources
    return Block(
        type_name=spec.type_name or block_type,
        version=spec.version,
        module=spec.module,
        class_name=spec.class_name,
        file_path=spec.file_path,
        import_roots=tuple(spec.import_roots),
        start_method=spec.start_method,
        cpu_cores=max(1, resources.cpu_cores),
        memory_gb=resources.memory_gb,
        cpu_time_s=resources.cpu_time_s,
        wall_time_s=resources.wall_time_s,
        terminate_grace_s=spec.terminate_grace_s or Block.terminate_grace_s,
    )
