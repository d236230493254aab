"""Executions through the real runner and a real worker host."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scistudio_platform.errors import RemoteError
from scistudio_platform.ids import new_id
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_worker.service import build as build_worker
from scistudio_worker.settings import WorkerSettings


async def test_news_come_in_order_and_end_with_the_result(composition: None, client: Any) -> None:
    kinds = [news.WhichOneof("update") async for news in client.follow(client.execution("Trivial"))]
    assert [kind for kind in kinds if kind != "waiting"] == ["started", "result"]


async def test_the_error_of_a_block_arrives_whole(composition: None, client: Any) -> None:
    result = await client.run("Fails")
    assert result.outcome == pb.OUTCOME_ERROR
    assert "the sample is empty" in result.error.message
    assert result.traceback


async def test_asking_twice_runs_once_and_answers_both(composition: None, client: Any) -> None:
    spec = client.execution("Waits", client.waiting())
    first = asyncio.ensure_future(client.result(spec))
    await eventually(lambda: client.n_began == 1)
    second = asyncio.ensure_future(client.result(spec))
    client.go()
    assert [(await result).outcome for result in (first, second)] == [pb.OUTCOME_DONE] * 2
    assert (await client.result(spec)).outcome == pb.OUTCOME_DONE
    await client.acknowledge(spec.execution_id)
    assert (await client.result(spec)).outcome == pb.OUTCOME_DONE
    assert client.n_began == 1


async def test_a_follower_that_leaves_does_not_end_the_execution(composition: None, client: Any) -> None:
    spec = client.execution("Waits", client.waiting())
    async for news in client.follow(spec):
        if news.HasField("progress"):
            break
    client.go()
    assert (await client.result(spec)).outcome == pb.OUTCOME_DONE
    assert client.n_began == 1


async def test_a_cancel_answers_when_the_block_is_gone(composition: None, client: Any) -> None:
    spec = client.execution("Waits", client.waiting())
    result = asyncio.ensure_future(client.result(spec))
    await eventually(lambda: client.n_began == 1)
    pid = int(Path(client.waiting()["began"]).read_text())
    assert await client.cancel(spec.execution_id)
    assert not Path(f"/proc/{pid}").exists()
    assert (await result).outcome == pb.OUTCOME_CANCELLED
    assert not await client.cancel(new_id())


async def test_what_finds_no_slot_waits_and_says_so(composition: None, client: Any) -> None:
    running = [asyncio.ensure_future(client.run("Waits", client.waiting(), node_id=f"n{index}")) for index in range(2)]
    await eventually(lambda: client.n_began == 2)
    third = client.execution("Trivial", node_id="n3")
    stream = client.follow(third)
    assert (await anext(aiter(stream))).waiting == "waiting for a free slot"
    assert await client.cancel(third.execution_id)
    client.go()
    assert [(await result).outcome for result in running] == [pb.OUTCOME_DONE] * 2


async def test_without_a_host_it_waits_for_one(runner: None, client: Any, worker_settings: WorkerSettings) -> None:
    stream = aiter(client.follow(client.execution("Trivial")))
    assert (await anext(stream)).waiting == "no worker host is connected"
    async with build_worker(worker_settings):
        news = [item async for item in stream]
    assert news[-1].result.outcome == pb.OUTCOME_DONE


async def test_an_execution_without_its_ids_is_refused(composition: None, client: Any) -> None:
    with pytest.raises(RemoteError) as caught:
        await client.result(pb.Execution(execution_id=new_id()))
    assert caught.value.code == "runner.invalid_execution"


async def test_many_at_once_all_end(composition: None, client: Any) -> None:
    results = await asyncio.gather(*(client.run("Trivial", node_id=f"n{index}") for index in range(40)))
    assert {result.outcome for result in results} == {pb.OUTCOME_DONE}
    assert [host.busy for host in await client.hosts()] == [0]


async def test_a_probe_answers_with_the_catalog(composition: None, client: Any) -> None:
    (client.project / "blocks").mkdir()
    (client.project / "blocks" / "broken.py").write_text("import nothing_of_that_name\n")
    answer = await client.stub.Probe(pb.ProbeRequest(project_dir=str(client.project)))
    assert '"load_data"' in answer.catalog_json
    assert "nothing_of_that_name" in answer.catalog_json
