"""Logs: by the page, and followed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as runner
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow

LOGS = "/projects/p/logs?run=r&node=n"
FOLLOW = {"accept": "text/event-stream"}
AT = Timestamp(seconds=1_790_000_000)


@pytest.fixture(scope="module")
def settings(settings: GatewaySettings) -> GatewaySettings:
    return settings.model_copy(update={"heartbeat_s": 0.2})


@pytest.fixture(autouse=True)
def known(others: Any) -> None:
    """The project and its run exist."""
    others.workflow.answers["GetProject"] = workflow.GetProjectResponse(project=workflow.Project(id="p", path="/data/p"))
    others.scheduler.answers["GetRun"] = scheduler.GetRunResponse(run=scheduler.Run(id="r"))


def line(number: int) -> runner.LogLine:
    return runner.LogLine(line=number, time=AT, node_id="n", stream="stdout", level="info", text=f"µ line {number}\r\ndata: x")


def events(text: str) -> list[dict[str, str]]:
    """Parse server-sent events as a browser does."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(one.split(": ", 1) for one in block.split("\n") if one and not one.startswith(":"))
        if fields:
            found.append(fields)
    return found


async def test_a_page_of_lines_is_read(http: httpx2.AsyncClient, others: Any) -> None:
    others.runner.answers["ReadLogs"] = runner.ReadLogsResponse(lines=[line(6)], truncated=True)
    page = (await http.get(f"{LOGS}&after=5&limit=10000")).json()
    asked = others.runner.requests["ReadLogs"][-1]
    assert (asked.project_dir, asked.run_id, asked.node_id, asked.after_line, asked.limit) == ("/data/p", "r", "n", 5, 10_000)
    assert (page["truncated"], page["items"][0]["line"], page["items"][0]["text"]) == (True, 6, "µ line 6\r\ndata: x")


async def test_ten_thousand_lines_are_followed_to_the_end_each_once(http: httpx2.AsyncClient, others: Any) -> None:
    others.runner.answers["FollowLogs"] = lambda _: (runner.FollowLogsResponse(line=line(n)) for n in range(1, 10_001))
    answer = await http.get(LOGS, headers=FOLLOW)
    assert answer.headers["content-type"].startswith("text/event-stream")
    *lines, end = events(answer.text)
    assert end == {"event": "end", "data": "{}"}
    assert [int(one["id"]) for one in lines] == list(range(1, 10_001))
    assert {one["event"] for one in lines} == {"log"}
    assert json.loads(lines[0]["data"])["text"] == "µ line 1\r\ndata: x"


@pytest.mark.parametrize(
    ("query", "last", "after"), [("", "", 0), ("&after=7", "", 7), ("&after=7", "41", 41), ("", "x", 0), ("", "9" * 30, 0)]
)
async def test_a_follower_goes_on_after_the_line_it_saw_last(
    http: httpx2.AsyncClient, others: Any, query: str, last: str, after: int
) -> None:
    others.runner.answers["FollowLogs"] = []
    await http.get(LOGS + query, headers={**FOLLOW, **({"last-event-id": last} if last else {})})
    assert others.runner.requests["FollowLogs"][-1].after_line == after


async def test_lines_of_all_nodes_carry_no_id_to_go_on_from(http: httpx2.AsyncClient, others: Any) -> None:
    others.runner.answers["FollowLogs"] = [runner.FollowLogsResponse(line=line(1))]
    first, _ = events((await http.get("/projects/p/logs?run=r", headers=FOLLOW)).text)
    assert first.keys() == {"event", "data"}


async def test_silence_is_filled_with_heartbeats_and_ends_with_the_caller(http: httpx2.AsyncClient, others: Any) -> None:
    ended = asyncio.Event()

    async def silent(_: Any) -> AsyncIterator[Any]:
        try:
            yield runner.FollowLogsResponse(line=line(1))
            await asyncio.Event().wait()
        finally:
            ended.set()

    others.runner.answers["FollowLogs"] = silent
    async with http.stream("GET", LOGS, headers=FOLLOW) as answer:
        lines = answer.aiter_lines()
        while not (await anext(lines)).startswith(":"):
            pass
    await eventually(ended.is_set)


async def test_a_follower_is_told_of_trouble_and_may_ask_again(http: httpx2.AsyncClient, others: Any) -> None:
    async def breaking(_: Any) -> AsyncIterator[Any]:
        yield runner.FollowLogsResponse(line=line(1))
        raise RemoteError(Kind.UNAVAILABLE, "logs.lost", "The disk is gone.", hint="Mount it.")

    others.runner.answers["FollowLogs"] = breaking
    *_, last = events((await http.get(LOGS, headers=FOLLOW)).text)
    assert last["event"] == "problem"
    assert json.loads(last["data"]) == {"code": "logs.lost", "detail": "The disk is gone.", "hint": "Mount it."}


async def test_a_run_that_is_not_there_is_a_404_and_no_stream(http: httpx2.AsyncClient, others: Any) -> None:
    others.scheduler.answers["GetRun"] = RemoteError(Kind.NOT_FOUND, "run.not_found", "There is no run r.")
    answer = await http.get(LOGS, headers=FOLLOW)
    assert (answer.status_code, answer.json()["code"]) == (404, "run.not_found")
