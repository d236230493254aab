"""The worker host: runs executions and probes, and keeps each result until the runner has acknowledged it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from scistudio_platform.errors import SciStudioError, to_detail
from scistudio_platform.ids import new_id
from scistudio_platform.logging import get_logger
from scistudio_platform.service import BackgroundTasks
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_worker.child import ForkCommand
from scistudio_worker.children import Children
from scistudio_worker.execution import Execution
from scistudio_worker.forker import Forker
from scistudio_worker.groups import Groups
from scistudio_worker.probe import Probe
from scistudio_worker.process import Listener, Process
from scistudio_worker.settings import WorkerSettings

logger = get_logger("worker")
Emit = Callable[[pb.ConnectRequest], None]


class WorkerHost:
    """A part: owns the warm parent and everything that runs below it.

    Parameters
    ----------
    forker : Forker
        Makes children.
    groups : Groups
        Holds each child's processes together.
    """

    def __init__(self, settings: WorkerSettings, forker: Forker, groups: Groups) -> None:
        self.id = new_id()
        self._settings, self._forker, self._groups = settings, forker, groups
        self._children = Children(forker, groups)
        self._tasks = BackgroundTasks("worker")
        self._running: dict[str, Execution] = {}
        self._finished: dict[str, tuple[Execution, pb.Result]] = {}
        self._runs: set[asyncio.Task[None]] = set()
        self._emit: Emit = _drop

    async def start(self) -> None:
        """Clear what a dead predecessor left, and warm up."""
        await self._groups.start()
        self._tasks.spawn(self._warm_up(), name="start the warm parent")

    async def _warm_up(self) -> None:
        try:
            await self._forker.ready()
            self._children.stock()
        except SciStudioError as error:  # each execution tries again, and says so
            logger.error("no block can be started", code=error.code, message=error.message, hint=error.hint)

    async def stop(self) -> None:
        """End every block with its tree, then the warm parent."""
        self._emit = _drop
        for execution in self._running.values():
            execution.kill()
        await asyncio.gather(*self._runs, return_exceptions=True)
        await self._tasks.stop()
        self._children.clear()
        await self._forker.stop()
        await self._groups.stop()

    def hello(self) -> pb.Hello:
        """Return what a runner must know of us."""
        return pb.Hello(
            host_id=self.id,
            slots=self._settings.slots,
            labels=self._settings.labels,
            running=list(self._running),
            finished=[result for _, result in self._finished.values()],
        )

    def attach(self, emit: Emit) -> None:
        """Speak to a runner from now on, beginning with what it may have missed."""
        self._emit = emit
        for execution, result in self._finished.values():  # one may have come between our hello and its answer
            execution.output.deliver_again()
            emit(pb.ConnectRequest(result=result))
        for execution in self._running.values():
            execution.tell_again()

    def detach(self) -> None:
        """Speak to nobody: results and lines are kept."""
        self._emit = _drop
        for execution in self._running.values():
            execution.output.is_heard = False

    def execute(self, spec: pb.Execution) -> None:
        """Start an execution, unless it is known here: then its messages and its result are what the runner waits for."""
        if (finished := self._finished.get(spec.execution_id)) is not None:
            self._emit(pb.ConnectRequest(result=finished[1]))
            return
        if spec.execution_id not in self._running:
            execution = self._running[spec.execution_id] = self._make_execution(spec)
            task = self._tasks.spawn(self._run(execution), name=f"execution {spec.execution_id}")
            self._runs.add(task)
            task.add_done_callback(self._runs.discard)

    def _make_execution(self, spec: pb.Execution) -> Execution:
        limit_bytes = self._settings.output_limit_bytes
        return Execution(spec, self._make_process, lambda message: self._emit(message), host_id=self.id, output_limit_bytes=limit_bytes)

    def _make_process(self, listener: Listener, command: ForkCommand, *, memory_bytes: int = 0) -> Process:
        return Process(self._children, self._tasks, listener, command, memory_bytes=memory_bytes)

    async def _run(self, execution: Execution) -> None:
        result = await execution.run()
        del self._running[result.execution_id]
        self._finished[result.execution_id] = (execution, result)
        self._emit(pb.ConnectRequest(result=result))

    def cancel(self, execution_id: str, reason: str) -> None:
        """End an execution; its result follows."""
        if (execution := self._running.get(execution_id)) is not None:
            logger.info("cancelling", execution=execution_id, reason=reason)
            execution.cancel()

    def acknowledge(self, execution_id: str) -> None:
        """Forget a result."""
        self._finished.pop(execution_id, None)

    def probe(self, probe_id: str, project_dir: str) -> None:
        """Read the catalog of a project; the answer follows."""
        self._tasks.spawn(self._probe(probe_id, project_dir), name=f"probe {probe_id}")

    async def _probe(self, probe_id: str, project_dir: str) -> None:
        answer = pb.ProbeResult(probe_id=probe_id)
        try:
            answer.catalog_json = json.dumps(await Probe(probe_id, project_dir, self._make_process).run())
        except SciStudioError as error:
            answer.error.CopyFrom(to_detail(error))
        self._emit(pb.ConnectRequest(probe_result=answer))


def _drop(_: pb.ConnectRequest) -> None:
    """Nobody listens."""
