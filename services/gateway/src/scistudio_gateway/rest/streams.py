"""Answers that stay open: heartbeats while nothing happens, and an end when the gateway stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends
from fastapi.sse import KEEPALIVE_COMMENT
from starlette.requests import HTTPConnection


@dataclass(slots=True)
class OpenStreams:
    """What open streams must know."""

    heartbeat_s: float
    slow_client_s: float
    closing: asyncio.Event = field(default_factory=asyncio.Event)


async def _streams(connection: HTTPConnection) -> OpenStreams:
    streams: OpenStreams = connection.app.state.streams
    return streams


Streams = Annotated[OpenStreams, Depends(_streams)]


async def with_heartbeat(events: AsyncGenerator[bytes], streams: OpenStreams) -> AsyncGenerator[bytes]:
    """Pass ``events`` on; a comment shows that the connection is alive while there are none. Ends when the gateway stops."""
    closing: asyncio.Future[Any] = asyncio.ensure_future(streams.closing.wait())
    upcoming: asyncio.Future[bytes] = asyncio.ensure_future(anext(events))
    try:
        while True:
            done, _ = await asyncio.wait({upcoming, closing}, timeout=streams.heartbeat_s, return_when=asyncio.FIRST_COMPLETED)
            if closing in done:
                return
            if upcoming in done:
                try:
                    yield upcoming.result()
                except StopAsyncIteration:
                    return
                upcoming = asyncio.ensure_future(anext(events))
            else:
                yield KEEPALIVE_COMMENT
    finally:
        for task in (upcoming, closing):
            task.cancel()
        await asyncio.gather(upcoming, closing, return_exceptions=True)
        await events.aclose()
