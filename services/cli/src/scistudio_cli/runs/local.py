"""The services in this process, over the same servers and a real nats-server: how a headless run starts fast."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scistudio_platform.errors import Kind, RemoteError, SciStudioError
from scistudio_platform.events.bus import EventBus
from scistudio_platform.ids import new_id
from scistudio_platform.nats import NatsServer, NatsStoreInUse
from scistudio_platform.rpc import RpcClient
from scistudio_platform.service import Part
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.lineage.v1 import lineage_pb2 as lineage
from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceStub
from scistudio_proto.runner.v1 import runner_pb2 as runner
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceStub
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow
from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceStub

from scistudio_cli import places
from scistudio_cli.composition import HEADLESS, Place, make_service
from scistudio_cli.runs.model import LogLineView, ProblemView, RunSnapshot
from scistudio_cli.runs.wire import run_from_proto

if TYPE_CHECKING:
    from scistudio_proto.lineage.v1.lineage_pb2_grpc import LineageServiceAsyncStub
    from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceAsyncStub
    from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceAsyncStub
    from scistudio_proto.workflow.v1.workflow_pb2_grpc import WorkflowServiceAsyncStub

PLAN_TIMEOUT_S = 120.0
SETTLE_S, LOOK_AGAIN_S = 5.0, 0.05


class Local:
    """A composition of its own for one project, in this event loop.

    Entering starts it and opens the project; leaving ends everything that it started.
    """

    def __init__(self, project: Path) -> None:
        self.project = project
        self.project_id = ""
        self._run_dir = places.TemporaryRunDir()
        self._state_dir = places.state_dir()
        self._nats = NatsServer(self._state_dir / "nats" / places.composition_key(project))
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.callback(self._run_dir.remove)
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._stack.aclose()

    async def _start(self) -> None:
        self._nats.start()
        self._stack.callback(self._nats.stop)
        place = Place(self._run_dir.path, self._state_dir, self._nats.url, self._nats.token)
        settings = ServiceSettings(**place.common())
        self._workflow: RpcClient[WorkflowServiceAsyncStub] = RpcClient(settings, "workflow", WorkflowServiceStub, timeout_s=PLAN_TIMEOUT_S)
        self._scheduler: RpcClient[SchedulerServiceAsyncStub] = RpcClient(settings, "scheduler", SchedulerServiceStub)
        self._runner: RpcClient[RunnerServiceAsyncStub] = RpcClient(settings, "runner", RunnerServiceStub)
        self._lineage: RpcClient[LineageServiceAsyncStub] = RpcClient(settings, "lineage", LineageServiceStub)
        self._bus = EventBus(settings, required=False)
        worker = make_service("worker", place, {"http": None})
        await self._start_together([worker])  # first, since its warm parent imports while the rest starts
        await self._start_together([make_service(name, place, {"http": None}) for name in HEADLESS])
        self._stack.push_async_callback(worker.stop)  # before the runner, which would wait for its line to the host
        await self._start_together([self._workflow, self._scheduler, self._runner, self._lineage, self._bus])
        opened = await self._workflow.stub.OpenProject(workflow.OpenProjectRequest(path=str(self.project)))
        self.project_id = opened.project.id

    async def _start_together(self, parts: list[Part]) -> None:
        outcomes = await asyncio.gather(*(part.start() for part in parts), return_exceptions=True)
        for part, outcome in zip(parts, outcomes, strict=True):
            if outcome is None:
                self._stack.push_async_callback(part.stop)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def validate(self, workflow_name: str) -> list[ProblemView]:
        """Every problem of a workflow, errors first."""
        request = workflow.ValidateWorkflowRequest(project_id=self.project_id, workflow=workflow_name)
        return [_problem(problem) for problem in (await self._workflow.stub.ValidateWorkflow(request)).problems]

    async def start(self, workflow_name: str) -> RunSnapshot:
        """Start a run."""
        request = scheduler.StartRunRequest(project_id=self.project_id, workflow=workflow_name, run_id=new_id(), triggered_by="cli")
        return run_from_proto((await self._scheduler.stub.StartRun(request, timeout=PLAN_TIMEOUT_S)).run)

    async def snapshot(self, run_id: str) -> RunSnapshot:
        """The run, now."""
        request = scheduler.GetRunRequest(project_id=self.project_id, run_id=run_id)
        return run_from_proto((await self._scheduler.stub.GetRun(request)).run)

    async def cancel(self, run_id: str, reason: str) -> None:
        """Ask the run to stop."""
        await self._scheduler.stub.CancelRun(scheduler.CancelRunRequest(project_id=self.project_id, run_id=run_id, reason=reason))

    async def settle(self, run_id: str) -> None:
        """Wait until lineage has the end of the run; what it has not after ``SETTLE_S`` it takes from the event store next time."""
        request = lineage.GetRunRequest(project_id=self.project_id, run_id=run_id)
        for _ in range(round(SETTLE_S / LOOK_AGAIN_S)):
            with contextlib.suppress(RemoteError):
                if (await self._lineage.stub.GetRun(request, timeout=SETTLE_S)).run.HasField("ended_at"):
                    return
            await asyncio.sleep(LOOK_AGAIN_S)

    async def changes(self, run_id: str) -> AsyncIterator[None]:
        """Events of the project."""
        async for _ in self._bus.follow(project=self.project_id):
            yield

    async def log_lines(self, run_id: str) -> AsyncIterator[LogLineView]:
        """Lines from now on, as they are printed."""
        request = runner.FollowLogsRequest(project_id=self.project_id, project_dir=str(self.project), run_id=run_id)
        while True:
            try:
                async for answer in self._runner.stub.FollowLogs(request):
                    yield _line(answer.line)
            except RemoteError as error:
                if error.kind is Kind.TIMEOUT:
                    continue
            return  # the run ended, or the runner with this composition

    async def log_page(self, run_id: str) -> list[LogLineView]:
        """The latest lines of all blocks."""
        request = runner.ReadLogsRequest(project_id=self.project_id, project_dir=str(self.project), run_id=run_id)
        return [_line(line) for line in (await self._runner.stub.ReadLogs(request)).lines]

    async def objects(self, run_id: str, node: str, port: str) -> list[dict[str, Any]]:
        """References of the items on an output port."""
        request = scheduler.GetOutputRequest(project_id=self.project_id, run_id=run_id, node_id=node, port=port)
        value = json.loads((await self._scheduler.stub.GetOutput(request)).value.value_json)
        return list(value["items"]) if isinstance(value, dict) and value.get("_collection") else [value]


def _line(line: runner.LogLine) -> LogLineView:
    return LogLineView(line.node_id, line.line, line.text, line.level)


def _problem(problem: workflow.Problem) -> ProblemView:
    severity = "error" if problem.severity == workflow.SEVERITY_ERROR else "warning"
    return ProblemView(severity, problem.code, problem.message, problem.node, problem.port, problem.hint, problem.line)


def held_by_another(error: SciStudioError) -> bool:
    """Whether a project could not be opened since another composition has it, or its event store."""
    return error.code in ("project.in_use", NatsStoreInUse.code)
