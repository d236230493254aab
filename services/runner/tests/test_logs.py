"""What nodes print, written and read through the runner."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from scistudio_platform.errors import RemoteError
from scistudio_platform.events.bus import EventBus
from scistudio_platform.events.model import Scope
from scistudio_platform.events.run import RunFinished
from scistudio_platform.nats import NatsServer
from scistudio_platform.testing import eventually
from scistudio_proto.runner.v1 import runner_pb2 as pb
from scistudio_runner.adapters.log_files import Appender, Tail, log_path
from scistudio_runner.errors import PathRefused


def printed(*serials: int) -> list[pb.LogLine]:
    return [pb.LogLine(line=serial, node_id="n1", stream="stdout", level="info", text=f"t{serial}") for serial in serials]


async def test_pages_follow_each_other(composition: None, client: Any) -> None:
    await client.run("Counts", {"lines": 25})
    first = await client.logs(limit=10)
    second = await client.logs(limit=100, after_line=first.lines[-1].line)
    assert [line.text for line in [*first.lines, *second.lines]] == [f"number {number}" for number in range(25)]
    assert [line.line for line in second.lines] == list(range(11, 26))
    assert not second.truncated


async def test_numbers_go_on_over_the_executions_of_a_node(composition: None, client: Any) -> None:
    await client.run("Counts", {"lines": 2})
    await client.run("Counts", {"lines": 2})
    assert [(line.line, line.text) for line in (await client.logs()).lines] == [
        (1, "number 0"),
        (2, "number 1"),
        (3, "number 0"),
        (4, "number 1"),
    ]


async def test_a_run_is_read_over_its_nodes(composition: None, client: Any) -> None:
    await client.run("Counts", {"lines": 1}, node_id="a")
    await client.run("Counts", {"lines": 1}, node_id="b")
    assert [line.node_id for line in (await client.logs(node_id="")).lines] == ["a", "b"]


async def test_a_follower_sees_lines_while_the_block_runs(composition: None, client: Any) -> None:
    spec = client.execution("Waits", client.waiting())
    result = asyncio.ensure_future(client.result(spec))
    stream = aiter(client.follow_logs(node_id="n1"))
    assert (await anext(stream)).line.text == "began"
    client.go()
    assert (await anext(stream)).line.text == "went on"
    assert (await result).outcome == pb.OUTCOME_DONE


async def test_a_follower_begins_after_the_line_it_knows(composition: None, client: Any) -> None:
    await client.run("Counts", {"lines": 3})
    stream = aiter(client.follow_logs(node_id="n1", after_line=2))
    assert (await anext(stream)).line.text == "number 2"


async def test_a_follower_of_a_run_sees_new_lines_of_all_nodes(composition: None, client: Any) -> None:
    await client.run("Counts", {"lines": 1}, node_id="a")
    stream = aiter(client.follow_logs())
    first = asyncio.ensure_future(anext(stream))
    await client.run("Counts", {"lines": 1}, node_id="a")
    await client.run("Counts", {"lines": 1}, node_id="b")
    assert [(await first).line.node_id, (await anext(stream)).line.node_id] == ["a", "b"]


@pytest.mark.parametrize("fields", [{"run_id": "../../.."}, {"node_id": "..", "run_id": "r1"}, {"project_dir": "relative"}, {"run_id": ""}])
async def test_paths_lead_nowhere_else(composition: None, client: Any, fields: dict[str, str]) -> None:
    (client.project.parent / "r1").mkdir(exist_ok=True)
    with pytest.raises(RemoteError) as caught:
        await client.logs(**fields)
    assert caught.value.code == "runner.path_refused"


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / ".scistudio").mkdir(parents=True)
    elsewhere.mkdir()
    (project / ".scistudio" / "logs").symlink_to(elsewhere)
    with pytest.raises(PathRefused):
        log_path(str(project), "r1", "n1")


def test_lines_that_come_twice_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / "n1.jsonl"
    first = Appender(path)
    assert first.append("x1", printed(1, 2)) == 2
    first.close()
    with path.open("ab") as file:
        file.write(b'{"line": 3, "te')  # the runner was killed here
    second = Appender(path)
    assert second.append("x1", printed(1, 2, 3)) == 1
    assert second.append("x2", printed(1)) == 1
    second.close()
    assert [(line.line, line.text) for line in Tail(path).read(at_most=10)] == [(1, "t1"), (2, "t2"), (3, "t3"), (4, "t1")]
    assert all(json.loads(line) for line in path.read_text().splitlines())


class TestWithABus:
    @pytest.fixture
    def settings(self, settings: Any, nats: NatsServer) -> Any:
        return settings.model_copy(update={"nats_url": nats.url, "nats_token": SecretStr(nats.token)})

    async def test_a_follower_ends_with_its_run(self, composition: None, client: Any, settings: Any) -> None:
        bus = EventBus(settings)
        await bus.start()
        spec = client.execution("Counts", {"lines": 2})
        lines = asyncio.ensure_future(all_texts(client.follow_logs(node_id="n1")))
        await client.result(spec)
        await eventually(lambda: finish(bus, lines))
        assert await lines == ["number 0", "number 1"]
        await bus.stop()

    async def test_progress_is_published(self, composition: None, client: Any, settings: Any) -> None:
        bus = EventBus(settings)
        await bus.start()
        heard = asyncio.ensure_future(anext(aiter(bus.follow_transient(project="p1"))))
        await eventually(lambda: progress_heard(client, heard))
        event = await heard
        assert (event.data.fraction, event.data.message, event.scope.node) == (0.5, "half way", "n1")
        await bus.stop()


async def all_texts(stream: Any) -> list[str]:
    return [answer.line.text async for answer in stream]


async def finish(bus: EventBus, lines: asyncio.Future[Any]) -> bool:
    """Publish the end of the run, until it is heard: the runner may not listen yet."""
    connection = await bus.connection()
    await publish(connection, RunFinished(state="completed"), Scope(project="p1", run="r1"))
    return lines.done()


async def publish(connection: Any, data: Any, scope: Scope) -> None:
    from scistudio_platform.events.model import Event, encode, subject_of

    event = Event(scope=scope, data=data)
    await connection.js.publish(subject_of(event), encode(event))


async def progress_heard(client: Any, heard: asyncio.Future[Any]) -> bool:
    client.go()
    await client.run("Waits", client.waiting())
    return heard.done()
