"""Comparing an outbox with the stream of events, after a new connection: either may have lost what the other knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from sqlalchemy import Row, delete, select, update

from scistudio_platform.clock import utc_now
from scistudio_platform.db.database import Database
from scistudio_platform.db.lane import BATCH, MESSAGE_ID, record, unsent
from scistudio_platform.db.tables import OUTBOX
from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import ConnectionLost
from scistudio_platform.events.streams import EVENTS, StreamState, state_of
from scistudio_platform.logging import get_logger

logger = get_logger("outbox")
_ROW = OUTBOX.c
_Row = Row[*tuple[Any, ...]]


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
        """A lane keeps at most one batch of cursors unstored and one on its way: only these can have been published."""
        found: list[tuple[str, int]] = []
        for waiting in await unsent(self._database, limit=2 * BATCH):
            seq = after + 1
            while (message := await self._message(seq, waiting.subject)) is not None and message.seq is not None:
                if (message.headers or {}).get(MESSAGE_ID) == waiting.id:
                    found.append((waiting.id, message.seq))
                    break
                seq = message.seq + 1
        await record(self._database, self._state.epoch, found)
