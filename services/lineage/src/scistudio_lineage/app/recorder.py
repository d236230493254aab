"""Recording what happened. Off the critical path: a run never waits for it."""

from __future__ import annotations

from scistudio_platform.db import SeenEvents
from scistudio_platform.db.errors import DatabaseUnavailable
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.events.block import BlockExecuted, BlockStateChanged
from scistudio_platform.events.model import Event
from scistudio_platform.events.run import RunFinished, RunStarted, RunStateChanged
from scistudio_platform.logging import get_logger

from scistudio_lineage.adapters.projects import Projects
from scistudio_lineage.adapters.writing import INPUT, OUTPUT, Writer
from scistudio_lineage.domain.objects import places
from scistudio_lineage.errors import ProjectUnwritable

FINAL_RUN_STATES = frozenset({"completed", "completed_with_failures", "failed", "cancelled"})

logger = get_logger("lineage")


class Recorder:
    """Writes each event once. Delivery is at least once, and what an event needs may come after it."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    async def handle(self, event: Event) -> None:
        """Return: the event is acknowledged. Raise: it comes again, and is held or put off as its error says."""
        if not _is_of_interest(event):
            return
        try:
            database = await self._projects.database(event.scope.project)
            async with database.transaction() as session:
                if await SeenEvents(session).first_time(event.id):
                    await _write(Writer(session), event)
        except DatabaseUnavailable as error:
            if self._projects.is_shared:
                raise
            raise ProjectUnwritable(event.scope.project, error) from error  # held, it would keep all other projects waiting
        except SciStudioError as error:
            if error.kind is not Kind.NOT_FOUND:
                raise
            logger.warning("nowhere to record an event", project=event.scope.project, event_id=event.id, message=error.message)


def _is_of_interest(event: Event) -> bool:
    """Passing states of blocks are not kept; those of blocks that ended tell why."""
    match event.data:
        case BlockStateChanged(state=state, reason=reason):
            return state == "skipped" or (state in ("error", "cancelled") and (bool(reason) or event.scope.execution is None))
        case RunStarted() | RunStateChanged() | RunFinished() | BlockExecuted():
            return True
        case _:
            return False


async def _write(writer: Writer, event: Event) -> None:
    match event.data:
        case RunStarted():
            await writer.run_started(event, event.data)
        case RunStateChanged(state=state, reason=reason) | RunFinished(state=state, reason=reason):
            await writer.run_state(event, state, reason, is_final=state in FINAL_RUN_STATES)
        case BlockStateChanged():
            await writer.node_ended(event, event.data)
        case BlockExecuted():
            inputs, outputs = list(places(event.data.inputs)), list(places(event.data.outputs))
            await writer.execution(event, event.data)
            await writer.ports(event, INPUT, inputs, not_made=frozenset())
            await writer.ports(event, OUTPUT, outputs, not_made=frozenset(place.object_id for place in inputs))
