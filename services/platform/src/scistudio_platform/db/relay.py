"""From the outboxes to the stream of events: everything, in order, once, whatever dies in between.

Rows keep the cursor under which the stream acknowledged them. On each new connection the relay compares them with the stream: what a
new or shortened stream lacks is published again, oldest first and marked as a replay; what is there already although the answer was
lost is not. Rows stay as long as the stream keeps its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scistudio_platform.db.comparison import Comparison
from scistudio_platform.db.database import Database
from scistudio_platform.db.errors import DatabaseUnavailable
from scistudio_platform.db.lane import RECORD_AFTER_S, Lane, Waiting
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import ConnectionLost
from scistudio_platform.logging import get_logger

LOOK_EVERY_S = 1.0
COMPARE_EVERY_S = 3600.0
FRESH_LIMIT = 1000

logger = get_logger("outbox")


class OutboxRelay:
    """A part that publishes the outboxes of some databases; an event leaves within a millisecond of its commit.

    Parameters
    ----------
    bus : EventBus
        Started before.
    databases : callable
        Returns the databases that are open now: ``projects.opened``, or ``lambda: [database]``. A new one is noticed within a second;
        with ``on_open=relay.attach`` at once.
    """

    def __init__(self, bus: EventBus, databases: Callable[[], Iterable[Database]]) -> None:
        self._bus = bus
        self._databases = databases
        self._lanes: dict[Database, Lane] = {}
        # What was committed since the last look; None: more than is worth keeping, so read the table.
        self._fresh: dict[Database, list[Waiting] | None] = {}
        self._troubled: weakref.WeakSet[Database] = weakref.WeakSet()  # said once
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to publish."""
        self._task = asyncio.create_task(self._bus.keep("outbox", self._relay), name="outbox relay")

    async def stop(self) -> None:
        """Stop; what is left is published next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for lane in self._lanes.values():
            with contextlib.suppress(DatabaseUnavailable):
                await lane.record()

    def wake(self) -> None:
        """Look at every database now. Who writes through ``Database.transaction`` need not."""
        self._fresh.update(dict.fromkeys(self._databases()))
        self._woken.set()

    async def attach(self, project_id: str, database: Database) -> None:
        """Know of a database as soon as it is opened: for ``ProjectDatabases(on_open=...)``."""
        database.on_outbox(self._committed)
        self._woken.set()

    def _committed(self, database: Database, rows: Sequence[dict[str, Any]]) -> None:
        fresh = self._fresh.setdefault(database, [])
        if fresh is not None:
            fresh.extend(Waiting(row["id"], row["subject"], row["payload"], row["headers"]) for row in rows)
            if len(fresh) > FRESH_LIMIT:
                self._fresh[database] = None
        self._woken.set()

    async def _relay(self, connection: Connection) -> None:
        self._lanes = {}
        compared_at = time.monotonic()
        while not connection.is_lost:
            self._woken.clear()
            if time.monotonic() - compared_at > COMPARE_EVERY_S:  # prunes, too
                self._lanes, compared_at = {}, time.monotonic()
            for database in self._opened():
                await self._serve(connection, database)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S if all(lane.is_recorded for lane in self._lanes.values()) else RECORD_AFTER_S):
                    await connection.guard(self._woken.wait())
        raise ConnectionLost

    def _opened(self) -> list[Database]:
        opened = list(self._databases())
        for known in (self._lanes, self._fresh):
            for closed in known.keys() - set(opened):
                del known[closed]
        return opened

    async def _serve(self, connection: Connection, database: Database) -> None:
        """One database in trouble does not keep the others waiting; it stays to be looked at."""
        try:
            lane = self._lanes.get(database) or await self._new_lane(connection, database)
            fresh = self._fresh.pop(database, [])
            if lane.is_behind or fresh is None:
                await lane.catch_up()
            elif fresh:
                await lane.publish(fresh)
            elif not lane.is_recorded:
                await lane.record()
        except DatabaseUnavailable as error:
            self._lanes.pop(database, None)
            if database not in self._troubled:
                logger.warning("outbox not published", database=database.name, code=error.code, message=error.message)
            self._troubled.add(database)
        else:
            self._troubled.discard(database)

    async def _new_lane(self, connection: Connection, database: Database) -> Lane:
        database.on_outbox(self._committed)
        await Comparison(connection, database).run()
        return self._lanes.setdefault(database, Lane(connection, database))
