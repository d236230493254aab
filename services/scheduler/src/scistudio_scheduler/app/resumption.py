"""Taking open runs up again: at start, and when a project is opened later."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from scistudio_platform.errors import RemoteError, SciStudioError
from scistudio_platform.events.model import Event
from scistudio_platform.ids import NodeId, ProjectId
from scistudio_platform.logging import get_logger

from scistudio_scheduler.adapters.stores import Stores
from scistudio_scheduler.adapters.workflow import WorkflowClient
from scistudio_scheduler.app.driver import Driver
from scistudio_scheduler.app.drivers import Drivers
from scistudio_scheduler.app.patience import Patience
from scistudio_scheduler.domain.records import Fault
from scistudio_scheduler.domain.states import TERMINAL

LONGEST_PAUSE_S = 30.0

logger = get_logger("scheduler")


class Resumption:
    """Keeps what is driven in line with the projects that this composition holds open.

    Another composition may drive the runs of every other project, so the workflow service's answer decides, not an event.
    """

    def __init__(self, workflow: WorkflowClient, stores: Stores, drivers: Drivers) -> None:
        self._workflow, self._stores, self._drivers = workflow, stores, drivers
        self._taken: set[ProjectId] = set()
        self._wanted = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin with the projects that are open now; the workflow service may come up later."""
        self._wanted.set()
        self._spawn(self._keep_in_line(), "resumption")

    async def stop(self) -> None:
        """Stop looking."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def handle(self, _: Event) -> None:
        """Look again: a project was opened or closed."""
        self._wanted.set()

    async def _keep_in_line(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            patience = Patience(float("inf"), longest_s=LONGEST_PAUSE_S)
            while not await self._look():
                await patience.pause()

    async def _look(self) -> bool:
        """Take up and let go what must be. False: some of it did not work yet."""
        try:
            projects = await self._workflow.open_projects()
        except RemoteError as error:
            logger.warning("cannot ask which projects are open, trying again", code=error.code, message=error.message)
            return False
        for project in self._taken - projects.keys():
            self._taken.discard(project)
            await self._drivers.let_go(project)
            await self._stores.close(project)
        outcomes = [await self._take_up(project, folder) for project, folder in projects.items() if project not in self._taken]
        return all(outcomes)

    async def _take_up(self, project: ProjectId, folder: Path) -> bool:
        try:
            store = await self._stores.of(project, folder)
            runs = await store.unsettled(project)
        except SciStudioError as error:
            logger.warning("cannot look for open runs, trying again", project=project, code=error.code, message=error.message)
            return False
        self._taken.add(project)
        for run in runs:
            driver = self._drivers.resume(run, store)
            if driver is not None and not run.ended:
                logger.info("taking up an open run", run=run.id, project=project, state=run.state.value)
                self._spawn(self._check(driver), f"check {run.id}")
        return True

    async def _check(self, driver: Driver) -> None:
        """Refuse nodes whose block is no longer there, then let the run go on."""
        plan = driver.run.plan
        try:
            known = await self._workflow.block_types(plan.project_id)
        except RemoteError as error:
            logger.warning("cannot check the blocks of a run", run=driver.run.id, code=error.code, message=error.message)
        else:
            for node in plan.nodes:
                if node.block.type_name not in known and driver.run.nodes[node.id].state not in TERMINAL:
                    driver.miss(node.id, _type_missing(node.id, node.block.type_name))
        driver.allow_dispatch()

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _type_missing(node: NodeId, type_name: str) -> Fault:
    return Fault(
        "block.type_missing",
        f"The block type {type_name} of node {node} is no longer available.",
        subject=f"block/{type_name}",
        hint="Restore its file or install its package, then run the workflow again.",
    )
