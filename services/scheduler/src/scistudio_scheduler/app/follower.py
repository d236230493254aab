"""Following one execution at the runner, whatever happens to the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import ExecutionId
from scistudio_platform.logging import bind_context, get_logger
from scistudio_platform.telemetry import inject, span
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_scheduler.adapters.runner import Finished, News, RunnerClient, apply_update
from scistudio_scheduler.app.patience import Patience
from scistudio_scheduler.domain.records import Ending, Fault
from scistudio_scheduler.domain.states import BlockState
from scistudio_scheduler.settings import SchedulerSettings

TRANSIENT = frozenset({Kind.UNAVAILABLE, Kind.TIMEOUT, Kind.CANCELLED, Kind.INTERNAL})
LAST_WORD_S = 2.0  # how long the stream may lag behind the answer to a cancel
Word = News | Finished | Fault

logger = get_logger("scheduler")


@dataclass(frozen=True, slots=True)
class Following:
    """What a follower needs beside the execution: the runner, the limits, and who is told."""

    runner: RunnerClient
    settings: SchedulerSettings
    tell: Callable[[str, Word], None]


class Follower:
    """Asks for one execution until its end is known, and for its stop when that is wanted.

    Parameters
    ----------
    execution : Execution
        As the runner gets it, also when asked again after either side was restarted.
    following : Following
        Told ``(execution_id, word)``: news, the end, or the fault that makes going on pointless.
    is_known : bool
        Whether the runner may have it already.
    """

    def __init__(self, execution: pb.Execution, following: Following, *, is_known: bool = False) -> None:
        self._execution, self._following, self._is_known = execution, following, is_known
        self._id = execution.execution_id
        self._is_stopping = False
        self._is_streaming = False
        self._ended = asyncio.Event()

    async def follow(self, *, after_s: float = 0.0) -> None:
        """Follow the stream, and open it again with the same id each time it breaks."""
        if after_s:
            await asyncio.sleep(after_s)
        ids = {"run": self._execution.run_id, "node": self._execution.node_id, "execution": self._id}
        with bind_context(**ids), span("block", context=dict(self._execution.trace_context), **ids):
            self._execution.trace_context.update(inject({}))
            await self._follow()

    async def _follow(self) -> None:
        patience = Patience(self._following.settings.runner_lost_after_s)
        while not self._is_stopping and not self._ended.is_set():
            try:
                self._is_known = self._is_streaming = True
                await self._stream(patience)
            except RemoteError as error:
                if not _is_transient(error):
                    return self._end(Finished(Ending(BlockState.ERROR, error=_fault(error))))
                logger.info("lost the stream of an execution", code=error.code)
            finally:
                self._is_streaming = False
            if self._ended.is_set() or self._is_stopping:
                return None
            if patience.is_over():
                return self._end(_unavailable(self._following.settings.runner_lost_after_s))
            await patience.pause()
        return None

    async def _stream(self, patience: Patience) -> None:
        news = News()
        async for update in self._following.runner.execute(self._execution):
            if self._ended.is_set():  # told to be gone meanwhile
                return None
            patience.good()
            word = apply_update(news, update)
            if isinstance(word, Finished):
                return self._end(word)
            news = word
            self._following.tell(self._id, news)
        return None

    async def stop(self, reason: str) -> bool:
        """Ask for the end of the process tree until it is gone. False: the runner stayed out of reach."""
        self._is_stopping = True
        if not self._is_known:
            self._end(_cancelled())
        if self._ended.is_set():  # given up, or about to be told: the runner may still have it
            return not self._is_known or await self._try_cancel(reason)
        settings = self._following.settings
        unreachable, unknown = Patience(settings.runner_lost_after_s), Patience(settings.gone_after_s)
        while not self._ended.is_set():
            try:
                found = await self._following.runner.cancel(ExecutionId(self._id), reason, timeout_s=self._stop_timeout_s())
            except RemoteError as error:
                if not _is_transient(error) or unreachable.is_over():
                    self._end(_unavailable(settings.runner_lost_after_s))
                    return False
            else:
                unreachable.good()
                if found or unknown.is_over():
                    await self._last_word()
                    return True
            await unknown.pause()
        return True

    async def _try_cancel(self, reason: str) -> bool:
        return await self._following.runner.try_cancel(ExecutionId(self._id), reason, timeout_s=self._stop_timeout_s())

    async def _last_word(self) -> None:
        """Let the stream tell how it ended, which says more than that it is gone."""
        if self._is_streaming:
            try:
                await asyncio.wait_for(self._ended.wait(), LAST_WORD_S)
            except TimeoutError:
                logger.info("an execution is gone without a last word", execution=self._id)
        self._end(_cancelled())

    def _stop_timeout_s(self) -> float:
        return float(self._execution.limits.terminate_grace_s) + self._following.settings.stop_timeout_s

    def _end(self, word: Finished | Fault) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self._following.tell(self._id, word)


def _is_transient(error: RemoteError) -> bool:
    """Whether asking again may help. A fault inside the runner (``internal``) would only come again."""
    return error.kind in TRANSIENT and error.code != "internal"


def _cancelled() -> Finished:
    return Finished(Ending(BlockState.CANCELLED))


def _fault(error: RemoteError) -> Fault:
    return Fault(error.code, error.message, error.subject, error.hint)


def _unavailable(after_s: float) -> Fault:
    return Fault(
        "runner.unavailable",
        f"The runner has been out of reach for {after_s:g} seconds.",
        subject="service/runner",
        hint="Look at the runner's log and at `scistudio doctor`, then run the workflow again.",
    )
