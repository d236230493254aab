"""Whatever is restarted, a run ends as it would have."""

from __future__ import annotations

import random
import sqlite3

import pytest
from scistudio_platform.errors import RemoteError
from scistudio_platform.testing import eventually
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb

from .scripted import PROJECT, plan
from .world import World, outcome, states


@pytest.fixture(autouse=True)
def _plans(world: World) -> None:
    world.workflow.plans |= {"main": plan("main", ("load", "segment"), ("segment", "measure"))}
    world.runner.holds("segment")


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_an_open_run_is_finished_after_a_restart_with_the_same_executions(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
    world.runner.release("segment")
    async with world.scheduler() as client:
        assert outcome(await client.ended(run.id)) == ("completed", {"load": "done", "segment": "done", "measure": "done"})
    assert world.runner.nodes() == ["load", "segment", "segment", "measure"]
    assert world.runner.begun == ["load", "segment", "measure"]


async def test_a_block_that_ended_while_the_scheduler_was_away_is_not_run_again(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
    world.runner.release("segment")
    world.runner.holds("measure")
    async with world.scheduler() as client:
        await eventually(lambda: "measure" in world.runner.begun)
    world.runner.release("measure")
    async with world.scheduler() as client:
        assert outcome(await client.ended(run.id))[0] == "completed"
    assert world.runner.begun == ["load", "segment", "measure"]


async def test_what_was_stored_but_not_handed_over_is_handed_over_with_the_same_id(world: World) -> None:
    await world.runner_server.stop()
    async with world.scheduler() as client:
        run = await client.start("main")
        assert states(run)["load"] == "running"
    await world.runner_server.start()
    world.runner.release("segment")
    async with world.scheduler() as client:
        await client.ended(run.id)
    assert world.runner.asked[0].execution_id == run.nodes[0].execution_id


async def test_a_restarted_runner_is_asked_again_for_the_same_execution(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
        await world.runner_server.stop()
        await world.runner_server.start()
        await eventually(lambda: world.runner.nodes().count("segment") == 2)
        world.runner.release("segment")
        assert outcome(await client.ended(run.id))[0] == "completed"
    assert world.runner.begun == ["load", "segment", "measure"]


async def test_a_run_fails_when_the_runner_stays_away(world: World) -> None:
    async with world.scheduler(runner_lost_after_s=0.2, stop_timeout_s=0.1) as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
        await world.runner_server.stop()
        ended = await client.ended(run.id)
    assert outcome(ended) == ("failed", {"load": "done", "segment": "error", "measure": "skipped"})
    assert ended.nodes[1].error.code == "runner.unavailable"
    assert "out of reach" in ended.reason


async def test_what_a_failed_run_left_at_the_runner_is_ended_after_a_restart(world: World) -> None:
    async with world.scheduler(runner_lost_after_s=0.2, stop_timeout_s=0.1) as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
        await world.runner_server.stop()
        left = (await client.ended(run.id)).nodes[1].execution_id
    await world.runner_server.start()
    async with world.scheduler() as client:
        await eventually(lambda: left in world.runner.cancelled and left in world.runner.acknowledged)
        assert outcome(await client.get(run.id))[0] == "failed"


async def test_a_block_whose_type_vanished_is_an_error_that_names_it_and_other_runs_go_on(world: World) -> None:
    world.workflow.plans["other"] = plan("other", ("segment", "last"))
    async with world.scheduler() as client:
        runs = [await client.start("main"), await client.start("other")]
        await eventually(lambda: world.runner.begun.count("segment") == 2)
    world.workflow.missing_types = {"test.measure"}
    world.runner.release("segment")
    async with world.scheduler() as client:
        first, second = [await client.ended(run.id) for run in runs]
    assert outcome(first) == ("failed", {"load": "done", "segment": "done", "measure": "error"})
    assert first.nodes[2].error.code == "block.type_missing"
    assert "test.measure" in first.nodes[2].error.message
    assert outcome(second)[0] == "completed"


async def test_one_run_that_cannot_be_read_keeps_no_other_from_going_on(world: World) -> None:
    async with world.scheduler() as client:
        runs = [await client.start("main"), await client.start("main")]
        await eventually(lambda: world.runner.begun.count("segment") == 2)
    with sqlite3.connect(world.folder / ".scistudio" / "scheduler.db") as database:
        database.execute("UPDATE runs SET plan = '{}' WHERE id = ?", (runs[0].id,))
    world.runner.release("segment")
    async with world.scheduler() as client:
        assert outcome(await client.ended(runs[1].id))[0] == "completed"


def break_writes(world: World, table: str) -> None:
    """Make every change of ``table`` fail in a way that no retry mends."""
    with sqlite3.connect(world.folder / ".scistudio" / "scheduler.db") as database:
        database.execute(f"CREATE TRIGGER broken BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'broken'); END")


async def test_a_run_that_cannot_go_on_is_said_so_and_taken_up_by_the_next_scheduler(world: World) -> None:
    async with world.scheduler() as client:
        run, other = await client.start("main"), await client.start("main")
        await eventually(lambda: world.runner.begun.count("segment") == 2)
        break_writes(world, "nodes")
        for _ in range(2):
            with pytest.raises(RemoteError, match="scheduler failed in run"):
                await client.cancel(run.id)
        assert outcome(await client.get(other.id))[0] == "running"
    with sqlite3.connect(world.folder / ".scistudio" / "scheduler.db") as database:
        database.execute("DROP TRIGGER broken")
    world.runner.release("segment")
    async with world.scheduler() as client:
        assert [outcome(await client.ended(item.id))[0] for item in (run, other)] == ["completed", "completed"]


async def test_runs_of_projects_that_are_not_open_here_are_left_alone(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
    world.workflow.projects[PROJECT].is_open = False
    world.runner.release("segment")
    async with world.scheduler() as client:
        listed = await client.stub.ListRuns(pb.ListRunsRequest(project_id=PROJECT))
        assert [item.id for item in listed.runs] == [run.id]
        assert outcome(await client.get(run.id))[0] == "running"
    assert world.runner.nodes() == ["load", "segment"]


async def test_a_run_waits_for_the_workflow_service_after_a_restart(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
    await world.workflow_server.stop()
    world.runner.release("segment")
    async with world.scheduler() as client:
        await world.workflow_server.start()
        assert outcome(await client.ended(run.id, timeout_s=20))[0] == "completed"


async def disturb(world: World, rng: random.Random) -> None:
    """Let some of what is held end, with or without the runner going away around it."""
    if rng.random() < 0.4:
        await world.runner_server.stop()
    waiting = sorted(world.runner.waiting())
    world.runner.release(*rng.sample(waiting, k=rng.randint(min(1, len(waiting)), len(waiting))))
    await world.runner_server.stop()
    await world.runner_server.start()


@pytest.mark.parametrize("seed", range(2))
async def test_whatever_is_restarted_and_whenever_each_block_runs_once_and_the_run_completes(world: World, seed: int) -> None:
    rng = random.Random(seed)
    nodes = [f"n{number:02}" for number in range(20)]
    edges = [(nodes[rng.randrange(number)], nodes[number]) for number in range(1, 20)]
    world.workflow.plans["tree"] = plan("tree", *edges)
    world.runner.release("segment")
    world.runner.holds(*nodes)
    async with world.scheduler() as client:
        run_id = (await client.start("tree")).id
    while world.runner.held():
        async with world.scheduler() as client:
            await eventually(lambda: world.runner.waiting() or not world.runner.held())
            await disturb(world, rng)
    async with world.scheduler() as client:
        assert outcome(await client.ended(run_id)) == ("completed", dict.fromkeys(nodes, "done"))
    assert sorted(world.runner.begun) == nodes
