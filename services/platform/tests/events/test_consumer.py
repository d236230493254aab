from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nats.js.errors import NotFoundError
from scistudio_platform.db import Database
from scistudio_platform.db.errors import DatabaseUnavailable
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.consumer import DurableConsumer
from scistudio_platform.events.model import Event
from scistudio_platform.nats import NatsServer
from scistudio_platform.service import Service
from scistudio_platform.testing import eventually


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """One kind of database is enough here."""
    return tmp_path / "sample.db"


@asynccontextmanager
async def consuming(bus: EventBus, handler: Callable[[Event], Awaitable[None]]) -> AsyncIterator[None]:
    async with Service("consumer", [DurableConsumer(bus, "consumer", ["block"], handler)]):
        yield


class Handler:
    """Raises what it was told to, as often as it was told to."""

    def __init__(self, **faults: list[Exception]) -> None:
        self.faults = faults
        self.handled: list[str] = []

    async def __call__(self, event: Event) -> None:
        node = event.scope.node or ""
        if self.faults.get(node):
            raise self.faults[node].pop()
        self.handled.append(node)


async def test_trouble_with_infrastructure_holds_the_queue_and_keeps_the_order(nats: NatsServer, database: Database, sample: Any) -> None:
    handler = Handler(b=[DatabaseUnavailable("x", "locked"), OSError("gone"), TimeoutError()])
    async with sample.publisher(nats, database) as bus, consuming(bus, handler):
        await sample.write(database, *"abc")
        await eventually(lambda: len(handler.handled) == 3)
    assert handler.handled == ["a", "b", "c"]


async def test_a_bug_in_the_handler_stops_one_event_and_no_other(nats: NatsServer, database: Database, sample: Any) -> None:
    handler = Handler(b=[KeyError("bug")])
    async with sample.publisher(nats, database) as bus, consuming(bus, handler):
        await sample.write(database, *"abc")
        await eventually(lambda: len(handler.handled) == 3)
    assert handler.handled == ["a", "c", "b"]


async def test_what_cannot_be_read_is_parked_and_the_next_goes_on(nats: NatsServer, database: Database, sample: Any) -> None:
    handler = Handler()
    async with sample.publisher(nats, database) as bus, consuming(bus, handler):
        js = (await bus.connection()).js
        await js.publish("scistudio.events.p1.block.x", b"\xff no event", headers={"traceparent": "00-1"})
        await sample.write(database, "a")
        await eventually(lambda: handler.handled == ["a"])

        async def parked() -> Any:
            try:
                return await js.get_msg("PARKED", seq=1)
            except NotFoundError:
                return None

        message = await eventually(parked)
    assert message.data == b"\xff no event"
    assert "Invalid JSON" in message.headers["Scistudio-Reason"]
    assert message.headers["Scistudio-Subject"] == "scistudio.events.p1.block.x"


async def test_events_at_hand_when_a_consumer_is_killed_come_at_once_and_first(nats: NatsServer, database: Database, sample: Any) -> None:
    begun = asyncio.Event()

    async def never_done(event: Event) -> None:
        begun.set()
        await asyncio.Event().wait()

    handler = Handler()
    async with sample.publisher(nats, database) as bus:
        await sample.write(database, *"abc")
        async with consuming(bus, never_done):
            await begun.wait()
        await sample.write(database, "d")
        async with consuming(bus, handler):
            await eventually(lambda: len(handler.handled) == 4)
    assert handler.handled == ["a", "b", "c", "d"]


async def test_a_consumer_whose_durable_was_deleted_makes_it_again(nats: NatsServer, database: Database, sample: Any) -> None:
    handler = Handler()
    async with sample.publisher(nats, database) as bus, consuming(bus, handler):
        await sample.write(database, "a")
        await eventually(lambda: handler.handled == ["a"])
        await (await bus.connection()).js.delete_consumer("EVENTS", "consumer")
        await sample.write(database, "b")
        await eventually(lambda: "b" in handler.handled)


async def test_only_the_families_asked_for_arrive(nats: NatsServer, database: Database, sample: Any) -> None:
    runs, blocks = Handler(), Handler()
    async with sample.publisher(nats, database) as bus, consuming(bus, blocks):
        await DurableConsumer(bus, "runs", ["run", "project"], runs).start()
        await sample.write(database, "a")
        await eventually(lambda: blocks.handled == ["a"])
    assert runs.handled == []


async def test_a_later_version_can_ask_for_further_families(nats: NatsServer, database: Database, sample: Any) -> None:
    earlier, later = Handler(), Handler()
    async with sample.publisher(nats, database) as bus:
        async with Service("earlier", [DurableConsumer(bus, "one", ["run"], earlier)]):
            await eventually(lambda: n_consumers(bus))
        await sample.write(database, "a")
        async with Service("later", [DurableConsumer(bus, "one", ["run", "block"], later)]):
            await eventually(lambda: later.handled == ["a"])
    assert earlier.handled == []


async def n_consumers(bus: EventBus) -> int:
    return int((await (await bus.connection()).js.stream_info("EVENTS")).state.consumer_count)


async def test_the_handler_runs_in_the_trace_of_the_event(nats: NatsServer, database: Database, sample: Any) -> None:
    seen: list[dict[str, str]] = []

    async def note(event: Event) -> None:
        seen.append(event.trace_context)

    async with sample.publisher(nats, database) as bus, consuming(bus, note):
        js = (await bus.connection()).js
        (event,) = await sample.write(database, "a")
        await eventually(lambda: len(seen) == 1)
        message = await js.get_msg("EVENTS", seq=1)
        await js.publish(message.subject, message.data, headers={"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
        await eventually(lambda: len(seen) == 2)
    assert seen == [{}, {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}]
    assert event.trace_context == {}
