"""The runner as the scheduler sees it: executions that are followed, ended and acknowledged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from scistudio_platform.clock import from_timestamp
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import ExecutionId
from scistudio_platform.logging import get_logger
from scistudio_platform.rpc import RpcClient
from scistudio_platform.settings import ServiceSettings
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceStub

from scistudio_scheduler.domain.outputs import summarise
from scistudio_scheduler.domain.records import Ending, Fault
from scistudio_scheduler.domain.states import BlockState

if TYPE_CHECKING:
    from scistudio_proto.runner.v1.runner_pb2_grpc import RunnerServiceAsyncStub

STATES = {
    pb.OUTCOME_DONE: BlockState.DONE,
    pb.OUTCOME_CANCELLED: BlockState.CANCELLED,
    pb.OUTCOME_ERROR: BlockState.ERROR,
    pb.OUTCOME_LOST: BlockState.ERROR,
}
NO_ERROR = Fault("block.failed", "The block failed and its worker did not say why.", hint="Look at the block's log.")
WORKER_LOST = Fault(
    "worker.lost", "The worker that ran the block was lost.", hint="Run the workflow again; the runner's log says what happened."
)

logger = get_logger("scheduler")


@dataclass(frozen=True, slots=True)
class News:
    """What is known of an execution while it lasts. ``waiting``: why it does not run yet."""

    waiting: str = ""
    started_at: datetime | None = None
    progress: float = 0.0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last word on an execution. ``lost``: the block is not to blame."""

    ending: Ending
    lost: bool = False


class RunnerClient:
    """Calls the runner. A stream that breaks raises ``RemoteError``; asking again with the same id is safe."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._rpc: RpcClient[RunnerServiceAsyncStub] = RpcClient(settings, "runner", RunnerServiceStub)

    async def start(self) -> None:
        """Make the channel."""
        await self._rpc.start()

    async def stop(self) -> None:
        """Close the channel; streams on it end."""
        await self._rpc.stop()

    async def execute(self, execution: pb.Execution) -> AsyncIterator[pb.ExecuteResponse]:
        """Start an execution, or join one that is under way, and give what happens to it."""
        async for update in self._rpc.stub.Execute(pb.ExecuteRequest(execution=execution)):
            yield update

    async def cancel(self, execution_id: ExecutionId, reason: str, *, timeout_s: float) -> bool:
        """End an execution's process tree; returns when it is gone. False: the runner does not know it."""
        request = pb.CancelExecutionRequest(execution_id=execution_id, reason=reason)
        return (await self._rpc.stub.CancelExecution(request, timeout=timeout_s)).found

    async def try_cancel(self, execution_id: ExecutionId, reason: str, *, timeout_s: float) -> bool:
        """End what may still be there of an execution. False: the runner was out of reach."""
        try:
            await self.cancel(execution_id, reason, timeout_s=timeout_s)
        except RemoteError as error:
            logger.warning("could not stop an execution", execution=execution_id, code=error.code, message=error.message)
            return False
        return True

    async def acknowledge(self, execution_id: ExecutionId) -> bool:
        """Tell the runner that the result is stored and may be forgotten. False: it was out of reach."""
        try:
            await self._rpc.stub.AcknowledgeExecution(pb.AcknowledgeExecutionRequest(execution_id=execution_id))
        except RemoteError as error:
            return error.kind is Kind.NOT_FOUND
        return True


def apply_update(news: News, update: pb.ExecuteResponse) -> News | Finished:
    """Return what is known after ``update``."""
    match update.WhichOneof("update"):
        case "waiting":
            return News(waiting=update.waiting)
        case "started":
            return News(started_at=from_timestamp(update.started.started_at))
        case "progress":
            fraction = update.progress.fraction if update.progress.fraction >= 0 else news.progress
            return News("", news.started_at, min(fraction, 1.0), update.progress.message)
        case "result":
            return Finished(_to_ending(update.result), lost=update.result.outcome == pb.OUTCOME_LOST)
        case _:
            return news


def _to_ending(result: pb.Result) -> Ending:
    state = STATES.get(result.outcome, BlockState.ERROR)
    fault = WORKER_LOST if result.outcome == pb.OUTCOME_LOST else NO_ERROR
    if result.HasField("error"):
        fault = Fault(result.error.code or fault.code, result.error.message or fault.message, result.error.subject, result.error.hint)
    outputs = {value.port: value.value_json for value in result.outputs} if state is BlockState.DONE else {}
    return Ending(
        state=state,
        outputs=outputs,
        summaries=summarise(outputs),
        error=fault if state is BlockState.ERROR else None,
        traceback=result.traceback,
        warnings=tuple(result.warnings),
        started_at=from_timestamp(result.started_at),
        ended_at=from_timestamp(result.ended_at),
        environment_json=result.environment_json or "{}",
        duration_s=result.duration_s,
        cpu_time_s=result.cpu_time_s,
        peak_memory_bytes=result.peak_memory_bytes,
    )
