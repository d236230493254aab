"""A scheduler among scripted peers, as a test sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from scistudio_platform.rpc import RpcClient
from scistudio_platform.testing import eventually
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub
from scistudio_scheduler.service import build
from scistudio_scheduler.settings import SchedulerSettings

from .scripted import PROJECT, Peer, ScriptedRunner, ScriptedWorkflow, runner_peer, workflow_peer

OPEN = {pb.RUN_STATE_QUEUED, pb.RUN_STATE_RUNNING, pb.RUN_STATE_PAUSED}


@dataclass
class Client:
    """What another service can ask the scheduler."""

    stub: Any

    async def start(self, workflow: str, **fields: Any) -> pb.Run:
        return (await self.stub.StartRun(pb.StartRunRequest(project_id=PROJECT, workflow=workflow, **fields))).run  # type: ignore[no-any-return]

    async def get(self, run_id: str) -> pb.Run:
        return (await self.stub.GetRun(pb.GetRunRequest(project_id=PROJECT, run_id=run_id))).run  # type: ignore[no-any-return]

    async def cancel(self, run_id: str, node: str = "", reason: str = "") -> pb.Run:
        request = pb.CancelRunRequest(project_id=PROJECT, run_id=run_id, node_id=node, reason=reason)
        return (await self.stub.CancelRun(request)).run  # type: ignore[no-any-return]

    async def ended(self, run_id: str, *, timeout_s: float = 10.0) -> pb.Run:
        """Wait for the end of a run."""

        async def over() -> pb.Run | None:
            run = await self.get(run_id)
            return None if run.state in OPEN else run

        run = await eventually(over, timeout_s=timeout_s)
        assert run is not None
        return run

    async def result(self, workflow: str) -> tuple[str, dict[str, str]]:
        """Run a workflow and return the state of the run and of its nodes."""
        return outcome(await self.ended((await self.start(workflow)).id))


def outcome(run: pb.Run) -> tuple[str, dict[str, str]]:
    """The state of a run and of its nodes, in words."""
    return _word(pb.RunState.Name(run.state), "RUN_STATE_"), states(run)


def states(run: pb.Run) -> dict[str, str]:
    return {node.node_id: _word(pb.BlockState.Name(node.state), "BLOCK_STATE_") for node in run.nodes}


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()


@dataclass
class World:
    """The peers of a scheduler; the scheduler itself comes and goes."""

    settings: SchedulerSettings
    folder: Path
    runner: ScriptedRunner
    workflow: ScriptedWorkflow
    runner_server: Peer
    workflow_server: Peer

    @classmethod
    @asynccontextmanager
    async def of(cls, settings: SchedulerSettings, folder: Path) -> AsyncIterator[Self]:
        folder.mkdir()
        runner, workflow = ScriptedRunner(), ScriptedWorkflow(folder)
        world = cls(settings, folder, runner, workflow, runner_peer(settings, runner), workflow_peer(settings, workflow))
        await world.runner_server.start()
        await world.workflow_server.start()
        yield world
        await world.runner_server.stop()
        await world.workflow_server.stop()

    @asynccontextmanager
    async def scheduler(self, **changes: Any) -> AsyncIterator[Client]:
        """The real service on a Unix socket; each use is a new process's view of the same state."""
        settings = self.settings.model_copy(update=changes)
        client = RpcClient(settings, "scheduler", SchedulerServiceStub)
        async with build(settings):
            await client.start()
            try:
                yield Client(client.stub)
            finally:
                await client.stop()
