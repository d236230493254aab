"""Events over the WebSocket, over a real nats-server: each once, in order, across reconnects."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
import structlog
from pydantic import SecretStr
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.events.block import BlockExecuted, BlockProgressed, BlockStateChanged
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.errors import BUS_FAULTS
from scistudio_platform.events.model import Event, EventData, Scope, encode, subject_of
from scistudio_platform.events.run import RunStarted
from scistudio_platform.nats import NatsServer
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Follow = Callable[..., Any]


@pytest.fixture
def settings(with_nats: GatewaySettings) -> GatewaySettings:
    return with_nats


@pytest_asyncio.fixture(loop_scope="module")
async def bus(settings: GatewaySettings) -> AsyncIterator[EventBus]:
    bus = EventBus(settings)
    await bus.start()
    yield bus
    await bus.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def follow(settings: GatewaySettings, serve: Any, session_token: str) -> AsyncIterator[Follow]:
    """Opens sockets on a gateway."""
    async with serve(settings) as url:

        def opened(query: str = "project=p", **options: Any) -> connect:
            headers = {"authorization": f"Bearer {session_token}"}
            return connect(f"{url.replace('http', 'ws')}/api/v1/events?{query}", additional_headers=headers, proxy=None, **options)

        yield opened


async def publish(bus: EventBus, data: EventData, project: str = "p", node: str | None = "n", **headers: str) -> None:
    event = Event(scope=Scope(project=project, run="r", node=node), data=data)
    while True:
        connection = await bus.connection()
        sending = connection.js.publish(subject_of(event), encode(event), headers={"Nats-Msg-Id": event.id, **headers})
        with contextlib.suppress(*BUS_FAULTS):
            await connection.guard(sending)
            return


def ready(number: int) -> BlockStateChanged:
    return BlockStateChanged(state="ready", reason=str(number))


async def frames(socket: ClientConnection, count: int) -> list[dict[str, Any]]:
    """The next frames that are no heartbeats."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(10):
        while len(found) < count:
            frame = json.loads(await socket.recv())
            if frame["type"] != "heartbeat":
                found.append(frame)
    return found


async def test_a_follower_is_greeted_and_hears_its_project_alone(follow: Follow, bus: EventBus) -> None:
    await publish(bus, ready(0))
    async with follow() as socket:
        (hello,) = await frames(socket, 1)
        assert (hello["type"], hello["cursor"]) == ("hello", f"{hello['epoch']}:1")
        await publish(bus, ready(1), project="other")
        await publish(bus, ready(2))
        (heard,) = await frames(socket, 1)
    assert heard["cursor"] == f"{hello['epoch']}:3"
    assert (heard["seq"], heard["type"], heard["project"], heard["run"], heard["node"]) == (3, "block.state_changed", "p", "r", "n")
    assert heard["data"]["reason"] == "2"
    assert heard.keys() >= {"id", "time", "workflow", "execution"}


async def test_who_follows_all_projects_hears_all(follow: Follow, bus: EventBus) -> None:
    async with follow("") as socket:
        await frames(socket, 1)
        await publish(bus, ready(1), project="a")
        await publish(bus, ready(2), project="b")
        assert [frame["project"] for frame in await frames(socket, 2)] == ["a", "b"]


async def test_nothing_is_lost_or_repeated_however_often_a_client_comes_back(follow: Follow, bus: EventBus) -> None:
    async with follow() as socket:
        (hello,) = await frames(socket, 1)
    cursor, heard = hello["cursor"], list[dict[str, Any]]()
    publishing = asyncio.create_task(publish_many(bus, 60))
    while len(heard) < 60:
        async with follow(f"project=p&after={cursor}") as socket:
            hello, *some = await frames(socket, 8)
            assert hello["type"] == "hello"
            heard += some
            cursor = heard[-1]["cursor"]
    await publishing
    assert [int(frame["data"]["reason"]) for frame in heard[:60]] == list(range(60))


async def publish_many(bus: EventBus, count: int) -> None:
    for number in range(count + 10):  # more than are waited for, so that the last frames of a round come too
        await publish(bus, ready(number))


