"""The drivers of all open runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from scistudio_platform.ids import ProjectId, RunId

from scistudio_scheduler.adapters.store import RunStore
from scistudio_scheduler.app.driver import Driver, Shared
from scistudio_scheduler.domain.effects import Effect
from scistudio_scheduler.domain.run import Run


class Drivers:
    """Each open run has one driver here, from its first commit to its end. A part: stopped, it lets go of all."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._drivers: dict[RunId, Driver] = {}
        self._launching: set[RunId] = set()

    async def start(self) -> None:
        """Nothing: runs come one by one."""

    async def stop(self) -> None:
        """Let go of all runs; a later scheduler takes them up again."""
        await self._stop(list(self._drivers.values()))

    def find(self, project: ProjectId, run_id: RunId) -> Driver | None:
        """Return the driver of an open run of ``project``."""
        driver = self._drivers.get(run_id)
        return driver if driver is not None and driver.run.plan.project_id == project else None

    @contextmanager
    def prepare(self, run: Run, store: RunStore) -> Iterator[Driver]:
        """Give a driver for a run that is about to be stored. If it has not begun at the end, its slots are free again."""
        driver = Driver(run, store, self._shared, when_over=self._over)
        self._launching.add(run.id)
        try:
            yield driver
        finally:
            self._launching.discard(run.id)
            if self._drivers.get(run.id) is not driver:
                driver.give_slots_back()

    def begin(self, driver: Driver, effects: list[Effect]) -> None:
        """Drive a run that has just been stored."""
        self._drivers[driver.run.id] = driver
        driver.begin(effects)

    def resume(self, run: Run, store: RunStore) -> Driver | None:
        """Drive a stored run again; None when it is driven already, or is about to be."""
        if run.id in self._drivers or run.id in self._launching:
            return None
        driver = Driver(run, store, self._shared, when_over=self._over)
        if not run.ended:
            self._drivers[run.id] = driver
        driver.resume()
        return driver

    async def let_go(self, project: ProjectId) -> None:
        """Stop driving the runs of a project, without changing them."""
        await self._stop([driver for driver in self._drivers.values() if driver.run.plan.project_id == project])

    async def _stop(self, drivers: list[Driver]) -> None:
        for driver in drivers:
            del self._drivers[driver.run.id]
            driver.give_slots_back()
        await asyncio.gather(*(driver.stop() for driver in drivers))

    def _over(self, run: Run) -> None:
        self._drivers.pop(run.id, None)
