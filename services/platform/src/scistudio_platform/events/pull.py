"""Messages of a pull consumer, as they come.

nats-py's ``fetch`` holds a message back until its batch is full or its time is over; this hands out each one at once. The server
beats while it has nothing: a missing beat means that consumer or server are gone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

from nats.aio.msg import Msg
from nats.js.errors import APIError

from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import ConnectionLost

BATCH = 64
EXPIRES_S = 30.0
BEAT_S = 2.0
MISSED_BEATS = 3
_BEAT, _ENDED = "100", ("404", "408")


async def pull(connection: Connection, stream: str, consumer: str) -> AsyncGenerator[Msg]:
    """Iterate over the consumer's messages, without end.

    Raises
    ------
    ConnectionLost
        When the connection is.
    TimeoutError, APIError
        When the server says nothing any more, or that the consumer is gone.
    """
    inbox = connection.client.new_inbox()
    request = json.dumps({"batch": BATCH, "expires": int(EXPIRES_S * 1e9), "idle_heartbeat": int(BEAT_S * 1e9)}).encode()
    async with connection.subscribed(inbox) as arrived:
        while True:
            await connection.client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}", request, reply=inbox)
            wanted = BATCH
            while wanted:
                message = await _next(arrived)
                status = (message.headers or {}).get("Status") if not message.data else None
                if status is None:
                    wanted -= 1
                    yield message
                elif status in _ENDED:
                    break
                elif status != _BEAT:
                    raise APIError.from_msg(message)


async def _next(arrived: asyncio.Queue[Msg | None]) -> Msg:
    if arrived.empty():
        async with asyncio.timeout(BEAT_S * MISSED_BEATS):
            message = await arrived.get()
    else:
        message = arrived.get_nowait()
    if message is None:
        raise ConnectionLost
    return message
