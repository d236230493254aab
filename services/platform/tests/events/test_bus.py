from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.errors import BusDenied, BusMisconfigured
from scistudio_platform.events.streams import EVENTS
from scistudio_platform.nats import NatsServer
from scistudio_platform.service import Service
from scistudio_platform.testing import eventually


@pytest.mark.parametrize("token", ["wrong", None])
async def test_a_wrong_token_is_said_at_once(nats: NatsServer, sample: Any, token: str | None) -> None:
    with pytest.raises(BusDenied, match="refused the token"):
        await EventBus(sample.settings(nats, nats_token=token)).start()


async def test_a_service_that_starts_before_nats_waits_for_it(own_nats: NatsServer, sample: Any) -> None:
    sample.kill(own_nats)
    needed, optional = EventBus(sample.settings(own_nats)), EventBus(sample.settings(own_nats), required=False)
    await optional.start()
    assert not optional.is_connected
    starting = asyncio.create_task(needed.start())
    own_nats.start()
    await starting
    assert needed.is_connected
    await eventually(lambda: optional.is_connected)
    await needed.stop()
    await optional.stop()


async def test_services_that_make_the_streams_at_once_agree_on_the_epoch(nats: NatsServer, sample: Any) -> None:
    buses = [EventBus(sample.settings(nats)) for _ in range(6)]
    await asyncio.gather(*(bus.start() for bus in buses))
    assert len({(await bus.position()).epoch for bus in buses}) == 1
    for bus in buses:
        await bus.stop()


async def test_a_deleted_stream_is_made_again_under_a_new_epoch(bus: EventBus) -> None:
    connection = await bus.connection()
    await connection.js.delete_stream(EVENTS.name)
    connection.suspected.set()  # as its users do when a call fails
    await eventually(lambda: connection.is_lost)
    assert (await bus.position()).epoch != connection.events.epoch


async def test_limits_of_an_older_version_are_brought_up_to_date_and_the_rest_left_alone(nats: NatsServer, sample: Any) -> None:
    async with Service("first", [first := EventBus(sample.settings(nats))]):
        js = (await first.connection()).js
        config = (await js.stream_info(EVENTS.name)).config
        await js.update_stream(config, max_age=600.0, description="by an operator")
        epoch = (await first.position()).epoch
    async with Service("second", [second := EventBus(sample.settings(nats))]):
        config = (await (await second.connection()).js.stream_info(EVENTS.name)).config
        assert (await second.position()).epoch == epoch
    assert (config.max_age, config.description) == (EVENTS.max_age_s, "by an operator")


async def test_a_nats_that_takes_only_small_messages_is_refused_with_the_remedy(own_nats: NatsServer, sample: Any) -> None:
    configuration = own_nats.store / "nats-server.conf"
    configuration.write_text(configuration.read_text().replace("max_payload: 8MB", "max_payload: 1MB"))
    os.kill(own_nats.pid, signal.SIGHUP)  # read it again
    with pytest.raises(BusMisconfigured, match="takes messages of 1048576 bytes") as error:
        await eventually(lambda: EventBus(sample.settings(own_nats)).start())
    assert "max_payload: 8MB" in error.value.hint
