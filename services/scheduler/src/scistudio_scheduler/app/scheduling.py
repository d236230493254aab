"""The use cases of runs: start, look at, cancel."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from scistudio_platform.clock import utc_now
from scistudio_platform.ids import NodeId, ProjectId, RunId, new_id
from scistudio_platform.service import BackgroundTasks
from scistudio_platform.telemetry import inject

from scistudio_scheduler.adapters.runner import News
from scistudio_scheduler.adapters.store import Page
from scistudio_scheduler.adapters.stores import Stores
from scistudio_scheduler.adapters.workflow import WorkflowClient
from scistudio_scheduler.app.announcements import announcements, run_started
from scistudio_scheduler.app.drivers import Drivers
from scistudio_scheduler.domain.plan import Plan
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import BlockState
from scistudio_scheduler.errors import InvalidRunId, NodeNotFound, OutputNotFound, RunIdTaken, RunNotFound

DEFAULT_PAGE, LONGEST_PAGE = 50, 500
BY_A_PERSON = "cancelled by a user"


@dataclass(frozen=True, slots=True)
class View:
    """A run as it stands, with what is known of its running blocks. ``trouble``: why its last step is not stored yet."""

    run: Run
    news: Mapping[NodeId, News] = field(default_factory=dict)
    trouble: str = ""


class Scheduling:
    """What the other services may ask for."""

    def __init__(self, workflow: WorkflowClient, stores: Stores, drivers: Drivers, tasks: BackgroundTasks) -> None:
        self._workflow, self._stores, self._drivers, self._tasks = workflow, stores, drivers, tasks

    async def start(self, project: ProjectId, workflow: str, *, run_id: str, triggered_by: str) -> View:
        """Start a run and answer at once. A run id that is known already answers that run."""
        chosen = _checked(run_id) if run_id else RunId(new_id())
        if run_id and (known := await self._known(project, chosen)) is not None:
            return known
        plan = await self._workflow.plan(project, workflow, triggered_by=triggered_by, trace_context=inject({}))
        # Shielded: a caller who goes away must not leave a stored run that nobody drives.
        return await asyncio.shield(self._tasks.spawn(self._launch(chosen, plan), name=f"launch {chosen}"))

    async def _known(self, project: ProjectId, run_id: RunId) -> View | None:
        try:
            return await self.get(project, run_id)
        except RunNotFound:
            return None

    async def _launch(self, run_id: RunId, plan: Plan) -> View:
        store = await self._stores.of(plan.project_id)
        run = Run.new(run_id, plan, utc_now())
        with self._drivers.prepare(run, store) as driver:
            effects = [*run.begin(run.created_at), *driver.dispatch(run)]
            if await store.insert(run, [run_started(run), *announcements(run, effects)]):
                self._drivers.begin(driver, effects)
                return View(run)
        if await store.owner(run_id) != plan.project_id:
            raise RunIdTaken(run_id)
        return await self.get(plan.project_id, run_id)

    async def get(self, project: ProjectId, run_id: RunId) -> View:
        """Return a run: from its driver while it is open, else from the store."""
        driver = self._drivers.find(project, run_id)
        if driver is not None:
            return View(driver.run, driver.news, driver.trouble)
        store = await self._stores.of(project)
        return View(await store.get(project, run_id))

    async def page(self, project: ProjectId, *, workflow: str, limit: int, token: str) -> Page:
        """Return runs of a project, newest first."""
        store = await self._stores.of(project)
        size = min(limit, LONGEST_PAGE) if limit > 0 else DEFAULT_PAGE
        return await store.page(project, workflow=workflow, limit=size, token=token)

    async def output(self, project: ProjectId, run_id: RunId, node: NodeId, port: str) -> tuple[str, str]:
        """Return the wire JSON on an output port and the execution that made it."""
        driver = self._drivers.find(project, run_id)
        if driver is None:
            store = await self._stores.of(project)
            state, outputs, execution_id = await store.output(project, run_id, node)
        elif node in driver.run.nodes:
            record = driver.run.nodes[node]
            state, outputs, execution_id = record.state.value, record.outputs, record.execution_id
        else:
            raise NodeNotFound(run_id, node)
        if state != BlockState.DONE or port not in outputs:
            raise OutputNotFound(run_id, node, port, state)
        return outputs[port], execution_id

    async def cancel(self, project: ProjectId, run_id: RunId, node: NodeId | None, reason: str) -> View:
        """Store that a run, or one node of it, is to stop, and answer; it has ended when its states say so."""
        why = reason or BY_A_PERSON
        driver = self._drivers.find(project, run_id)
        if driver is None:
            view = await self.get(project, run_id)
            if node is not None and node not in view.run.nodes:
                raise NodeNotFound(run_id, node)
            return view
        decided = driver.apply(lambda run: run.cancel(why, utc_now()) if node is None else run.cancel_node(node, why, utc_now()))
        return View(await decided, driver.news, driver.trouble)


def _checked(run_id: str) -> RunId:
    """Run ids become names of folders and parts of subjects."""
    try:
        return RunId(str(uuid.UUID(run_id)))
    except ValueError:
        raise InvalidRunId(run_id) from None
