"""Following the stream of events from a cursor on, for clients that come and go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import BUS_FAULTS
from scistudio_platform.events.model import Event, UndecodableEvent, decode
from scistudio_platform.events.pull import pull
from scistudio_platform.events.registry import event_types
from scistudio_platform.events.streams import EVENTS, Cursor, StreamState, state_of
from scistudio_platform.ids import subject_token
from scistudio_platform.logging import get_logger

if TYPE_CHECKING:
    from scistudio_platform.events.bus import EventBus

REPLAY_HEADER = "Scistudio-Replay"
FORGOTTEN_AFTER_S = 60.0
PAUSE_S = 0.05

logger = get_logger("events")


@dataclass(frozen=True, slots=True)
class Delivered:
    """An event with its place in the stream. ``replay``: it had been published before, to a stream that lost it."""

    cursor: str
    seq: int
    event: Event
    replay: bool


@dataclass(frozen=True, slots=True)
class Resync:
    """Events were missed for good: load the state anew, then apply what follows. ``cursor`` is the place to go on from."""

    cursor: str


class EventFollower:
    """Iterates without gap or repetition over what is in the stream after a cursor, across restarts of nats-server."""

    def __init__(self, bus: EventBus, *, project: str | None, families: Sequence[str], after: str | None) -> None:
        self._bus = bus
        token = "*" if project is None else subject_token(project)
        self._subjects = [f"scistudio.events.{token}.{family}.>" for family in families] or [f"scistudio.events.{token}.>"]
        self._cursor = None if after is None else Cursor.parse(after) or Cursor("", 0)
        self._types = event_types()

    async def items(self) -> AsyncGenerator[Delivered | Resync]:
        """Iterate, without end."""
        while True:
            connection = await self._bus.connection()
            try:
                state = await connection.guard(state_of(connection.js, EVENTS))
                if self._place(state):
                    yield Resync(str(self._cursor))
                async with aclosing(self._messages(connection, state)) as messages:
                    async for message in messages:
                        if delivered := self._read(message, state):
                            yield delivered
            except BUS_FAULTS as error:
                await _faulted(connection, error)

    def _place(self, state: StreamState) -> bool:
        """Make sure that the cursor lies in the stream. True when events after the one we had are gone."""
        cursor, now = self._cursor, Cursor(state.epoch, state.last_seq)
        if cursor is not None and cursor.epoch == now.epoch and state.first_seq - 1 <= cursor.seq <= now.seq:
            return False
        self._cursor = now
        return cursor is not None

    async def _messages(self, connection: Connection, state: StreamState) -> AsyncGenerator[Msg]:
        assert self._cursor is not None
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=self._cursor.seq + 1,
            ack_policy=AckPolicy.NONE,
            filter_subjects=self._subjects,
            inactive_threshold=FORGOTTEN_AFTER_S,
            mem_storage=True,
            num_replicas=1,
        )
        consumer = await connection.guard(connection.js.add_consumer(EVENTS.name, config))
        async with aclosing(pull(connection, EVENTS.name, consumer.name)) as messages:
            async for message in messages:
                yield message

    def _read(self, message: Msg, state: StreamState) -> Delivered | None:
        self._cursor = Cursor(state.epoch, message.metadata.sequence.stream)
        try:
            event = decode(message.data, message.headers, self._types)
        except UndecodableEvent as error:
            logger.warning("skipping an event", subject=message.subject, seq=self._cursor.seq, message=error.message)
            return None
        return Delivered(str(self._cursor), self._cursor.seq, event, replay=REPLAY_HEADER in (message.headers or {}))


async def follow_transient(bus: EventBus, *, project: str | None) -> AsyncGenerator[Event]:
    """Iterate over transient events from now on; see ``EventBus.follow_transient``."""
    types = event_types()
    token = "*" if project is None else subject_token(project)
    while True:
        connection = await bus.connection()
        try:
            async with connection.subscribed(f"scistudio.logs.{token}.>") as arrived:
                while (message := await arrived.get()) is not None:
                    try:
                        yield decode(message.data, message.headers, types)
                    except UndecodableEvent as error:
                        logger.debug("skipping a transient event", subject=message.subject, message=error.message)
        except BUS_FAULTS as error:
            await _faulted(connection, error)


async def _faulted(connection: Connection, error: BaseException) -> None:
    logger.debug("following again", error=repr(error))
    connection.suspected.set()
    await asyncio.sleep(PAUSE_S)
