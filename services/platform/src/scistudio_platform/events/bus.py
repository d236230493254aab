"""The event bus of a service: always one connection, or the wait for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from scistudio_platform.errors import SciStudioError
from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import BUS_FAULTS, BusDenied, BusMisconfigured
from scistudio_platform.events.follow import Delivered, EventFollower, Resync, follow_transient
from scistudio_platform.events.model import Event, EventData, Scope, encode, subject_of
from scistudio_platform.events.streams import EVENTS, Cursor, state_of
from scistudio_platform.logging import get_logger
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.telemetry import inject

CHECK_EVERY_S = 5.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0
AGAIN_PAUSE_S = 0.2
COMPLAIN_EVERY_S = 10.0

logger = get_logger("events")


class EventBus:
    """A part that connects, never gives up, and makes the streams again where they are missing.

    Parameters
    ----------
    settings : ServiceSettings
        ``nats_url`` and ``nats_token`` are used.
    required : bool
        Whether ``start`` waits for the first connection, for as long as it takes; a wrong token fails it in any case.
        Otherwise it returns at once and the bus comes when it comes.
    """

    def __init__(self, settings: ServiceSettings, *, required: bool = True) -> None:
        self._settings = settings
        self._required = required
        self._connection: Connection | None = None
        self._changed = asyncio.Condition()
        self._supervisor: asyncio.Task[None] | None = None
        self._refused: SciStudioError | None = None

    async def start(self) -> None:
        """Begin to connect."""
        self._supervisor = asyncio.create_task(self._supervise(), name="event bus")
        if self._required:
            async with self._changed:
                await self._changed.wait_for(lambda: self._connection is not None or self._refused is not None)
            if self._refused is not None:
                await self.stop()
                raise self._refused

    async def stop(self) -> None:
        """Send what waits and disconnect."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.gather(self._supervisor, return_exceptions=True)

    @property
    def is_connected(self) -> bool:
        """Whether events come and go now; part of a service's readiness."""
        return self._connection is not None and not self._connection.is_lost

    async def connection(self) -> Connection:
        """Return the live connection; wait for it as long as it takes."""
        while (connection := self._connection) is None or connection.is_lost:
            async with self._changed:
                await self._changed.wait()
        return connection

    async def keep(self, name: str, work: Callable[[Connection], Awaitable[None]]) -> None:
        """Do ``work`` on the live connection, again after each fault, and on each new connection, until cancelled."""
        while True:
            connection = await self.connection()
            try:
                await work(connection)
            except BUS_FAULTS as error:
                # A lost connection has been said already; a live one that fails has not.
                say = logger.debug if connection.is_lost else logger.warning
                say("starting again on the event bus", part=name, error=repr(error))
            except SciStudioError as error:
                logger.warning("starting again", part=name, code=error.code, message=error.message)
            except Exception:  # a bug, said aloud; silence for ever would be worse than the next try
                logger.exception("starting again after a bug", part=name)
                await asyncio.sleep(LONGEST_PAUSE_S)
            connection.suspected.set()
            await asyncio.sleep(AGAIN_PAUSE_S)

    async def position(self) -> Cursor:
        """Return the cursor of the last event there is: who follows from here misses nothing that comes. Waits for the bus."""
        while True:
            connection = await self.connection()
            try:
                state = await connection.guard(state_of(connection.js, EVENTS))
            except BUS_FAULTS as error:
                logger.debug("asking for the position again", error=repr(error))
                connection.suspected.set()
                await asyncio.sleep(AGAIN_PAUSE_S)
            else:
                return Cursor(state.epoch, state.last_seq)

    def follow(
        self, *, project: str | None = None, families: Sequence[str] = (), after: str | None = None
    ) -> AsyncGenerator[Delivered | Resync]:
        """Iterate over the events of a project (None: of all), of some families (none named: of all), from a cursor on.

        ``after`` is the text of the last cursor that was seen; None begins with what comes next. Never ends by itself: break off, or
        cancel the task.
        """
        return EventFollower(self, project=project, families=families, after=after).items()

    def follow_transient(self, *, project: str | None = None) -> AsyncGenerator[Event]:
        """Iterate over what is published with ``publish_transient`` from now on. What passes while there is no connection is lost."""
        return follow_transient(self, project=project)

    async def publish_transient(self, data: EventData, scope: Scope) -> None:
        """Send an event that nobody needs to get, such as progress: no answer is awaited; without a connection it is dropped."""
        if self._connection is None or self._connection.is_lost:
            return
        event = Event(scope=scope, data=data)
        headers = dict(inject({}))
        with contextlib.suppress(*BUS_FAULTS):
            await self._connection.client.publish(subject_of(event, stream="logs"), encode(event), headers=headers or None)

    async def _supervise(self) -> None:
        while True:
            connection = await self._connect()
            await self._announce(connection)
            logger.info("event bus connected", epoch=connection.events.epoch)
            try:
                await connection.watch(CHECK_EVERY_S)
            except BUS_FAULTS as error:
                logger.debug("event bus check failed", error=repr(error))
            finally:
                self._connection = None
                await connection.close()
            logger.warning("event bus lost; connecting again")

    async def _connect(self) -> Connection:
        pause_s, complained = FIRST_PAUSE_S, 0.0
        while True:
            try:
                return await Connection.open(self._settings)
            except (BusDenied, BusMisconfigured) as error:
                await self._announce(refused=error)
                fault: Exception = error
            except BUS_FAULTS as error:
                fault = error
            now = asyncio.get_running_loop().time()
            if now - complained > COMPLAIN_EVERY_S:
                complained = now
                logger.warning("no event bus; still trying", url=self._settings.nats_url, error=str(fault) or repr(fault))
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _announce(self, connection: Connection | None = None, *, refused: SciStudioError | None = None) -> None:
        async with self._changed:
            self._connection, self._refused = connection, refused
            self._changed.notify_all()
