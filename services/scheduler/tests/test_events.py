"""What the scheduler tells the others, over a real nats-server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.db import Database, Outbox, OutboxRelay
from scistudio_platform.events.block import BlockExecuted, BlockStateChanged
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.follow import Delivered
from scistudio_platform.events.model import Event, Scope
from scistudio_platform.events.project import ProjectClosed, ProjectOpened
from scistudio_platform.events.run import RunFinished, RunStarted, RunStateChanged
from scistudio_platform.nats import NatsServer
from scistudio_platform.testing import eventually, make_settings
from scistudio_proto.runner.v1 import runner_pb2
from scistudio_scheduler.service import MIGRATIONS
from scistudio_scheduler.settings import SchedulerSettings

from .scripted import PROJECT, plan
from .world import World, outcome


@pytest.fixture
def settings(nats: NatsServer) -> SchedulerSettings:
    return make_settings(SchedulerSettings, nats_url=nats.url, nats_token=nats.token)


@pytest.fixture(autouse=True)
def _plans(world: World) -> None:
    world.workflow.plans |= {"main": plan("main", ("load", "measure"))}


@asynccontextmanager
async def listening(settings: SchedulerSettings) -> AsyncIterator[EventBus]:
    bus = EventBus(settings)
    await bus.start()
    yield bus
    await bus.stop()


async def events_of(bus: EventBus, run_id: str) -> list[Event]:
    """All events of a run up to its last."""
    events = []
    async for delivered in bus.follow(project=PROJECT, after=f"{(await bus.position()).epoch}:0"):
        if isinstance(delivered, Delivered) and delivered.event.scope.run == run_id:
            events.append(delivered.event)
            if isinstance(delivered.event.data, RunFinished):
                break
    return events


def told(event: Event) -> tuple[str | None, str]:
    """Who did what, in short."""
    match event.data:
        case BlockStateChanged(state=state) | RunStateChanged(state=state) | RunFinished(state=state):
            return event.scope.node, f"{event.type} {state}"
        case _:
            return event.scope.node, event.type


async def test_every_transition_is_an_event_in_its_order(world: World) -> None:
    async with listening(world.settings) as bus, world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
        events = await events_of(bus, run.id)
    assert [told(event) for event in events] == [
        (None, "run.started"),
        ("load", "block.state_changed ready"),
        ("load", "block.state_changed running"),
        (None, "run.state_changed running"),
        ("load", "block.state_changed done"),
        ("load", "block.executed"),
        ("measure", "block.state_changed ready"),
        ("measure", "block.state_changed running"),
        ("measure", "block.state_changed done"),
        ("measure", "block.executed"),
        (None, "run.state_changed completed"),
        (None, "run.finished completed"),
    ]
    assert len({event.id for event in events}) == len(events)


async def test_the_events_hold_what_lineage_needs(world: World) -> None:
    async with listening(world.settings) as bus, world.scheduler() as client:
        run = await client.ended((await client.start("main", triggered_by="cli")).id)
        events = await events_of(bus, run.id)
    started = next(event.data for event in events if isinstance(event.data, RunStarted))
    assert (started.workflow_text, started.commit, started.triggered_by) == ("workflow: main", "abc123", "cli")
    assert [(edge.source_node, edge.target_port) for edge in started.edges] == [("load", "load")]
    load, measure = [event for event in events if isinstance(event.data, BlockExecuted)]
    assert isinstance(load.data, BlockExecuted)
    assert isinstance(measure.data, BlockExecuted)
    assert (load.scope.execution, load.data.block_version) == (run.nodes[0].execution_id, "1.0")
    assert measure.data.inputs["load"] == load.data.outputs["out"]
    assert (measure.data.config, measure.data.environment) == ({"sigma": 2}, {"python": "3.13"})


async def test_a_lost_attempt_and_its_successor_are_two_executions(world: World) -> None:
    world.runner.outcomes["load"] = [runner_pb2.OUTCOME_LOST]
    async with listening(world.settings) as bus, world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
        events = await events_of(bus, run.id)
    attempts = [event for event in events if isinstance(event.data, BlockExecuted) and event.scope.node == "load"]
    assert [event.data.state for event in attempts if isinstance(event.data, BlockExecuted)] == ["error", "done"]
    assert len({event.scope.execution for event in attempts}) == 2


async def test_an_execution_with_very_many_references_is_told_by_their_identities(world: World) -> None:
    item = {"backend": "filesystem", "path": "x" * 5000, "metadata": {"type_chain": ["Text"], "framework": {"object_id": "o1"}, "user": {}}}
    world.runner.output = json.dumps({"_collection": True, "items": [item] * 2000, "item_type": "Text"})
    async with listening(world.settings) as bus, world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
        events = await events_of(bus, run.id)
    assert outcome(run)[0] == "completed"
    assert run.nodes[0].outputs[0].n_items == 2000
    told = next(event.data for event in events if isinstance(event.data, BlockExecuted))
    assert told.outputs["out"]["items"][1999] == {"metadata": {"type_chain": ["Text"], "framework": {"object_id": "o1"}}}


async def test_a_run_goes_on_without_the_bus_and_its_events_come_later(own_nats: NatsServer, tmp_path: Path) -> None:
    settings = make_settings(SchedulerSettings, nats_url=own_nats.url, nats_token=own_nats.token)
    async with World.of(settings, tmp_path / "other") as world, world.scheduler() as client:
        world.workflow.plans |= {"main": plan("main", ("load", "measure"))}
        world.runner.holds("load")
        run = await client.start("main")
        own_nats.stop()
        world.runner.release("load")
        assert outcome(await client.ended(run.id))[0] == "completed"
        own_nats.start()
        async with listening(settings) as bus:
            assert told((await events_of(bus, run.id))[-1]) == (None, "run.finished completed")


@asynccontextmanager
async def publishing(settings: SchedulerSettings, folder: Path) -> AsyncIterator[Any]:
    """The workflow service's outbox, in small: gives a function that publishes an event."""
    database = Database(folder / "events.db", schema="workflow", migrations=MIGRATIONS)
    async with listening(settings) as bus:
        await database.start()
        relay = OutboxRelay(bus, lambda: [database])
        await relay.start()

        async def publish(data: ProjectOpened | ProjectClosed) -> None:
            async with database.transaction() as session:
                Outbox(session).add(data, Scope(project=PROJECT))

        yield publish
        await relay.stop()
        await database.stop()


async def test_the_runs_of_a_project_are_taken_up_when_it_is_opened_and_let_go_when_it_is_closed(world: World, tmp_path: Path) -> None:
    world.runner.holds("load")
    project = world.workflow.projects[PROJECT]
    async with publishing(world.settings, tmp_path) as publish, world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: world.runner.nodes() == ["load"])
        project.is_open = False
        await publish(ProjectClosed())
        await eventually(lambda: world.runner.n_streams == 0)
        world.runner.release("load")
        assert outcome(await client.get(run.id))[0] == "running"
        project.is_open = True
        await publish(ProjectOpened(path=str(world.folder), name="Test"))
        assert outcome(await client.ended(run.id))[0] == "completed"
    assert world.runner.begun == ["load", "measure"]
