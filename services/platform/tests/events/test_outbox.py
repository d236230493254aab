from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database, Outbox, OutboxRelay, ProjectDatabases
from scistudio_platform.db.comparison import Comparison
from scistudio_platform.db.lane import unsent
from scistudio_platform.db.outbox import EVENT_LIMIT_BYTES, EventTooLarge
from scistudio_platform.db.tables import OUTBOX
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.follow import Delivered
from scistudio_platform.events.model import Scope
from scistudio_platform.events.run import RunStarted
from scistudio_platform.nats import NatsServer
from scistudio_platform.service import Service
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.testing import eventually, make_settings
from sqlalchemy import func, select, update


async def published(bus: EventBus, n: int) -> list[tuple[str | None, bool]]:
    """Return the first events of the stream: node, and whether it is a replay."""
    epoch = (await bus.position()).epoch
    found: list[tuple[str | None, bool]] = []
    async for item in bus.follow(after=f"{epoch}:0"):
        assert isinstance(item, Delivered)
        found.append((item.event.scope.node, item.replay))
        if len(found) == n:
            break
    return found


async def has_other_epoch(bus: EventBus, epoch: str) -> bool:
    return (await bus.position()).epoch != epoch


async def all_recorded(database: Database) -> bool:
    async with database.reading() as session:
        return not (await session.execute(select(func.count()).where(OUTBOX.c.epoch.is_(None)))).scalar()


@asynccontextmanager
async def stopped(server: NatsServer) -> AsyncIterator[Path]:
    """Stop the server and start it again; gives the folder of its events."""
    server.stop()
    yield server.store / "jetstream"
    server.start()


async def test_an_event_reaches_a_consumer_once(nats: NatsServer, database: Database, tmp_path: Path, sample: Any) -> None:
    async with sample.recorder(nats, tmp_path / "r.db") as recorder, sample.publisher(nats, database):
        await sample.write(database, "a", "b", "c")
        await recorder.recorded("a", "b", "c")
        assert recorder.n_deliveries == 3


async def test_events_written_while_nats_is_killed_arrive_once_and_in_order(
    own_nats: NatsServer, database: Database, tmp_path: Path, sample: Any
) -> None:
    nodes = [f"n{number}" for number in range(120)]
    async with sample.recorder(own_nats, tmp_path / "r.db") as recorder, sample.publisher(own_nats, database) as bus:
        for number, node in enumerate(nodes):
            await sample.write(database, node)
            if number in (20, 70):
                sample.kill(own_nats)
            if number in (45, 90):
                own_nats.start()
        await recorder.recorded(*nodes)
        assert [node for node, _ in await published(bus, len(nodes))] == nodes


async def test_an_empty_store_gets_all_events_again_as_replays_and_nobody_stays_silent(
    own_nats: NatsServer, database: Database, tmp_path: Path, sample: Any
) -> None:
    async with sample.recorder(own_nats, tmp_path / "r.db") as recorder, sample.publisher(own_nats, database) as bus:
        await sample.write(database, "a", "b")
        await recorder.recorded("a", "b")
        await eventually(lambda: all_recorded(database))
        sample.kill(own_nats)
        shutil.rmtree(own_nats.store / "jetstream")
        await sample.write(database, "c")
        own_nats.start()
        await recorder.recorded("a", "b", "c")
        assert await published(bus, 3) == [("a", True), ("b", True), ("c", False)]


async def test_a_store_that_lost_its_end_gets_the_lost_events_again_under_a_new_epoch(
    own_nats: NatsServer, database: Database, tmp_path: Path, sample: Any
) -> None:
    async with sample.publisher(own_nats, database) as bus:
        await sample.write(database, *"abc")
        epoch = (await bus.position()).epoch
        await published(bus, 3)
        async with stopped(own_nats) as store:
            shutil.copytree(store, tmp_path / "older")
        await sample.write(database, *"def")
        await published(bus, 6)
        await eventually(lambda: all_recorded(database))
        async with stopped(own_nats) as store:
            shutil.rmtree(store)
            shutil.copytree(tmp_path / "older", store)
        await sample.write(database, "g")
        await eventually(lambda: has_other_epoch(bus, epoch))
        expected = [(node, node in "def") for node in "abcdefg"]
        assert await published(bus, 7) == expected


async def test_an_event_whose_acknowledgement_was_lost_is_not_published_again(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        await sample.write(database, *"abaca")
        await published(bus, 5)
        await eventually(lambda: all_recorded(database))
    async with database.transaction() as session:
        await session.execute(update(OUTBOX).where(OUTBOX.c.position > 2).values(epoch=None, seq=None))
    bus = EventBus(sample.settings(nats))
    async with Service("comparing", [bus]):
        await Comparison(await bus.connection(), database).run()
    assert await unsent(database) == []


async def test_rows_go_when_the_stream_has_dropped_their_events(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        await sample.write(database, *"abc")
        await published(bus, 3)
        await eventually(lambda: all_recorded(database))
        connection = await bus.connection()
        await connection.js.purge_stream("EVENTS", seq=3)
        await Comparison(connection, database).run()
    async with database.reading() as session:
        assert [seq for (seq,) in await session.execute(select(OUTBOX.c.seq))] == [3]


async def test_events_of_a_project_opened_later_leave_at_once(nats: NatsServer, tmp_path: Path, sample: Any) -> None:
    bus = EventBus(sample.settings(nats))
    relay = OutboxRelay(bus, lambda: projects.opened())
    settings = make_settings(ServiceSettings)
    projects = ProjectDatabases(settings, service="sample", migrations=sample.migrations, durable=True, on_open=relay.attach)
    async with Service("publisher", [bus, projects, relay]):
        for project in ("p1", "p2"):
            await sample.write(await projects.get(project, tmp_path / project), project, project=project)
        assert sorted(await published(bus, 2)) == [("p1", False), ("p2", False)]


async def test_one_broken_database_does_not_hold_up_the_others(nats: NatsServer, tmp_path: Path, sample: Any) -> None:
    broken, whole = sample.database(tmp_path / "broken.db"), sample.database(tmp_path / "whole.db")
    await whole.start()
    bus = EventBus(sample.settings(nats))
    async with Service("publisher", [bus, OutboxRelay(bus, lambda: [broken, whole])]):
        await sample.write(whole, "a")
        assert await published(bus, 1) == [("a", False)]
        await broken.start()
        await sample.write(broken, "b")
        assert await published(bus, 2) == [("a", False), ("b", False)]
    await broken.stop()
    await whole.stop()


async def test_the_largest_event_is_published_and_a_larger_one_refused_at_once(nats: NatsServer, database: Database, sample: Any) -> None:
    async with sample.publisher(nats, database) as bus:
        with pytest.raises(EventTooLarge, match="at most"):
            async with database.transaction() as session:
                Outbox(session).add(RunStarted(workflow_id="w", workflow_text="x" * EVENT_LIMIT_BYTES), Scope(project="p1", run="r1"))
        async with database.transaction() as session:
            Outbox(session).add(RunStarted(workflow_id="w", workflow_text="x" * (EVENT_LIMIT_BYTES - 1000)), Scope(project="p1", run="r1"))
        assert await published(bus, 1) == [(None, False)]
