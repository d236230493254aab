"""Events over a WebSocket: what happened since a cursor, and what happens from here on.

The first frame is ``hello`` with the place that is followed from. Each event comes once, in order, with its cursor; progress comes
without one and may be left out. ``resync`` says that events are gone for good: load the state anew, then follow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Query, WebSocket
from pydantic_core import to_json
from scistudio_platform.clock import utc_now
from scistudio_platform.events.block import BlockExecuted
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.errors import BUS_FAULTS
from scistudio_platform.events.follow import Resync
from scistudio_platform.events.model import Event, envelope
from scistudio_platform.events.streams import Cursor
from scistudio_platform.logging import get_logger
from starlette.websockets import WebSocketDisconnect

from scistudio_gateway.domain.access import SUBPROTOCOL
from scistudio_gateway.domain.exact_json import ascii_json, read_json
from scistudio_gateway.rest.streams import OpenStreams, Streams

router = APIRouter(tags=["events"])
WAITING_FRAMES = 64
# Lineage's own: it repeats configuration, environment and every reference, and no client needs it to know how a run goes.
WITHHELD = frozenset({BlockExecuted.TYPE})
GOING_AWAY, TRY_AGAIN = 1012, 1013
PAUSE_S = 0.2

logger = get_logger("gateway")


def frame(event: Event, **place: Any) -> str:
    """Return an event as clients get it."""
    text = to_json({**place, **envelope(event)}, inf_nan_mode="strings").decode()
    return ascii_json(read_json(text))


def heartbeat() -> str:
    """Return the frame that says that nothing happened; formed like any other, so that who knows no heartbeats passes over it."""
    nothing = dict.fromkeys(("project", "workflow", "run", "node", "execution"))
    return ascii_json({"type": "heartbeat", "time": utc_now().isoformat(timespec="microseconds"), **nothing, "data": {}})


@router.websocket("/events")
async def follow_events(
    socket: WebSocket,
    streams: Streams,
    project: Annotated[str, Query(description="Project id; empty: all projects.")] = "",
    after: Annotated[str, Query(description="Cursor of the last event that was seen; empty: only what comes.")] = "",
) -> None:
    """Follow events until the client goes, falls behind, or the gateway stops."""
    bus: EventBus = socket.app.state.bus
    await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in socket.scope["subprotocols"] else None)
    await EventFeed(socket, bus, streams).run(project or None, after)


class EventFeed:
    """One client's events.

    What waits to be sent is bounded: durable events wait in the stream itself, of progress only the newest per node is kept, and a client
    that does not read is let go; it comes back with its cursor and has lost nothing.
    """

    def __init__(self, socket: WebSocket, bus: EventBus, streams: OpenStreams) -> None:
        self._socket, self._bus, self._streams = socket, bus, streams
        self._waiting: asyncio.Queue[str | tuple[str | None, str | None]] = asyncio.Queue(WAITING_FRAMES)
        self._progress: dict[tuple[str | None, str | None], str] = {}

    async def run(self, project: str | None, after: str) -> None:
        """Feed the client until one side ends it."""
        work: list[Coroutine[Any, Any, int | None]] = [
            self._until_closed(),
            self._until_stopped(),
            self._send(),
            self._follow(project, after),
            self._follow_progress(project),
        ]
        tasks = [asyncio.create_task(one) for one in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        code = next(iter(done)).result()
        if code is not None:
            await self._close(code)

    async def _close(self, code: int) -> None:
        try:
            async with asyncio.timeout(1):  # a client that does not read does not take this either
                await self._socket.close(code)
        except (TimeoutError, WebSocketDisconnect):
            logger.info("client let go", path=self._socket.url.path, code=code)

    async def _until_closed(self) -> None:
        while (await self._socket.receive())["type"] != "websocket.disconnect":
            pass  # clients have nothing to say here

    async def _until_stopped(self) -> int:
        await self._streams.closing.wait()
        return GOING_AWAY

    async def _send(self) -> int | None:
        upcoming = await self._waiting.get()  # hello, however long it takes
        while True:
            text = self._progress.pop(upcoming) if isinstance(upcoming, tuple) else upcoming
            try:
                async with asyncio.timeout(self._streams.slow_client_s):
                    await self._socket.send_text(text)
            except TimeoutError:
                return TRY_AGAIN
            except WebSocketDisconnect:
                return None
            try:
                upcoming = await asyncio.wait_for(self._waiting.get(), self._streams.heartbeat_s)
            except TimeoutError:
                upcoming = heartbeat()

    async def _follow(self, project: str | None, after: str) -> None:
        now = await self._position()
        given = Cursor.parse(after) if after else None
        known = given is not None and given.epoch == now.epoch and given.seq <= now.seq
        await self._waiting.put(ascii_json({"type": "hello", "cursor": after if known else str(now), "epoch": now.epoch}))
        async for one in self._bus.follow(project=project, after=after or str(now)):
            if isinstance(one, Resync):
                await self._waiting.put(ascii_json({"type": "resync", "cursor": one.cursor}))
            elif not one.replay and one.event.type not in WITHHELD:
                await self._waiting.put(frame(one.event, cursor=one.cursor, seq=one.seq))

    async def _position(self) -> Cursor:
        while True:
            try:
                return await self._bus.position()
            except BUS_FAULTS as error:
                logger.debug("asking the event bus again", error=repr(error))
                await asyncio.sleep(PAUSE_S)

    async def _follow_progress(self, project: str | None) -> None:
        async for event in self._bus.follow_transient(project=project):
            key = (event.scope.run, event.scope.node)
            if key not in self._progress:
                if self._waiting.full():
                    continue
                self._waiting.put_nowait(key)
            self._progress[key] = frame(event)
