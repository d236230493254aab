"""From the outbox to the stream of events: everything, in order, once, whatever dies in between.

Rows keep the cursor under which the stream acknowledged them. On each new connection the relay compares them with the stream: what a
new or shortened stream lacks is published again, oldest first and marked as a replay; what is there already although the answer was
lost is not. Rows stay as long as the stream keeps its events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any

from nats.js.api import PubAck, RawStreamMsg
from nats.js.errors import NotFoundError
from sqlalchemy import Row, bindparam, delete, select, update

from scistudio_platform.clock import utc_now
from scistudio_platform.db.database import Database
from scistudio_platform.db.errors import DatabaseUnavailable
from scistudio_platform.db.tables import OUTBOX
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.connection import REQUEST_TIMEOUT_S, Connection
from scistudio_platform.events.errors import ConnectionLost
from scistudio_platform.events.follow import REPLAY_HEADER
from scistudio_platform.events.streams import EVENTS, StreamState, state_of
from scistudio_platform.logging import get_logger

BATCH = 64
LOOK_EVERY_S = 1.0
PRUNE_EVERY_S = 3600.0
MESSAGE_ID = "Nats-Msg-Id"

logger = get_logger("outbox")
_ROW = OUTBOX.c
_Row = Row[*tuple[Any, ...]]


class OutboxRelay:
    """A part that publishes the outboxes of some databases.

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
        self._known: set[Database] = set()
        self._written: set[Database] = set()
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

    def wake(self, database: Database | None = None) -> None:
        """Look at once. Needed by nobody who writes through ``Database.transaction``, which does it."""
        self._written.update(self._known if database is None else {database})
        self._woken.set()

    async def attach(self, project_id: str, database: Database) -> None:
        """Know of a database as soon as it is opened: for ``ProjectDatabases(on_open=...)``."""
        database.on_outbox(self.wake)
        self.wake(database)

    async def _relay(self, connection: Connection) -> None:
        self._known.clear()  # each is compared with this connection's stream
        while not connection.is_lost:
            self._woken.clear()
            opened = set(self._databases())
            self._known &= opened
            for database in (opened - self._known) | (self._written & opened):
                await self._serve(connection, database)
            await self._wait(connection)
        raise ConnectionLost

    async def _wait(self, connection: Connection) -> None:
        try:
            async with asyncio.timeout(LOOK_EVERY_S):
                await connection.guard(self._woken.wait())
        except TimeoutError:
            pass

    async def _serve(self, connection: Connection, database: Database) -> None:
        """One database in trouble does not keep the others waiting; it stays to be looked at."""
        database.on_outbox(self.wake)
        try:
            if database not in self._known:
                await Comparison(connection, database).run()
                self._known.add(database)
            self._written.discard(database)
            await publish_unsent(connection, database)
        except DatabaseUnavailable as error:
            self._written.add(database)
            logger.warning("outbox not published", database=database.name, code=error.code, message=error.message)


async def publish_unsent(connection: Connection, database: Database) -> None:
    """Publish what the stream has not acknowledged, in order."""
    while rows := await _unsent(database):
        answers = await connection.guard(asyncio.gather(*(_send(connection, row) for row in rows), return_exceptions=True))
        acknowledged: list[tuple[int, int]] = []
        fault: BaseException | None = None
        for row, answer in zip(rows, answers, strict=True):
            if isinstance(answer, BaseException):
                fault = answer
                break  # what comes after it is repeated too: the order matters, and the stream drops what it has
            acknowledged.append((row.position, answer.seq))
        await _record(database, connection.events.epoch, acknowledged)
        if fault is not None:
            raise fault
        if len(rows) < BATCH:
            return


async def _unsent(database: Database) -> Sequence[_Row]:
    columns = (_ROW.position, _ROW.id, _ROW.subject, _ROW.payload, _ROW.headers, _ROW.replay)
    async with database.reading() as session:
        return (await session.execute(select(*columns).where(_ROW.epoch.is_(None)).order_by(_ROW.position).limit(BATCH))).all()


async def _send(connection: Connection, row: _Row) -> PubAck:
    headers = {**row.headers, MESSAGE_ID: row.id, **({REPLAY_HEADER: "1"} if row.replay else {})}
    return await connection.js.publish(row.subject, row.payload, timeout=REQUEST_TIMEOUT_S, headers=headers)


