"""The built service over real gRPC and SQL; only the runner and the workflow service are scripted."""

from __future__ import annotations

import asyncio
import json

import pytest
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.ids import new_id
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2
from scistudio_proto.scheduler.v1 import scheduler_pb2 as pb
from scistudio_proto.workflow.v1 import workflow_pb2

from .scripted import PROJECT, collection, plan
from .world import World, outcome, states

CHAIN = plan("main", ("load", "segment"), ("segment", "measure"))
FORK = plan("fork", ("load", "left"), ("load", "right"), ("left", "join"), ("right", "join"), nodes=("alone",))
ERROR, LOST = runner_pb2.OUTCOME_ERROR, runner_pb2.OUTCOME_LOST


@pytest.fixture(autouse=True)
def _plans(world: World) -> None:
    world.workflow.plans |= {"main": CHAIN, "fork": FORK}


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_blocks_of_a_chain_run_one_after_another(world: World) -> None:
    async with world.scheduler() as client:
        assert await client.result("main") == ("completed", {"load": "done", "segment": "done", "measure": "done"})
    assert world.runner.nodes() == ["load", "segment", "measure"]


async def test_branches_run_at_the_same_time(world: World) -> None:
    world.runner.holds("left", "right")
    async with world.scheduler() as client:
        run = await client.start("fork")
        await eventually(lambda: {"left", "right"} <= set(world.runner.begun))
        world.runner.release("left", "right")
        assert outcome(await client.ended(run.id))[0] == "completed"


async def test_a_failed_block_is_told_and_only_what_needs_it_is_skipped(world: World) -> None:
    world.runner.outcomes["left"] = [ERROR]
    async with world.scheduler() as client:
        run = await client.ended((await client.start("fork")).id)
    assert outcome(run) == ("failed", {"load": "done", "left": "error", "right": "done", "join": "skipped", "alone": "done"})
    nodes = {node.node_id: node for node in run.nodes}
    assert (nodes["left"].error.code, nodes["left"].error.message) == ("block.raised", "ValueError: no")
    assert nodes["join"].reason == "input left is missing: it comes from left, which ended as error"
    assert run.reason == "failed: left"


async def test_a_missing_optional_input_does_not_stop_a_block(world: World) -> None:
    world.workflow.plans["main"] = plan("main", ("a", "c"), ("b", "c"), optional=("b",))
    world.runner.outcomes["b"] = [ERROR]
    async with world.scheduler() as client:
        assert await client.result("main") == ("failed", {"a": "done", "b": "error", "c": "done"})
    assert [value.port for value in world.runner.asked[-1].inputs] == ["a"]


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_a_start_that_is_repeated_with_its_run_id_starts_nothing_twice(world: World) -> None:
    run_id = new_id()
    async with world.scheduler() as client:
        runs = await asyncio.gather(*(client.start("main", run_id=run_id) for _ in range(5)))
        assert {run.id for run in runs} == {run_id}
        await client.ended(run_id)
        assert outcome(await client.start("main", run_id=run_id))[0] == "completed"
    assert world.runner.nodes() == ["load", "segment", "measure"]


async def test_a_start_answers_before_any_block_has_ended(world: World) -> None:
    world.runner.holds("load")
    async with world.scheduler() as client:
        run = await client.start("main", triggered_by="cli")
        assert (run.workflow_id, run.workflow_path, run.triggered_by) == ("main", "workflows/main.yaml", "cli")
        assert states(run)["load"] == "running"


async def test_the_runner_gets_all_that_a_block_needs(world: World) -> None:
    CHAIN.nodes[1].block.resources.CopyFrom(workflow_pb2.Resources(cpu_cores=2, memory_gb=1.5, wall_time_s=60))
    async with world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
    load, segment = world.runner.asked[:2]
    ids = {"block_id": "segment", "workflow_id": "main", "run_id": run.id, "project_dir": str(world.folder)}
    assert json.loads(segment.config_json) == {"sigma": 2, **ids}
    assert [(value.port, value.value_json) for value in segment.inputs] == [("load", collection(load.execution_id))]
    assert segment.output_dir == str(world.folder / "data" / "zarr" / "main" / "segment")
    assert (segment.limits.cpu_cores, segment.limits.memory_gb, segment.limits.terminate_grace_s) == (2, 1.5, 5.0)
    assert (segment.block.module, segment.block.class_name, segment.block.type_name) == ("blocks.test", "Test", "test.segment")


async def test_progress_is_served_while_a_block_runs(world: World) -> None:
    world.runner.holds("load")
    world.runner.updates["load"] = [runner_pb2.ExecuteResponse(progress=runner_pb2.Progress(fraction=0.5, message="half"))]
    async with world.scheduler() as client:
        run = await client.start("main")

        async def progress() -> bool:
            node = (await client.get(run.id)).nodes[0]
            return (node.progress, node.progress_message) == (0.5, "half")

        await eventually(progress)


