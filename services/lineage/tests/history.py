"""A run as events, and a lineage service's parts to record it with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scistudio_lineage.adapters.projects import Projects
from scistudio_lineage.app.queries import Queries
from scistudio_lineage.app.recorder import Recorder
from scistudio_lineage.service import MIGRATIONS
from scistudio_lineage.settings import LineageSettings
from scistudio_platform.db import ProjectDatabases
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.events.block import BlockExecuted, BlockStateChanged, ErrorInfo
from scistudio_platform.events.model import Event, EventData, Scope
from scistudio_platform.events.run import RunEdge, RunFinished, RunNode, RunStarted, RunStateChanged
from scistudio_platform.ids import new_id
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceServicer, add_WorkflowServiceServicer_to_server

PROJECT = "p1"
RUN = "01a00000-0000-7000-8000-000000000001"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


class NoSuchProject(SciStudioError):
    kind, code = Kind.NOT_FOUND, "project.not_found"


class ScriptedWorkflow(WorkflowServiceServicer):
    def __init__(self, **folders: Path) -> None:
        self.folders = folders

    async def GetProject(self, request: pb.GetProjectRequest, context: Any) -> pb.GetProjectResponse:
        if request.project_id not in self.folders:
            raise NoSuchProject(f"There is no project {request.project_id}.")
        return pb.GetProjectResponse(project=pb.Project(id=request.project_id, path=str(self.folders[request.project_id])))


@asynccontextmanager
async def workflow_service(settings: ServiceSettings, workflow: ScriptedWorkflow) -> AsyncIterator[None]:
    server = GrpcServer(settings, {add_WorkflowServiceServicer_to_server: workflow}, name="workflow")
    await server.start()
    yield
    await server.stop()


@dataclass
class Parts:
    """Recorder and queries on one database a project, without the bus."""

    recorder: Recorder
    queries: Queries

    async def record(self, *events: Event) -> None:
        for event in events:
            await self.recorder.handle(event)


@asynccontextmanager
async def parts(settings: LineageSettings, **folders: Path) -> AsyncIterator[Parts]:
    databases = ProjectDatabases(settings, service="lineage", migrations=MIGRATIONS)
    projects = Projects(settings, databases)
    async with workflow_service(settings, ScriptedWorkflow(**folders)):
        await databases.start()
        await projects.start()
        yield Parts(Recorder(projects), Queries(projects, trace_limit=settings.trace_limit))
        await projects.stop()
        await databases.stop()


def item(object_id: str, *, type_name: str = "Text", content_hash: str = "", **slots: Any) -> dict[str, Any]:
    """One object on the wire."""
    metadata: dict[str, Any] = {"type_chain": ["DataObject", type_name], "framework": {"object_id": object_id}}
    if content_hash:
        metadata["content_hash"] = content_hash
    if slots:
        metadata["slots"] = slots
    return {"backend": "filesystem", "path": f"/data/{object_id}", "format": None, "metadata": metadata}


def collection(*object_ids: str) -> dict[str, Any]:
    return {"_collection": True, "item_type": "Text", "items": [item(object_id) for object_id in object_ids]}


def event(data: EventData, *, node: str | None = None, execution: str | None = None, at: int = 0, run: str = RUN) -> Event:
    scope = Scope(project=PROJECT, workflow="main", run=run, node=node, execution=execution)
    return Event(id=new_id(), time=NOW + timedelta(seconds=at), scope=scope, data=data)


def executed(node: str, inputs: dict[str, Any], outputs: dict[str, Any], *, at: int = 1, state: str = "done", **fields: Any) -> Event:
    data = {"block_type": f"test.{node}", "block_version": "1.0", "config": {"sigma": 2}, "seed": 7, "peak_memory_bytes": 2**40}
    times = {"started_at": NOW + timedelta(seconds=at), "ended_at": NOW + timedelta(seconds=at, microseconds=5), "duration_s": 0.5}
    values = {**data, **times, "inputs": inputs, "outputs": outputs, "state": state, **fields}
    return event(BlockExecuted.model_validate(values), node=node, execution=f"x-{node}", at=at)


def started(run: str = RUN, at: int = 0) -> Event:
    nodes = [RunNode(id=node, block_type=f"test.{node}") for node in ("load", "split", "fail", "never")]
    edges = [RunEdge(source_node="load", source_port="out", target_node="split", target_port="in")]
    data = RunStarted(workflow_id="main", workflow_text="nodes: …", commit="abc", dirty=True, triggered_by="cli", nodes=nodes, edges=edges)
    return event(data, at=at, run=run)


def whole_run() -> list[Event]:
    """load makes two texts, split takes them and makes a third, another block fails and the last is skipped."""
    error = ErrorInfo(code="block.raised", message="no")
    return [
        started(),
        event(RunStateChanged(state="running"), at=1),
        event(BlockStateChanged(state="ready"), node="load", at=1),
        executed("load", {}, {"out": collection("o1", "o2")}),
        executed("split", {"in": collection("o1", "o2")}, {"out": item("o3", content_hash="h3"), "same": item("o1")}, at=2),
        event(BlockStateChanged(state="error", error=error), node="fail", execution="x-fail", at=3),
        executed("fail", {"in": item("o3", content_hash="h3")}, {}, at=3, state="error", error=error),
        event(BlockStateChanged(state="skipped", reason="missing_input: in comes from fail"), node="never", at=3),
        event(RunStateChanged(state="failed", reason="failed: fail"), at=4),
        event(RunFinished(state="failed", reason="failed: fail"), at=4),
    ]
