from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database
from scistudio_platform.events.block import BlockProgressed
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.follow import Delivered, Resync
from scistudio_platform.events.model import Event, Scope
from scistudio_platform.nats import NatsServer
from scistudio_platform.testing import eventually


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """One kind of database is enough here."""
    return tmp_path / "sample.db"


class Client:
    """What a browser does: it follows, and remembers the last cursor."""

    def __init__(self, cursor: str | None) -> None:
        self.cursor = cursor
        self.nodes: list[str | None] = []
        self.n_resyncs = 0

    @asynccontextmanager
    async def following(self, bus: EventBus, **choice: Any) -> AsyncIterator[None]:
        async def follow() -> None:
            async for item in bus.follow(after=self.cursor, **choice):
                self.cursor = item.cursor
                if isinstance(item, Delivered):
                    self.nodes.append(item.event.scope.node)
                else:
                    self.n_resyncs += 1

        task = asyncio.create_task(follow())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def has(self, *nodes: str) -> None:
        await eventually(lambda: len(self.nodes) >= len(nodes))
        assert self.nodes == list(nodes)


async def start(bus: EventBus) -> str:
    return str(await bus.position())


@pytest.mark.parametrize("n_before", [0, 1, 70, 150])
async def test_a_client_that_comes_back_gets_what_it_missed_once(nats: NatsServer, database: Database, sample: Any, n_before: int) -> None:
    nodes = [str(number) for number in range(150)]
    async with sample.publisher(nats, database) as bus:
        client = Client(await start(bus))
        async with client.following(bus):
            await sample.write(database, *nodes[:n_before])
            await client.has(*nodes[:n_before])
        await sample.write(database, *nodes[n_before:])
        async with client.following(bus):
            await client.has(*nodes)
    assert client.n_resyncs == 0


@pytest.mark.parametrize("kill_at", [5, 50])
async def test_a_client_misses_nothing_while_nats_is_killed(own_nats: NatsServer, database: Database, sample: Any, kill_at: int) -> None:
    nodes = [str(number) for number in range(100)]
    async with sample.publisher(own_nats, database) as bus:
        client = Client(await start(bus))
        async with client.following(bus):
            for number, node in enumerate(nodes):
                await sample.write(database, node)
                if number == kill_at:
                    sample.kill(own_nats)
                if number == kill_at + 20:
                    own_nats.start()
            await client.has(*nodes)
            sample.kill(own_nats)  # and when nothing was on its way
            own_nats.start()
            await sample.write(database, "last")
            await client.has(*nodes, "last")
    assert client.n_resyncs == 0


async def test_an_empty_store_makes_a_client_load_again_and_then_follow(own_nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(own_nats, database) as bus:
        client = Client(await start(bus))
        async with client.following(bus):
            await sample.write(database, "a")
            await client.has("a")
            sample.kill(own_nats)
            shutil.rmtree(own_nats.store / "jetstream")
            own_nats.start()
            await eventually(lambda: client.n_resyncs == 1)
            await sample.write(database, "b")
            await eventually(lambda: client.nodes[-1] == "b")


@pytest.mark.parametrize("cursor", ["another-epoch:1", "no cursor", "{epoch}:99", "{epoch}:0"])
async def test_a_cursor_that_does_not_lie_in_the_stream_is_answered_by_resync(
    nats: NatsServer, database: Database, sample: Any, cursor: str
) -> None:
    async with sample.publisher(nats, database) as bus:
        await sample.write(database, *"abc")
        await eventually(lambda: has_seq(bus, 3))
        await (await bus.connection()).js.purge_stream("EVENTS", seq=3)
        epoch = (await bus.position()).epoch
        client = Client(cursor.format(epoch=epoch))
        async with client.following(bus):
            await eventually(lambda: client.n_resyncs == 1)
            assert client.cursor == f"{epoch}:3"
            await sample.write(database, "d")
            await client.has("d")


async def has_seq(bus: EventBus, seq: int) -> bool:
    return (await bus.position()).seq == seq


async def test_a_client_gets_its_project_and_families_alone(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        cursor = await start(bus)
        mine, all_projects, runs = Client(cursor), Client(cursor), Client(cursor)
        async with mine.following(bus, project="p1"), all_projects.following(bus), runs.following(bus, families=["run"]):
            await sample.write(database, "a", project="p1")
            await sample.write(database, "b", project="p1.x")
            await sample.write(database, "c", project="p1")
            await all_projects.has("a", "b", "c")
            await mine.has("a", "c")
            assert runs.nodes == []


async def test_an_event_that_cannot_be_read_does_not_end_the_following(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        client = Client(await start(bus))
        async with client.following(bus):
            await (await bus.connection()).js.publish("scistudio.events.p1.block.x", b"no event")
            await sample.write(database, "a")
            await client.has("a")
    assert client.cursor is not None
    assert client.cursor.endswith(":2")


async def test_who_does_not_say_where_begins_with_what_comes_next(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        await sample.write(database, "old")
        await eventually(lambda: has_seq(bus, 1))
        items = bus.follow(project="p1")
        first = asyncio.ensure_future(anext(items))
        await eventually(lambda: n_consumers(bus))
        await sample.write(database, "new")
        item = await first
        await items.aclose()
    assert not isinstance(item, Resync)
    assert (item.event.scope.node, item.seq, item.replay) == ("new", 2, False)


async def n_consumers(bus: EventBus) -> int:
    return int((await (await bus.connection()).js.stream_info("EVENTS")).state.consumer_count)


async def test_progress_reaches_who_listens_and_is_dropped_without_a_bus(own_nats: NatsServer, sample: Any) -> None:
    bus = EventBus(sample.settings(own_nats))
    await bus.start()
    got: list[Event] = []

    async def listen() -> None:
        async for event in bus.follow_transient(project="p1"):
            got.append(event)

    async def say() -> bool:
        for project in ("p1", "p2"):
            await bus.publish_transient(BlockProgressed(fraction=0.5), Scope(project=project, node="n"))
        return len(got) > 0

    task = asyncio.create_task(listen())
    await eventually(say)
    sample.kill(own_nats)
    await eventually(lambda: not bus.is_connected)
    await say()
    own_nats.start()
    await eventually(lambda: bus.is_connected)
    got.clear()
    await eventually(say)
    task.cancel()
    await bus.stop()
    assert {event.scope.project for event in got} == {"p1"}
