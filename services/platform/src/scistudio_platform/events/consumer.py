"""Consumers that get every event at least once, whatever is restarted in between."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import chain, repeat

import nats.errors
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.connection import Connection
from scistudio_platform.events.errors import ConnectionLost
from scistudio_platform.events.model import Event, UndecodableEvent, decode
from scistudio_platform.events.pull import pull
from scistudio_platform.events.registry import event_types
from scistudio_platform.events.streams import EVENTS
from scistudio_platform.logging import get_logger
from scistudio_platform.telemetry import span

ACK_WAIT_S = 60.0
HOLD_PAUSES_S = (0.1, 0.3, 1.0, 3.0)
LONGEST_DELAY_S = 60.0
MAX_PENDING = 1000

logger = get_logger("events")
Handler = Callable[[Event], Awaitable[None]]


class DurableConsumer:
    """A part that hands each event of some families to ``handler``, one by one, in the order of the stream.

    When ``handler`` returns, the event is acknowledged. When it raises, the event comes again:

    - trouble with infrastructure (a ``SciStudioError`` of kind UNAVAILABLE or TIMEOUT, as ``Database`` raises; ``OSError``;
      ``TimeoutError``) holds the queue until it is over, so that the order is kept;
    - anything else is a bug: it is logged, and the event comes again after a growing delay while later ones go on.

    What cannot be decoded goes to the stream PARKED with its reason, and is logged. After a restart of service or server, on the same
    store or an empty one, it begins where the acknowledged events end; some come twice then, so the handler asks ``SeenEvents``.

    Parameters
    ----------
    bus : EventBus
        Started before.
    name : str
        The durable name: the same name goes on where it was.
    families : sequence of str
        ``run``, ``block``, ``project`` …
    handler : callable
        Awaited with each event.
    """

    def __init__(self, bus: EventBus, name: str, families: Sequence[str], handler: Handler) -> None:
        self._bus = bus
        self._name = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        self._subjects = [f"scistudio.events.*.{family}.>" for family in families]
        self._handler = handler
        self._types = event_types()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to consume."""
        self._task = asyncio.create_task(self._bus.keep(self._name, self._consume), name=f"consumer {self._name}")

    async def stop(self) -> None:
        """Stop; the event at hand, if any, comes again next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _consume(self, connection: Connection) -> None:
        await connection.guard(self._prepare(connection))
        async with aclosing(pull(connection, EVENTS.name, self._name)) as messages:
            async for message in messages:
                await self._take(connection, message)

    async def _prepare(self, connection: Connection) -> None:
        config = ConsumerConfig(
            durable_name=self._name,
            deliver_policy=DeliverPolicy.ALL,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=ACK_WAIT_S,
            max_deliver=-1,
            max_ack_pending=MAX_PENDING,
            filter_subjects=self._subjects,
        )
        await connection.js.add_consumer(EVENTS.name, config)
        # What was on its way when service or server went down would come only after ACK_WAIT_S, behind newer events.
        await connection.js.reset_consumer(EVENTS.name, self._name)

    async def _take(self, connection: Connection, message: Msg) -> None:
        try:
            event = decode(message.data, message.headers, self._types)
        except UndecodableEvent as error:
            await self._park(connection, message, error)
            return
        try:
            await self._handle(connection, event, message)
        except ConnectionLost:
            raise
        except Exception:  # a bug in the handler: said aloud here, and the event comes again
            delay_s = min(2.0 ** (message.metadata.num_delivered - 1), LONGEST_DELAY_S)
            logger.exception("event not handled", consumer=self._name, event_id=event.id, type=event.type, again_in_s=delay_s)
            await message.nak(delay=delay_s)
        else:
            await message.ack()

    async def _handle(self, connection: Connection, event: Event, message: Msg) -> None:
        for pause_s in chain(HOLD_PAUSES_S, repeat(HOLD_PAUSES_S[-1])):
            try:
                with span(f"consume {event.type}", context=event.trace_context, consumer=self._name):
                    await self._handler(event)
            except (SciStudioError, nats.errors.Error, OSError, TimeoutError) as error:
                if isinstance(error, SciStudioError) and error.kind not in (Kind.UNAVAILABLE, Kind.TIMEOUT):
                    raise
                logger.warning("event held", consumer=self._name, event_id=event.id, error=str(error) or repr(error))
            else:
                return
            await asyncio.sleep(pause_s)
            if connection.is_lost:
                raise ConnectionLost
            await message.in_progress()

    async def _park(self, connection: Connection, message: Msg, error: UndecodableEvent) -> None:
        seq = message.metadata.sequence.stream
        logger.error("event parked", consumer=self._name, subject=message.subject, seq=seq, message=error.message)
        headers = {**(message.headers or {}), "Scistudio-Reason": error.message[:500], "Scistudio-Subject": message.subject}
        headers["Nats-Msg-Id"] = f"{self._name}-{connection.events.epoch}-{seq}"
        await connection.guard(connection.js.publish(f"scistudio.parked.{self._name}", message.data, headers=headers))
        await message.term()
