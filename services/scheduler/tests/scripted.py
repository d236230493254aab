"""The runner and the workflow service, scripted, behind real gRPC servers: the scheduler's process boundary."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.rpc import GrpcServer
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.common.v1.data_pb2 import PortValue
from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.runner.v1 import runner_pb2 as runner_pb
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceServicer, add_RunnerServiceServicer_to_server
from scistudio_proto.workflow.v1 import workflow_pb2 as pb
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceServicer, add_WorkflowServiceServicer_to_server

PROJECT = "p1"


class NoSuchWorkflow(SciStudioError):
    kind, code = Kind.NOT_FOUND, "workflow.not_found"


def collection(execution_id: str) -> str:
    """One Text item, as the SDK writes it."""
    framework = {"object_id": execution_id.replace("-", ""), "created_at": "2026-12-01T12:00:00Z"}
    item = {"backend": None, "path": None, "format": None, "metadata": {"type_chain": ["DataObject", "Text"], "framework": framework}}
    return json.dumps({"_collection": True, "items": [item], "item_type": "Text"})


def result(execution_id: str, outcome: runner_pb.Outcome.ValueType, **fields: Any) -> runner_pb.Result:
    done = outcome == runner_pb.OUTCOME_DONE
    outputs = [PortValue(port="out", value_json=collection(execution_id))] if done else []
    return runner_pb.Result(execution_id=execution_id, outcome=outcome, outputs=outputs, environment_json='{"python": "3.13"}', **fields)


class ScriptedRunner(RunnerServiceServicer):
    """Runs nothing. Like the real one it goes on without a stream, answers the same id with the same execution, and forgets when told."""

    def __init__(self) -> None:
        self.asked: list[runner_pb.Execution] = []
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.acknowledged: list[str] = []
        self.outcomes: dict[str, list[runner_pb.Outcome.ValueType]] = {}
        self.updates: dict[str, list[runner_pb.ExecuteResponse]] = {}
        self.is_deaf = False
        self.output = ""
        self.n_streams = 0
        self._said: dict[str, asyncio.Queue[runner_pb.ExecuteResponse]] = {}
        self._gates: dict[str, asyncio.Event] = {}
        self._results: dict[str, asyncio.Future[runner_pb.Result]] = {}

    def holds(self, *nodes: str) -> None:
        """Let executions of these nodes last until they are released."""
        for node in nodes:
            self._gates[node] = asyncio.Event()

    def release(self, *nodes: str) -> None:
        for node in nodes:
            self._gates[node].set()

    def held(self) -> set[str]:
        """The nodes that are not released yet."""
        return {node for node, gate in self._gates.items() if not gate.is_set()}

    def waiting(self) -> set[str]:
        """The held nodes that have an execution."""
        return self.held() & set(self.begun)

    def nodes(self) -> list[str]:
        """The nodes of all executions asked for, in order."""
        return [execution.node_id for execution in self.asked]

    async def Execute(self, request: runner_pb.ExecuteRequest, context: Any) -> AsyncIterator[runner_pb.ExecuteResponse]:
        execution = request.execution
        self.asked.append(execution)
        if execution.execution_id not in self._results:
            self.begun.append(execution.node_id)
            self._results[execution.execution_id] = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().create_task(self._work(execution))
        self.n_streams += 1
        try:
            yield runner_pb.ExecuteResponse(started=runner_pb.Started(pid=1))
            for update in self.updates.get(execution.node_id, []):
                yield update
            async for update in self._live(execution):
                yield update
        finally:
            self.n_streams -= 1

    async def _live(self, execution: runner_pb.Execution) -> AsyncIterator[runner_pb.ExecuteResponse]:
        """What is said about an execution from now on, and its result."""
        said = self._said.setdefault(execution.node_id, asyncio.Queue())
        ended = self._results[execution.execution_id]
        while not ended.done():
            saying = asyncio.ensure_future(said.get())
            await asyncio.wait({saying, ended}, return_when=asyncio.FIRST_COMPLETED)
            if saying.done():
                yield saying.result()
            saying.cancel()
        yield runner_pb.ExecuteResponse(result=ended.result())

    def say(self, node: str, message: str) -> None:
        """Report progress of a running execution."""
        self._said[node].put_nowait(runner_pb.ExecuteResponse(progress=runner_pb.Progress(fraction=0.5, message=message)))

    async def _work(self, execution: runner_pb.Execution) -> None:
        if (gate := self._gates.get(execution.node_id)) is not None:
            await gate.wait()
        script = self.outcomes.get(execution.node_id, [])
        outcome = script.pop(0) if script else runner_pb.OUTCOME_DONE
        error = ErrorDetail(code="block.raised", message="ValueError: no") if outcome == runner_pb.OUTCOME_ERROR else None
        ended = result(execution.execution_id, outcome, error=error)
        if self.output and ended.outputs:
            ended.outputs[0].value_json = self.output
        self._end(ended)

    def _end(self, outcome: runner_pb.Result) -> None:
        future = self._results[outcome.execution_id]
        if not future.done():
            future.set_result(outcome)

    async def CancelExecution(self, request: runner_pb.CancelExecutionRequest, context: Any) -> runner_pb.CancelExecutionResponse:
        self.cancelled.append(request.execution_id)
        if self.is_deaf or request.execution_id not in self._results:
            return runner_pb.CancelExecutionResponse(found=False)
        self._end(result(request.execution_id, runner_pb.OUTCOME_CANCELLED))
        return runner_pb.CancelExecutionResponse(found=True)

    async def AcknowledgeExecution(
        self, request: runner_pb.AcknowledgeExecutionRequest, context: Any
    ) -> runner_pb.AcknowledgeExecutionResponse:
        self.acknowledged.append(request.execution_id)
        return runner_pb.AcknowledgeExecutionResponse()

    def forget(self) -> None:
        """As after the loss of the runner and all its hosts."""
        self._results.clear()


class ScriptedWorkflow(WorkflowServiceServicer):
    """Knows the projects and plans it is given."""

    def __init__(self, folder: Path) -> None:
        self.projects = {PROJECT: pb.Project(id=PROJECT, name="Test", path=str(folder), is_open=True)}
        self.plans: dict[str, pb.GetRunPlanResponse] = {}
        self.missing_types: set[str] = set()

    async def GetRunPlan(self, request: pb.GetRunPlanRequest, context: Any) -> pb.GetRunPlanResponse:
        if request.workflow not in self.plans:
            raise NoSuchWorkflow(f"There is no workflow {request.workflow}.", subject=f"workflow/{request.workflow}")
        plan = pb.GetRunPlanResponse()
        plan.CopyFrom(self.plans[request.workflow])
        plan.project.CopyFrom(self.projects[request.project_id])
        return plan

    async def GetProject(self, request: pb.GetProjectRequest, context: Any) -> pb.GetProjectResponse:
        return pb.GetProjectResponse(project=self.projects[request.project_id])

    async def ListProjects(self, request: pb.ListProjectsRequest, context: Any) -> pb.ListProjectsResponse:
        return pb.ListProjectsResponse(projects=[project for project in self.projects.values() if project.is_open])

    async def GetCatalog(self, request: pb.GetCatalogRequest, context: Any) -> pb.GetCatalogResponse:
        types = {node.block.type_name for plan in self.plans.values() for node in plan.nodes} - self.missing_types
        return pb.GetCatalogResponse(blocks=[pb.BlockSpec(type_name=name) for name in sorted(types)])


def plan(workflow: str, *edges: tuple[str, str], nodes: tuple[str, ...] = (), optional: tuple[str, ...] = ()) -> pb.GetRunPlanResponse:
    """A plan whose nodes have an output `out` and an input port named after each predecessor."""
    names = dict.fromkeys([*nodes, *(name for edge in edges for name in edge)])
    return pb.GetRunPlanResponse(
        workflow_id=workflow,
        path=f"workflows/{workflow}.yaml",
        text=f"workflow: {workflow}",
        commit="abc123",
        nodes=[_node(name, [source for source, target in edges if target == name], optional) for name in names],
        edges=[pb.Edge(source_node=a, source_port="out", target_node=b, target_port=a) for a, b in edges],
    )


def _node(name: str, sources: list[str], optional: tuple[str, ...]) -> pb.PlannedNode:
    return pb.PlannedNode(
        node=pb.Node(id=name, block_type=f"test.{name}"),
        resolved_config_json='{"sigma": 2}',
        block=pb.BlockSpec(type_name=f"test.{name}", version="1.0", module="blocks.test", class_name="Test"),
        input_ports=[pb.Port(name=source, required=source not in optional) for source in sources],
        output_ports=[pb.Port(name="out")],
    )


class Peer:
    """A scripted servicer behind a server that can be stopped and started again."""

    def __init__(self, settings: ServiceSettings, name: str, add: Callable[..., None], servicer: Any) -> None:
        self._make: Callable[[], GrpcServer] = lambda: GrpcServer(settings, {add: servicer}, name=name)
        self._server: GrpcServer | None = None

    async def start(self) -> None:
        self._server = self._make()
        await self._server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop()
            self._server = None


def runner_peer(settings: ServiceSettings, runner: ScriptedRunner) -> Peer:
    return Peer(settings, "runner", add_RunnerServiceServicer_to_server, runner)


def workflow_peer(settings: ServiceSettings, workflow: ScriptedWorkflow) -> Peer:
    return Peer(settings, "workflow", add_WorkflowServiceServicer_to_server, workflow)
