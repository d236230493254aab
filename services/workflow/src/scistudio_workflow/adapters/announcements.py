"""Events of projects, on their way to the stream."""

from __future__ import annotations

import asyncio
from collections import deque

from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.connection import Connection
from scistudio_platform.events.model import Event, EventData, Scope, encode, subject_of

MESSAGE_ID = "Nats-Msg-Id"


class Announcements:
    """A part: publishes in order, each event until the stream has acknowledged it.

    There is no outbox, since what these events tell of is in no table: a project is open while this process holds its lock, and
    the next start tells it anew.
    """

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._waiting: deque[Event] = deque()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to publish."""
        self._task = asyncio.create_task(self._bus.keep("announcements", self._publish), name="announcements")

    async def stop(self) -> None:
        """Stop publishing."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def tell(self, project_id: str, data: EventData) -> None:
        """Publish an event of a project, as soon as there is a connection."""
        self._waiting.append(Event(scope=Scope(project=project_id), data=data))
        self._woken.set()

    async def _publish(self, connection: Connection) -> None:
        while True:
            while self._waiting:
                event = self._waiting[0]
                headers = {**event.trace_context, MESSAGE_ID: event.id}
                await connection.guard(connection.js.publish(subject_of(event), encode(event), headers=headers))
                self._waiting.popleft()
            self._woken.clear()
            await connection.guard(self._woken.wait())
