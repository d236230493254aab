"""One connection to nats-server, from its making to its loss.

A lost connection is never mended: a new one is made, and everything on it anew (streams, consumers, subscriptions). nats-py's own
reconnecting keeps publishes that were waiting and sends them before newer ones are repeated, leaves ordered consumers silent for a
quarter of a minute, and knows nothing of a store that came back empty.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from scistudio_platform.events.errors import BusDenied, BusMisconfigured, ConnectionLost
from scistudio_platform.events.streams import EVENTS, LOGS, PARKED, StreamState, ensure, renew_epoch, state_of
from scistudio_platform.logging import get_logger
from scistudio_platform.settings import ServiceSettings

CONNECT_TIMEOUT_S = 3
REQUEST_TIMEOUT_S = 5.0
CLOSE_TIMEOUT_S = 2.0
MAX_PAYLOAD_BYTES = 8 * 1024 * 1024
ResultT = TypeVar("ResultT")


class Connection:
    """A live connection with the streams in place. ``events`` is where the stream of events was when it was made."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.suspected = asyncio.Event()
        self.client = Client()
        self.js: JetStreamContext = self.client.jetstream(timeout=REQUEST_TIMEOUT_S)
        self.events = StreamState(("",), 0, 0)

    @classmethod
    async def open(cls, settings: ServiceSettings) -> Self:
        """Connect once and make sure of the streams.

        Raises
        ------
        BusDenied, BusMisconfigured
            If a person must change something first.
        nats.errors.Error, OSError, TimeoutError
            If nobody answers, or JetStream is not ready.
        """
        connection = cls(settings.nats_url)
        try:
            await connection._connect(settings)
            connection.events = await ensure(connection.js, EVENTS)
            await ensure(connection.js, LOGS)
            await ensure(connection.js, PARKED)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _connect(self, settings: ServiceSettings) -> None:
        token = settings.nats_token.get_secret_value() if settings.nats_token else None
        try:
            await self.client.connect(
                self._url,
                token=token,
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                connect_timeout=CONNECT_TIMEOUT_S,
                closed_cb=self._on_closed,
                error_cb=self._on_error,
            )
        except nats.errors.Error as error:
            if "authorization violation" in str(error).lower():
                raise BusDenied(self._url) from error
            raise
        if self.client.max_payload < MAX_PAYLOAD_BYTES:
            raise BusMisconfigured(self._url, self.client.max_payload, MAX_PAYLOAD_BYTES)

    async def _on_closed(self) -> None:
        self.lose()

    async def _on_error(self, error: Exception) -> None:
        get_logger("nats").debug("error on the connection", error=repr(error))

    def lose(self) -> None:
        """Declare the connection lost: everything that works on it stops and starts again on the next."""
        if not self._lost.done():
            self._lost.set_result(None)

    @property
    def is_lost(self) -> bool:
        """Whether it is of no more use."""
        return self._lost.done()

    async def guard(self, work: Awaitable[ResultT]) -> ResultT:
        """Wait for ``work``, but no longer than the connection lives: then it is cancelled and ``ConnectionLost`` raised."""
        task = asyncio.ensure_future(work)
        try:
            either: list[asyncio.Future[Any]] = [task, self._lost]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise ConnectionLost
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def watch(self, every_s: float) -> None:
        """Return when the connection is of no more use: lost, silent, or its streams are no longer those it was made with."""
        while not self._lost.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(every_s):
                    await self.guard(self.suspected.wait())
            self.suspected.clear()
            state = await self.guard(state_of(self.js, EVENTS))
            if state.epochs != self.events.epochs:
                return

    async def renew_epoch(self) -> None:
        """Say to everybody that the stream lost its last messages; ends this connection."""
        await renew_epoch(self.js, EVENTS, self.events.epoch)
        self.lose()

    @asynccontextmanager
    async def subscribed(self, subject: str) -> AsyncIterator[asyncio.Queue[Msg | None]]:
        """Give a queue of what arrives on ``subject``; None at its end says that the connection is lost."""
        arrived: asyncio.Queue[Msg | None] = asyncio.Queue()

        async def put(message: Msg) -> None:
            arrived.put_nowait(message)

        def end(_: asyncio.Future[None]) -> None:
            arrived.put_nowait(None)

        self._lost.add_done_callback(end)
        subscription = await self.client.subscribe(subject, cb=put)
        try:
            yield arrived
        finally:
            self._lost.remove_done_callback(end)
            if not self.is_lost:
                await subscription.unsubscribe()

    async def close(self) -> None:
        """Write out what waits and end the connection; a server that hangs is left behind."""
        self.lose()
        with contextlib.suppress(nats.errors.Error, OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.client.close()
