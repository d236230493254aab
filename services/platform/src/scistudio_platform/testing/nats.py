"""Fixtures with a real nats-server."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Iterator

import nats as client
import pytest
from nats.js.errors import NotFoundError

from scistudio_platform.events.streams import EVENTS, LOGS, PARKED
from scistudio_platform.nats import NatsServer
from scistudio_platform.testing import short_dir


@pytest.fixture(scope="session")
def nats_server() -> Iterator[NatsServer]:
    """Start one nats-server for all tests of a process."""
    base = short_dir()
    server = NatsServer(base / "nats")
    server.start()
    yield server
    server.stop()
    shutil.rmtree(base)


@pytest.fixture
def nats(nats_server: NatsServer) -> Iterator[NatsServer]:
    """Give the shared nats-server with an empty store: ``make_settings(cls, nats_url=nats.url, nats_token=nats.token)``."""
    yield nats_server
    delete_streams(nats_server)


@pytest.fixture
def own_nats() -> Iterator[NatsServer]:
    """Give a nats-server that the test may kill."""
    base = short_dir()
    server = NatsServer(base / "nats")
    server.start()
    yield server
    server.stop()
    shutil.rmtree(base)


def delete_streams(server: NatsServer) -> None:
    """Empty the store. From a thread of its own, so that it works whether or not a loop runs here."""

    async def delete() -> None:
        connection = await client.connect(server.url, token=server.token)
        for stream in (EVENTS, LOGS, PARKED):
            try:
                await connection.jetstream().delete_stream(stream.name)
            except NotFoundError:
                continue
        await connection.close()

    thread = threading.Thread(target=lambda: asyncio.run(delete()))
    thread.start()
    thread.join()
