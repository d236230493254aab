"""Cancelling runs and nodes, at any moment."""

from __future__ import annotations

import pytest
from scistudio_platform.testing import eventually

from .scripted import plan
from .world import World, outcome, states


@pytest.fixture(autouse=True)
def _plans(world: World) -> None:
    world.workflow.plans |= {"main": plan("main", ("load", "segment"), ("segment", "measure"), nodes=("alone",))}
    world.runner.holds("load", "segment")


async def test_a_cancelled_run_ends_when_its_process_trees_are_gone(world: World) -> None:
    world.runner.is_deaf = True
    async with world.scheduler(gone_after_s=60.0) as client:
        run = await client.start("main")
        await eventually(lambda: "load" in world.runner.begun)
        answer = await client.cancel(run.id, reason="wrong data")
        assert states(answer) | {"alone": ""} == {"load": "running", "segment": "skipped", "measure": "skipped", "alone": ""}
        assert answer.reason == "wrong data"
        world.runner.is_deaf = False
        ended = await client.ended(run.id)
    nodes = {node.node_id: node for node in ended.nodes}
    assert outcome(ended)[0] == "cancelled"
    assert (states(ended)["load"], nodes["load"].reason) == ("cancelled", "wrong data")
    assert nodes["segment"].reason == "run_cancelled"


async def test_cancelling_again_is_answered_and_changes_nothing(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "load" in world.runner.begun)
        for reason in ("first", "second"):
            await client.cancel(run.id, reason=reason)
        ended = await client.ended(run.id)
        assert ended.reason == "first"
        assert await client.cancel(run.id, reason="third") == ended


async def test_a_cancelled_node_skips_what_needs_it_and_nothing_else(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: {"load", "alone"} <= set(world.runner.begun))
        await client.cancel(run.id, "load", "not needed")
        ended = await client.ended(run.id)
    assert outcome(ended) == ("cancelled", {"load": "cancelled", "segment": "skipped", "measure": "skipped", "alone": "done"})


async def test_a_node_cancelled_before_it_started_never_starts(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await client.cancel(run.id, "measure")
        world.runner.release("load", "segment")
        ended = await client.ended(run.id)
    assert outcome(ended) == ("cancelled", {"load": "done", "segment": "done", "measure": "skipped", "alone": "done"})
    assert "measure" not in world.runner.nodes()


async def test_a_run_cancelled_while_it_is_queued_runs_nothing(world: World) -> None:
    async with world.scheduler(max_dispatches=1) as client:
        first = await client.start("main")
        second = await client.start("main")
        assert outcome(second)[0] == "queued"
        assert outcome(await client.cancel(second.id))[0] == "cancelled"
        world.runner.release("load", "segment")
        await client.ended(first.id)
    assert {execution.run_id for execution in world.runner.asked} == {first.id}


async def test_an_execution_that_the_runner_does_not_know_is_gone_after_a_while(world: World) -> None:
    world.runner.is_deaf = True
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "load" in world.runner.begun)
        await client.cancel(run.id)
        assert outcome(await client.ended(run.id))[0] == "cancelled"


async def test_news_of_an_execution_that_is_told_to_be_gone_does_no_harm(world: World) -> None:
    world.runner.is_deaf = True
    world.runner.holds("alone")
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: {"load", "alone"} <= set(world.runner.begun))
        await client.cancel(run.id, "load")
        await eventually(lambda: len(world.runner.acknowledged) == 1)
        for node in ("load", "alone"):
            world.runner.say(node, "still here")

        async def heard() -> bool:
            return (await client.get(run.id)).nodes[0].progress_message == "still here"

        await eventually(heard)
        world.runner.release("alone")
        assert outcome(await client.ended(run.id))[1] == {"load": "cancelled", "segment": "skipped", "measure": "skipped", "alone": "done"}


async def test_a_cancel_is_delivered_to_a_runner_that_comes_back(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "load" in world.runner.begun)
        await world.runner_server.stop()
        assert outcome(await client.cancel(run.id))[0] == "running"
        await world.runner_server.start()
        assert outcome(await client.ended(run.id))[0] == "cancelled"
    assert world.runner.nodes().count("load") == 1


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_a_cancel_survives_a_restart_of_the_scheduler(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "load" in world.runner.begun)
        await world.runner_server.stop()
        await client.cancel(run.id, reason="wrong data")
    await world.runner_server.start()
    async with world.scheduler() as client:
        ended = await client.ended(run.id)
    assert (outcome(ended)[0], ended.reason) == ("cancelled", "wrong data")
    assert states(ended)["load"] == "cancelled"
    assert world.runner.nodes().count("load") == 1
