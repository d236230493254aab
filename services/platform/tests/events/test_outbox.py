from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scistudio_platform.db import Database
from scistudio_platform.nats import NatsServer
from scistudio_platform.testing import eventually

Make = Callable[[str], Any]


def kill(server: NatsServer) -> None:
    os.kill(server.pid, signal.SIGKILL)
    while server.exit_code() is None:
        pass


async def test_an_event_reaches_a_consumer_once(nats: NatsServer, database: Database, tmp_path: Path, make: Make) -> None:
    async with make("recorder")(nats, tmp_path / "r.db") as recorder, make("publisher")(nats, database):
        await make("write")(database, "a", "b", "c")
        await eventually(lambda: recorder.n_deliveries == 3)
        assert await recorder.nodes() == ["a", "b", "c"]


async def test_events_written_while_nats_is_killed_arrive_once_and_in_order(
    own_nats: NatsServer, database: Database, tmp_path: Path, make: Make
) -> None:
    names = [f"n{number}" for number in range(300)]
    async with make("recorder")(own_nats, tmp_path / "r.db") as recorder, make("publisher")(own_nats, database):
        for number, name in enumerate(names):
            await make("write")(database, name)
            if number in (60, 200):
                kill(own_nats)
            if number in (130, 240):
                own_nats.start()
        await eventually(lambda: recorder.n_deliveries >= len(names))
        await eventually(lambda: _same(recorder, names))


async def _same(recorder: Any, names: list[str]) -> bool:
    return bool(await recorder.nodes() == names)


async def test_an_empty_store_gets_all_events_again_as_replays_and_consumers_go_on(
    own_nats: NatsServer, database: Database, tmp_path: Path, make: Make
) -> None:
    async with make("recorder")(own_nats, tmp_path / "r.db") as recorder, make("publisher")(own_nats, database) as bus:
        await make("write")(database, "a", "b")
        await eventually(lambda: _same(recorder, ["a", "b"]))
        kill(own_nats)
        shutil.rmtree(own_nats.store / "jetstream")
        await make("write")(database, "c")
        own_nats.start()
        await eventually(lambda: _same(recorder, ["a", "b", "c"]))
        replays = [item.replay async for item, _ in _first(bus, 3)]
        assert replays == [True, True, False]


async def _first(bus: Any, n: int) -> Any:
    position = await bus.position()
    number = 0
    async for item in bus.follow(after=f"{position.epoch}:0"):
        yield item, number
        number += 1
        if number == n:
            return