async def test_a_waiting_execution_says_what_it_waits_for(world: World) -> None:
    world.runner.holds("load")
    world.runner.updates["load"] = [runner_pb2.ExecuteResponse(waiting="no worker host")]
    async with world.scheduler() as client:
        run = await client.start("main")

        async def reason() -> bool:
            return (await client.get(run.id)).nodes[0].reason == "no worker host"

        await eventually(reason)


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_outputs_are_given_as_they_were_written(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
        answer = await client.stub.GetOutput(pb.GetOutputRequest(project_id=PROJECT, run_id=run.id, node_id="load", port="out"))
    assert (answer.execution_id, answer.value.value_json) == (run.nodes[0].execution_id, collection(run.nodes[0].execution_id))
    assert run.nodes[0].outputs[0] == pb.OutputSummary(port="out", type_name="Text", n_items=1)


@pytest.mark.parametrize(
    ("node", "port", "code"),
    [("load", "other", "run.output_not_found"), ("segment", "out", "run.output_not_found"), ("nope", "out", "run.node_not_found")],
)
async def test_a_missing_output_is_named(world: World, node: str, port: str, code: str) -> None:
    world.runner.holds("segment")
    async with world.scheduler() as client:
        run = await client.start("main")
        await eventually(lambda: "segment" in world.runner.begun)
        with pytest.raises(RemoteError) as caught:
            await client.stub.GetOutput(pb.GetOutputRequest(project_id=PROJECT, run_id=run.id, node_id=node, port=port))
    assert (caught.value.kind, caught.value.code) == (Kind.NOT_FOUND, code)


async def test_bad_requests_say_what_is_wrong(world: World) -> None:
    async with world.scheduler() as client:
        with pytest.raises(RemoteError, match="There is no workflow nope"):
            await client.start("nope")
        with pytest.raises(RemoteError, match=r"'\.\./\.\./etc' is no UUID"):
            await client.start("main", run_id="../../etc")
        with pytest.raises(RemoteError, match="There is no run"):
            await client.get(new_id())
        run = await client.start("main")
        with pytest.raises(RemoteError, match="has no node nope"):
            await client.cancel(run.id, "nope")
        with pytest.raises(RemoteError, match="page token"):
            await client.stub.ListRuns(pb.ListRunsRequest(project_id=PROJECT, page_token="x"))


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_runs_are_listed_newest_first_in_pages(world: World) -> None:
    async with world.scheduler() as client:
        ids = [(await client.start(name)).id for name in ("main", "fork", "main")]
        pages, token = [], ""
        for _ in range(2):
            page = await client.stub.ListRuns(pb.ListRunsRequest(project_id=PROJECT, page_size=2, page_token=token))
            pages.append([run.id for run in page.runs])
            token = page.next_page_token
        only = await client.stub.ListRuns(pb.ListRunsRequest(project_id=PROJECT, workflow_id="fork"))
    assert pages == [[ids[2], ids[1]], [ids[0]]]
    assert token == ""
    assert [run.id for run in only.runs] == [ids[1]]


async def test_a_lost_worker_is_replaced_by_another_attempt(world: World) -> None:
    world.runner.outcomes["load"] = [LOST, LOST]
    async with world.scheduler() as client:
        assert (await client.result("main"))[0] == "completed"
    attempts = [execution for execution in world.runner.asked if execution.node_id == "load"]
    assert len({execution.execution_id for execution in attempts}) == 3
    assert len({execution.seed for execution in attempts}) == 1


async def test_a_block_whose_workers_are_always_lost_is_an_error(world: World) -> None:
    world.runner.outcomes["load"] = [LOST, LOST, LOST]
    async with world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
    assert outcome(run) == ("failed", {"load": "error", "segment": "skipped", "measure": "skipped"})
    assert run.nodes[0].error.code == "worker.lost"


@pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
async def test_two_runs_at_once_do_not_mix(world: World) -> None:
    world.runner.outcomes["left"] = [ERROR]
    async with world.scheduler() as client:
        results = await asyncio.gather(client.result("main"), client.result("fork"), client.result("main"))
    assert [result[0] for result in results] == ["completed", "failed", "completed"]


async def test_no_more_blocks_are_dispatched_than_the_settings_allow(world: World) -> None:
    wide = [f"n{i}" for i in range(6)]
    world.workflow.plans["wide"] = plan("wide", nodes=tuple(wide))
    world.runner.holds(*wide)
    async with world.scheduler(max_dispatches=2) as client:
        runs = [await client.start("wide"), await client.start("wide")]
        assert sorted(states(await client.get(runs[0].id)).values()) == ["ready"] * 4 + ["running"] * 2
        assert outcome(await client.get(runs[1].id))[0] == "queued"
        world.runner.release(*wide)
        for run in runs:
            assert outcome(await client.ended(run.id))[0] == "completed"
    assert len(world.runner.asked) == 12


async def test_a_graph_of_200_nodes_is_run(world: World) -> None:
    edges = [(f"n{i}", f"n{i + 10}") for i in range(190)]
    world.workflow.plans["large"] = plan("large", *edges)
    async with world.scheduler() as client:
        run = await client.ended((await client.start("large")).id, timeout_s=30)
    assert set(states(run).values()) == {"done"}
    assert len(world.runner.asked) == len(run.nodes) == 200


async def test_a_workflow_without_nodes_is_completed(world: World) -> None:
    world.workflow.plans["empty"] = plan("empty")
    async with world.scheduler() as client:
        assert await client.result("empty") == ("completed", {})


async def test_every_result_is_acknowledged_once_it_is_stored(world: World) -> None:
    async with world.scheduler() as client:
        run = await client.ended((await client.start("main")).id)
        await eventually(lambda: len(world.runner.acknowledged) == 3)
    assert set(world.runner.acknowledged) == {node.execution_id for node in run.nodes}
