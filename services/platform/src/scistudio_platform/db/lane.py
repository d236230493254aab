"""The way of one database's events to the stream, on one connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

from nats.js.api import PubAck
from sqlalchemy import bindparam, select, update

from scistudio_platform.db.database import Database
from scistudio_platform.db.tables import OUTBOX
from scistudio_platform.events.connection import REQUEST_TIMEOUT_S, Connection
from scistudio_platform.events.follow import REPLAY_HEADER

BATCH = 64
RECORD_AFTER_S = 0.05
MESSAGE_ID = "Nats-Msg-Id"
_ROW = OUTBOX.c


class Waiting(NamedTuple):
    """A row of the outbox that is to be published."""

    id: str
    subject: str
    payload: bytes
    headers: dict[str, str]
    replay: bool = False


async def unsent(database: Database, *, limit: int = BATCH) -> list[Waiting]:
    """Return the oldest rows that the stream has not acknowledged, in order."""
    columns = (_ROW.id, _ROW.subject, _ROW.payload, _ROW.headers, _ROW.replay)
    async with database.reading() as session:
        rows = await session.execute(select(*columns).where(_ROW.epoch.is_(None)).order_by(_ROW.position).limit(limit))
        return [Waiting(*row) for row in rows]


async def record(database: Database, epoch: str, acknowledged: Sequence[tuple[str, int]]) -> None:
    """Store the cursors of events, by id."""
    if not acknowledged:
        return
    statement = update(OUTBOX).where(_ROW.id == bindparam("event")).values(epoch=epoch, seq=bindparam("number"))
    async with database.transaction() as session:
        connection = await session.connection()
        await connection.execute(statement, [{"event": event, "number": seq} for event, seq in acknowledged])


class Lane:
    """Publishes in order, a batch at a time. Cursors are stored a little later, many at once: a commit for each would cost more
    than the event, and what is lost with them in a crash is found again by the comparison."""

    def __init__(self, connection: Connection, database: Database) -> None:
        self.database = database
        self.is_behind = True
        self._connection = connection
        self._acknowledged: list[tuple[str, int]] = []
        self._oldest = 0.0

    async def catch_up(self) -> None:
        """Publish what the table holds unsent."""
        self.is_behind = True
        while True:
            await self.record()
            rows = await unsent(self.database)
            await self._publish(rows)
            if len(rows) < BATCH:
                break
        self.is_behind = False

    async def publish(self, fresh: Sequence[Waiting]) -> None:
        """Publish events that were just committed, without reading them again."""
        self.is_behind = True  # until it went well
        for start in range(0, len(fresh), BATCH):
            await self._publish(fresh[start : start + BATCH])
            if len(self._acknowledged) >= BATCH or time.monotonic() - self._oldest > RECORD_AFTER_S:
                await self.record()
        self.is_behind = False

    @property
    def is_recorded(self) -> bool:
        """Whether all cursors are stored."""
        return not self._acknowledged

    async def record(self) -> None:
        """Store the cursors."""
        acknowledged, self._acknowledged = self._acknowledged, []
        await record(self.database, self._connection.events.epoch, acknowledged)

    async def _publish(self, rows: Sequence[Waiting]) -> None:
        answers = await self._connection.guard(asyncio.gather(*map(self._send, rows), return_exceptions=True))
        if not self._acknowledged:
            self._oldest = time.monotonic()
        for row, answer in zip(rows, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer  # what comes after it is repeated too: the order matters, and the stream drops what it has
            self._acknowledged.append((row.id, answer.seq))

    async def _send(self, row: Waiting) -> PubAck:
        headers = {**row.headers, MESSAGE_ID: row.id, **({REPLAY_HEADER: "1"} if row.replay else {})}
        return await self._connection.js.publish(row.subject, row.payload, timeout=REQUEST_TIMEOUT_S, headers=headers)
