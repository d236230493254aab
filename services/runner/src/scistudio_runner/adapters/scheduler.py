"""The scheduler, asked one thing: whether a run has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.rpc import RpcClient
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb
from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceStub

if TYPE_CHECKING:
    from scistudio_proto.scheduler.v1.scheduler_pb2_grpc import SchedulerServiceAsyncStub

OPEN = frozenset({pb.RUN_STATE_QUEUED, pb.RUN_STATE_RUNNING, pb.RUN_STATE_PAUSED})


class SchedulerClient:
    """A part."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._rpc: RpcClient[SchedulerServiceAsyncStub] = RpcClient(settings, "scheduler", SchedulerServiceStub, timeout_s=5.0)

    async def start(self) -> None:
        """Make the channel."""
        await self._rpc.start()

    async def stop(self) -> None:
        """Close the channel."""
        await self._rpc.stop()

    async def has_ended(self, project_id: str, run_id: str) -> bool:
        """Whether the run has ended, or never was; False when nobody says so."""
        try:
            answer = await self._rpc.stub.GetRun(pb.GetRunRequest(project_id=project_id, run_id=run_id))
        except RemoteError as error:
            return error.kind is Kind.NOT_FOUND
        return answer.run.state not in OPEN