@pytest.mark.parametrize("after", ["gone:5", "rubbish", "EPOCH:999999"])
async def test_a_cursor_that_is_no_place_in_the_stream_is_told_to_load_anew(follow: Follow, bus: EventBus, after: str) -> None:
    epoch = (await bus.position()).epoch
    async with follow(f"project=p&after={after.replace('EPOCH', epoch)}") as socket:
        hello, resync = await frames(socket, 2)
        assert (hello["type"], resync["type"]) == ("hello", "resync")
        await publish(bus, ready(1))
        assert (await frames(socket, 1))[0]["data"]["reason"] == "1"


async def test_lineages_own_events_and_replays_are_kept_from_clients(follow: Follow, bus: EventBus) -> None:
    async with follow() as socket:
        await frames(socket, 1)
        await publish(bus, BlockExecuted(block_type="b", state="done"))
        await publish(bus, ready(1), **{"Scistudio-Replay": "1"})
        await publish(bus, ready(2))
        assert (await frames(socket, 1))[0]["data"]["reason"] == "2"


async def test_progress_passes_without_a_cursor(follow: Follow, bus: EventBus) -> None:
    async with follow() as socket:
        await frames(socket, 1)
        heard = asyncio.create_task(frames(socket, 1))
        while not heard.done():  # a transient event that nobody follows yet is lost
            await bus.publish_transient(BlockProgressed(fraction=0.5, message="half"), Scope(project="p", run="r", node="n"))
            await asyncio.wait([heard], timeout=0.05)
    frame = heard.result()[0]
    assert (frame["type"], frame["data"]["fraction"]) == ("block.progressed", 0.5)
    assert not frame.keys() & {"cursor", "seq"}


async def test_silence_is_filled_with_heartbeats(follow: Follow) -> None:
    async with follow() as socket:
        kinds = [json.loads(await socket.recv())["type"] for _ in range(3)]
    assert kinds == ["hello", "heartbeat", "heartbeat"]


async def test_numbers_that_browsers_cannot_read_are_text(follow: Follow, bus: EventBus) -> None:
    async with follow() as socket:
        await frames(socket, 1)
        await publish(bus, RunStarted(workflow_id="w", metadata={"seed": 2**60, "sigma": float("nan")}))
        assert (await frames(socket, 1))[0]["data"]["metadata"] == {"seed": str(2**60), "sigma": "NaN"}


async def test_clients_are_told_to_come_back_when_the_gateway_stops(settings: GatewaySettings, serve: Any, session_token: str) -> None:
    async with serve(settings) as url:
        headers = {"authorization": f"Bearer {session_token}"}
        socket = await connect(f"{url.replace('http', 'ws')}/api/v1/events", additional_headers=headers, proxy=None)
        await frames(socket, 1)
    with pytest.raises(ConnectionClosed) as closed:
        await frames(socket, 1)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


async def test_a_client_that_does_not_read_is_let_go(settings: GatewaySettings, serve: Any, session_token: str, bus: EventBus) -> None:
    request = (
        "GET /api/v1/events?project=p HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {session_token}\r\n\r\n"
    )
    with structlog.testing.capture_logs() as logs:
        async with serve(settings.model_copy(update={"slow_client_s": 0.3})) as url:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]), limit=1024)
            writer.write(request.encode())
            await reader.readuntil(b"hello")
            while not any(line["event"] == "client let go" for line in logs):  # until the kernel's buffers are full
                await publish(bus, RunStarted(workflow_id="w", workflow_text="x" * 500_000), node=None)
            writer.close()


async def test_events_go_on_after_the_bus_was_away(own_nats: NatsServer, settings: GatewaySettings, serve: Any, session_token: str) -> None:
    settings = settings.model_copy(update={"nats_url": own_nats.url, "nats_token": SecretStr(own_nats.token)})
    bus = EventBus(settings)
    await bus.start()
    async with serve(settings) as url:
        headers = {"authorization": f"Bearer {session_token}"}
        async with connect(f"{url.replace('http', 'ws')}/api/v1/events", additional_headers=headers, proxy=None) as socket:
            await frames(socket, 1)
            await publish(bus, ready(1))
            own_nats.stop()
            own_nats.start()
            await publish(bus, ready(2))
            heard = await frames(socket, 2)
    await bus.stop()
    assert [frame["data"]["reason"] for frame in heard] == ["1", "2"]