async def _record(database: Database, epoch: str, acknowledged: Sequence[tuple[int, int]]) -> None:
    """Keep the cursors. A row that was pruned or marked meanwhile is left alone."""
    if not acknowledged:
        return
    statement = update(OUTBOX).where(_ROW.position == bindparam("at")).values(epoch=epoch, seq=bindparam("number"))
    async with database.transaction() as session:
        connection = await session.connection()
        await connection.execute(statement, [{"at": position, "number": seq} for position, seq in acknowledged])


class Comparison:
    """One database's rows against the stream, once a connection."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        self._state: StreamState = connection.events

    async def run(self) -> None:
        """Mark what must be published again, and what need not be published though nobody recorded that it was."""
        self._state = await self._connection.guard(state_of(self._connection.js, EVENTS))
        await self._prune()
        await self._mark_rows_of_other_streams()
        newest = await self._acknowledged(limit=1)
        if newest and not await self._holds(newest[0]):
            await self._mark_lost_end(newest[0])
        await self._record_lost_answers(newest[0].seq if newest else 0)

    async def _prune(self) -> None:
        """Delete what the stream has dropped by its own limits."""
        oldest = utc_now() - timedelta(seconds=EVENTS.max_age_s)
        gone = _ROW.epoch.in_(self._state.epochs) & (_ROW.seq < self._state.first_seq)
        async with self._database.transaction() as session:
            await session.execute(delete(OUTBOX).where(gone | (_ROW.epoch.is_not(None) & (_ROW.created_at < oldest))))

    async def _mark_rows_of_other_streams(self) -> None:
        await self._mark(_ROW.epoch.is_not(None) & _ROW.epoch.not_in(self._state.epochs))

    async def _mark_lost_end(self, newest: _Row) -> None:
        """The stream came back without its end. Say so to all (a new epoch, a new connection), then find from where on."""
        if newest.epoch == self._state.epoch:
            await self._connection.guard(self._connection.renew_epoch())
            raise ConnectionLost
        rows = (await self._acknowledged())[::-1]
        low, high = 0, len(rows)  # rows before `low` are there, rows from `high` on are not
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if await self._holds(rows[middle]) else (low, middle)
        if low < len(rows):
            await self._mark(_ROW.epoch.is_not(None) & (_ROW.seq >= rows[low].seq))

    async def _acknowledged(self, limit: int | None = None) -> Sequence[_Row]:
        """Return cursors, the newest first. All have numbers of this stream by now."""
        statement = select(_ROW.id, _ROW.epoch, _ROW.seq).where(_ROW.epoch.is_not(None)).order_by(_ROW.seq.desc()).limit(limit)
        async with self._database.reading() as session:
            return (await session.execute(statement)).all()

    async def _holds(self, row: _Row) -> bool:
        if row.seq < self._state.first_seq:
            return True  # kept for its time
        if row.seq > self._state.last_seq:
            return False
        message = await self._message(row.seq)
        return message is None or (message.headers or {}).get(MESSAGE_ID) == row.id  # None: deleted by an operator

    async def _message(self, seq: int, subject: str | None = None) -> RawStreamMsg | None:
        """Return the message with that number, or the first one from there on with that subject."""
        try:
            return await self._connection.guard(
                self._connection.js.get_msg(EVENTS.name, seq=seq, subject=subject, next=subject is not None)
            )
        except NotFoundError:
            return None

    async def _mark(self, condition: Any) -> None:
        async with self._database.transaction() as session:
            result = await session.execute(update(OUTBOX).where(condition).values(epoch=None, seq=None, replay=True))
        if n_rows := getattr(result, "rowcount", 0):
            logger.warning("the stream of events lacks some; publishing them again", database=self._database.name, n_events=n_rows)

    async def _record_lost_answers(self, after: int) -> None:
        """Only the oldest batch can have been published: the next one is sent when the cursors of the last are stored."""
        found: list[tuple[int, int]] = []
        for row in await _unsent(self._database):
            seq = after + 1
            while (message := await self._message(seq, row.subject)) is not None and message.seq is not None:
                if (message.headers or {}).get(MESSAGE_ID) == row.id:
                    found.append((row.position, message.seq))
                    break
                seq = message.seq + 1
        await _record(self._database, self._state.epoch, found)
