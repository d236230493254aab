"""Driving one run: facts come in one after another, are decided, stored with their events, and then acted upon."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from scistudio_platform.clock import utc_now
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.ids import ExecutionId, NodeId, new_id
from scistudio_platform.logging import get_logger
from scistudio_platform.service import BackgroundTasks

from scistudio_scheduler.adapters.execution import to_execution
from scistudio_scheduler.adapters.runner import Finished, News, RunnerClient
from scistudio_scheduler.adapters.store import RunStore
from scistudio_scheduler.app.announcements import announcements
from scistudio_scheduler.app.follower import Follower, Following, Word
from scistudio_scheduler.app.patience import Patience
from scistudio_scheduler.app.slots import Slots
from scistudio_scheduler.domain.effects import Acknowledge, Announce, Effect, Start, Stop
from scistudio_scheduler.domain.records import Fault, NodeRun
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import TERMINAL
from scistudio_scheduler.errors import StepFailed
from scistudio_scheduler.settings import SchedulerSettings

Decision = Callable[[Run], list[Effect]]
Fact = tuple[Decision, asyncio.Future[Run] | None]
BUG = Fault(
    "internal", "The scheduler made a mistake in this run.", hint="This is a fault of SciStudio: the scheduler's log has the details."
)

logger = get_logger("scheduler")


@dataclass(frozen=True, slots=True)
class Shared:
    """What all drivers use."""

    settings: SchedulerSettings
    runner: RunnerClient
    slots: Slots
    tasks: BackgroundTasks


class Driver:
    """The only writer of one open run.

    Decisions are made on a draft, so what others see is always what is stored. All facts that wait are taken into one transaction.
    """

    def __init__(self, run: Run, store: RunStore, shared: Shared, *, when_over: Callable[[Run], None]) -> None:
        self.run = run
        self.news: dict[NodeId, News] = {}
        self.trouble = ""
        self._store, self._shared, self._when_over = store, shared, when_over
        self._following = Following(shared.runner, shared.settings, self._told)
        self._followers: dict[str, tuple[NodeId, Follower]] = {}
        self._inbox: list[Fact] = []
        self._arrived = asyncio.Event()
        self._holds_dispatch = False
        self._n_failures = self._n_slots = 0
        self._missing: dict[NodeId, Fault] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing: list[asyncio.Task[bool]] = []

    # From outside

    @property
    def is_driven(self) -> bool:
        """Whether facts are still taken: a fault of ours that comes again ends that."""
        return self._n_failures < 2

    def begin(self, effects: list[Effect]) -> None:
        """Act upon a run that has just been stored for the first time, and go on from there."""
        self._perform(effects)
        self._spawn(self._drive(), "drive")

    def resume(self) -> None:
        """Take up a stored run again: what was in the runner's hands is asked for with the same execution ids."""
        self._holds_dispatch = True
        self._closing = [self._spawn(self._tidy(record), "tidy") for record in self.run.nodes.values() if record.state in TERMINAL]
        for node in self.run.running():
            self._shared.slots.claim()
            self._n_slots += 1
            record = self.run.nodes[node]
            follower = self._follower(node, record.execution_id, is_known=True)
            if record.stopping:
                self._perform([Stop(node, record.execution_id)])
            else:
                self._spawn(follower.follow(), "follow")
        self._spawn(self._drive(), "drive")

    def allow_dispatch(self) -> None:
        """Let a resumed run start waiting blocks."""
        self._holds_dispatch = False
        self._arrived.set()

    def miss(self, node: NodeId, fault: Fault) -> None:
        """Refuse a node whose block is no longer there; if it runs, that is why should it fail."""
        self._missing[node] = fault
        self.post(lambda run: run.refuse(node, fault, utc_now()))

    def give_slots_back(self, *, keep: int = 0) -> None:
        """Free the slots of what this driver will not see the end of."""
        while self._n_slots > keep:
            self._n_slots -= 1
            self._shared.slots.release()

    def post(self, decide: Decision) -> None:
        """Hand in a fact."""
        self._inbox.append((decide, None))
        self._arrived.set()

    async def apply(self, decide: Decision) -> Run:
        """Hand in a fact and wait until it is stored; errors of the decision come out here."""
        if self.run.ended:
            decide(self.run.copy())
            return self.run
        if not self.is_driven:
            raise StepFailed(self.run.id)
        answer: asyncio.Future[Run] = asyncio.get_running_loop().create_future()
        self._inbox.append((decide, answer))
        self._arrived.set()
        return await answer

    async def stop(self) -> None:
        """Let go of the run without changing it; executions go on at the runner."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, answer in self._inbox:
            if answer is not None:
                answer.cancel()

    # The loop

    async def _drive(self) -> None:
        while self._inbox or not self.run.ended:  # who asked during the last step is answered too
            await self._arrived.wait()
            self._arrived.clear()
            await self._step()
        self._spawn(self._settle(), "settle")
        self._when_over(self.run)

    async def _step(self) -> None:
        """Take all facts that wait into one draft, store it, act."""
        facts, self._inbox = self._inbox, []
        try:
            draft, effects = self._decide(facts)
            await self._save(draft, effects)
        except Exception:
            for _, answer in facts:
                _give(answer, StepFailed(self.run.id))
            self.give_slots_back(keep=len(self.run.running()))
            raise
        self.run = draft
        for _, answer in facts:
            _give(answer, draft)
        self._perform(effects)

    def _decide(self, facts: list[Fact]) -> tuple[Run, list[Effect]]:
        """Return the run after all ``facts`` and what follows; a refused one is answered and leaves no trace."""
        draft, effects = self.run, list[Effect]()
        for decide, answer in facts:
            trial = draft.copy()
            try:
                effects += decide(trial)
            except SciStudioError as error:
                if answer is None:
                    raise
                _give(answer, error)
            else:
                draft = trial
        draft = draft.copy()
        effects += self.dispatch(draft)
        return draft, effects

    def dispatch(self, run: Run) -> list[Effect]:
        """Give waiting blocks of ``run`` their executions, as far as there are slots."""
        effects: list[Effect] = []
        if self._holds_dispatch or run.ended:
            return effects
        for node in run.ready():
            if not self._shared.slots.take(self._arrived.set):
                break
            self._n_slots += 1
            effects += run.dispatched(node, ExecutionId(new_id()), secrets.randbits(32), utc_now())
        return effects

    async def _save(self, draft: Run, effects: list[Effect]) -> None:
        """Store until it works: nothing is decided twice, and nothing is done that is not stored."""
        patience = Patience(float("inf"), longest_s=5.0)
        events = list(announcements(draft, effects))
        while True:
            try:
                await self._store.save(self.run, draft, events)
                self.trouble = ""
                return
            except SciStudioError as error:
                if error.kind not in (Kind.UNAVAILABLE, Kind.TIMEOUT):
                    raise
                self.trouble = error.text
                logger.error("cannot store a run, trying again", run=self.run.id, code=error.code, message=error.message)
            await patience.pause()

    # Effects

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Start(node=node, execution_id=execution_id):
                    self._start(node, execution_id)
                case Stop(node=node, execution_id=execution_id):
                    self._closing.append(self._spawn(self._stop(node, execution_id), "stop"))
                case Acknowledge(execution_id=execution_id):
                    self._closing.append(self._spawn(self._acknowledge(execution_id), "acknowledge"))
                case Announce(node=node, record=record) if record.state in TERMINAL:
                    self.news.pop(node, None)
                    self.give_slots_back(keep=self._n_slots - bool(record.execution_id))

    def _start(self, node: NodeId, execution_id: ExecutionId) -> None:
        losses = self.run.nodes[node].attempt - 1
        pause_s = self._shared.settings.worker_lost_pause_s * 2 ** (losses - 1) if losses else 0.0
        self._spawn(self._follower(node, execution_id).follow(after_s=pause_s), "follow")

    def _follower(self, node: NodeId, execution_id: ExecutionId, *, is_known: bool = False) -> Follower:
        follower = Follower(to_execution(self.run, node), self._following, is_known=is_known)
        self._followers[execution_id] = (node, follower)
        return follower

    async def _stop(self, node: NodeId, execution_id: ExecutionId) -> bool:
        """Return whether the runner has ended the execution, and need not keep its result."""
        _, follower = self._followers[execution_id]
        is_delivered = await follower.stop(self.run.nodes[node].reason or self.run.reason)
        if self.run.failure is None:
            return is_delivered  # its end is a fact like any other, acknowledged when stored
        return is_delivered and await self._acknowledge(execution_id)

    async def _tidy(self, record: NodeRun) -> bool:
        """Do again what may have been left undone for a node that had ended before a restart."""
        if not record.execution_id:
            return True
        if record.error is not None and record.error == self.run.failure:
            timeout_s = self._shared.settings.stop_timeout_s
            if not await self._shared.runner.try_cancel(record.execution_id, self.run.reason, timeout_s=timeout_s):
                return False
        return await self._acknowledge(record.execution_id)

    async def _acknowledge(self, execution_id: ExecutionId) -> bool:
        self._followers.pop(execution_id, None)
        return await self._shared.runner.acknowledge(execution_id)

    async def _settle(self) -> None:
        """Once nothing of an ended run is left at the runner, a restart need not look at it again."""
        delivered = await asyncio.gather(*self._closing)
        if all(delivered):
            await self._store.settle(self.run)

    # What followers tell

    def _told(self, execution_id: str, word: Word) -> None:
        node, _ = self._followers[execution_id]
        match word:
            case News() if self.run.nodes[node].execution_id == execution_id and self.run.nodes[node].state not in TERMINAL:
                self.news[node] = word
            case Finished():
                self.post(self._ending_of(node, ExecutionId(execution_id), word))
            case Fault():
                self.post(lambda run: run.fail(word, utc_now()))

    def _ending_of(self, node: NodeId, execution_id: ExecutionId, word: Finished) -> Decision:
        if node in self._missing and word.ending.error is not None:  # asked again after a restart, it could not even be loaded
            word = replace(word, ending=replace(word.ending, error=self._missing[node]), lost=False)
        if not word.lost:
            return lambda run: run.finish(node, execution_id, word.ending, utc_now())
        retry_as, attempts = ExecutionId(new_id()), self._shared.settings.worker_attempts
        return lambda run: run.lose(node, execution_id, word.ending, retry_as=retry_as, attempts=attempts, at=utc_now())

    # Tasks

    def _spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        task = self._shared.tasks.spawn(work, name=f"{name} {self.run.id}")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        """A task that failed has been logged; the run ends rather than hang."""
        self._tasks.discard(task)
        if task.cancelled() or task.exception() is None or self.run.ended:
            return
        if task.get_name().startswith("drive "):
            self._start_over()
        self.post(lambda run: run.fail(BUG, utc_now()))

    def _start_over(self) -> None:
        """Go on after a failed step with nothing but its failure; if even that fails, leave the run to the next scheduler."""
        for _, answer in self._inbox:
            _give(answer, StepFailed(self.run.id))
        self._inbox = []
        self._n_failures += 1
        if self.is_driven:
            self._spawn(self._drive(), "drive")


def _give(answer: asyncio.Future[Run] | None, result: Run | SciStudioError) -> None:
    if answer is None or answer.done():
        return
    if isinstance(result, SciStudioError):
        answer.set_exception(result)
    else:
        answer.set_result(result)
