"""A service in small, for the tests: its tables, migrations and parts."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.clock import utc_now
from scistudio_platform.db import Base, Database, Outbox, OutboxRelay, SeenEvents, new_metadata
from scistudio_platform.events.block import BlockStateChanged
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.consumer import DurableConsumer
from scistudio_platform.events.model import Event, Scope
from scistudio_platform.nats import NatsServer
from scistudio_platform.service import Service
from scistudio_platform.settings import ServiceSettings
from scistudio_platform.testing import eventually, make_settings
from sqlalchemy import select
from sqlalchemy.orm import Mapped, mapped_column

MIGRATIONS = Path(__file__).parent / "db" / "migrations"


class TableBase(Base):
    __abstract__ = True
    metadata = new_metadata(outbox=True, seen_events=True)


class NoteRow(TableBase):
    __tablename__ = "notes"
    id: Mapped[str] = mapped_column(primary_key=True)
    made_at: Mapped[datetime] = mapped_column(default=utc_now)
    content: Mapped[dict[str, Any]]


class Recorder:
    """A consumer as services have them: it notes each event once, in its database, in the order in which it came."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.n_deliveries = 0

    async def handle(self, event: Event) -> None:
        self.n_deliveries += 1
        async with self.database.transaction() as session:
            if await SeenEvents(session).first_time(event.id):
                session.add(NoteRow(id=event.id, content={"node": event.scope.node}))

    async def nodes(self) -> list[str]:
        async with self.database.reading() as session:
            rows = (await session.scalars(select(NoteRow).order_by(NoteRow.made_at))).all()
        return [row.content["node"] for row in rows]

    async def recorded(self, *nodes: str) -> None:
        """Wait until exactly these came, in this order."""

        async def same() -> bool:
            return await self.nodes() == list(nodes)

        await eventually(same)


class Sample:
    """What the tests make: test modules cannot import this one."""

    migrations = MIGRATIONS
    metadata = TableBase.metadata
    Note = NoteRow

    def database(self, place: str | Path, **options: Any) -> Database:
        return Database(place, **{"schema": "sample", "migrations": MIGRATIONS, "durable": True, **options})

    def settings(self, server: NatsServer, **changes: Any) -> ServiceSettings:
        return make_settings(ServiceSettings, nats_url=server.url, **{"nats_token": server.token, **changes})

    async def write(self, database: Database, *nodes: str, project: str = "p1") -> list[Event]:
        """Store one event for each node, in one transaction."""
        async with database.transaction() as session:
            outbox = Outbox(session)
            return [outbox.add(BlockStateChanged(state="done"), Scope(project=project, run="r1", node=node)) for node in nodes]

    @asynccontextmanager
    async def publisher(self, server: NatsServer, database: Database) -> AsyncIterator[EventBus]:
        """A service that publishes from ``database``."""
        bus = EventBus(self.settings(server))
        async with Service("publisher", [bus, OutboxRelay(bus, lambda: [database])]):
            yield bus

    @asynccontextmanager
    async def recorder(self, server: NatsServer, path: Path) -> AsyncIterator[Recorder]:
        """A service that records what comes, in a database of its own."""
        database = self.database(path)
        recorder = Recorder(database)
        bus = EventBus(self.settings(server))
        async with Service("recorder", [database, bus, DurableConsumer(bus, "recorder", ["block"], recorder.handle)]):
            yield recorder

    def kill(self, server: NatsServer) -> None:
        """As a crash would."""
        os.kill(server.pid, signal.SIGKILL)
        while server.exit_code() is None:
            pass


@pytest.fixture
def sample() -> Sample:
    return Sample()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a database lies: each kind in turn."""
    return tmp_path / "sample.db" if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture
async def database(place: str | Path, sample: Sample) -> AsyncIterator[Database]:
    database = sample.database(place)
    await database.start()
    yield database
    await database.stop()


@pytest.fixture
async def bus(nats: NatsServer, sample: Sample) -> AsyncIterator[EventBus]:
    bus = EventBus(sample.settings(nats))
    await bus.start()
    yield bus
    await bus.stop()
