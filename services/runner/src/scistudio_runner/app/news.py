"""The runner on the event bus: progress goes out, ends of runs come in. Both are conveniences: without a bus, blocks run as well."""

from __future__ import annotations

import contextlib

from scistudio_platform.events.block import BlockProgressed
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.follow import Delivered
from scistudio_platform.events.model import Scope
from scistudio_platform.events.run import RunFinished
from scistudio_platform.service import BackgroundTasks
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_runner.app.logs import LogBook


class News:
    """A part between the runner and the event bus."""

    def __init__(self, bus: EventBus, logs: LogBook) -> None:
        self._bus, self._logs = bus, logs
        self._tasks = BackgroundTasks("runner")

    async def start(self) -> None:
        """Begin to listen."""
        self._tasks.spawn(self._listen(), name="ends of runs")

    async def stop(self) -> None:
        """Stop listening."""
        await self._tasks.stop()

    async def _listen(self) -> None:
        async with contextlib.aclosing(self._bus.follow(families=["run"])) as events:
            async for item in events:
                if isinstance(item, Delivered) and isinstance(item.event.data, RunFinished) and item.event.scope.run:
                    self._logs.run_ended(item.event.scope.run)

    def progressed(self, spec: pb.Execution, progress: pb.Progress) -> None:
        """Publish how far a block is; nobody waits for it."""
        if not self._bus.is_connected:
            return
        fraction = None if progress.fraction < 0 else min(progress.fraction, 1.0)
        scope = Scope(project=spec.project_id, workflow=spec.workflow_id, run=spec.run_id, node=spec.node_id, execution=spec.execution_id)
        publish = self._bus.publish_transient(BlockProgressed(fraction=fraction, message=progress.message), scope)
        self._tasks.spawn(publish, name="publish progress")
