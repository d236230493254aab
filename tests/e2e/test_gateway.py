"""A run through the one door, as programs and agents drive it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pyarrow as pa
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from PIL import Image
from websockets.sync.client import connect

from tests.conftest import Up, until

Start = Callable[[str], AbstractContextManager[Up]]


def events_of(socket: Any, run: str) -> list[dict[str, Any]]:
    """Frames of a run until it has finished."""
    frames: list[dict[str, Any]] = []
    while not frames or frames[-1]["type"] != "run.finished":
        frame = json.loads(socket.recv(timeout=30))
        if frame.get("run") == run and "cursor" in frame:
            frames.append(frame)
    return frames


def listen(up: Up, query: str = "") -> Any:
    address = f"ws{up.url.removeprefix('http')}/api/v1/events?project={up.project_id}{query}"
    return connect(address, additional_headers={"authorization": f"Bearer {up.token}"})


def test_a_run_is_started_followed_and_read_over_rest_and_websocket(up: Start) -> None:
    with up("measure-objects") as started, started.client() as http, listen(started) as socket:
        hello = json.loads(socket.recv(timeout=10))
        assert hello["type"] == "hello"
        answer = http.post(f"{started.path}/runs", json={"workflow": "measure-objects"})
        assert answer.status_code == 202
        run = http.get(answer.headers["location"].removeprefix("/api/v1")).json()
        frames = events_of(socket, run["id"])
        with listen(started, f"&after={hello['cursor']}") as again:
            again.recv(timeout=10)
            assert events_of(again, run["id"]) == frames
        states = [(frame["node"], frame["data"]["state"]) for frame in frames if frame["type"] == "block.state_changed"]
        assert [state for node, state in states if node == "smooth"][-3:] == ["ready", "running", "done"]
        run = started.wait_for(run["id"])
        assert run["state"] == "completed"
        assert all(node["state"] == "done" for node in run["nodes"])
        check_previews(http, f"{started.path}/runs/{run['id']}/nodes")


def check_previews(http: Any, nodes: str) -> None:
    """An image, a table and a file, as the page reads them."""
    tile = http.get(f"{nodes}/label/outputs/labels/0/array", params={"max_side": 512})
    about = json.loads(tile.headers["scistudio-data"])
    labels = np.frombuffer(tile.content, about["dtype"]).reshape(about["shape"])
    assert labels.shape == (303, 384)
    assert labels.max() == about["vmax"] > 10
    page = http.get(f"{nodes}/measure/outputs/regions/0/table", params={"limit": 5})
    with pa.ipc.open_stream(page.content) as reader:
        assert reader.read_all().num_rows == 5
    file = http.get(f"{nodes}/histogram/outputs/figure/0/file")
    assert file.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(file.content)).format == "PNG"


def test_the_log_of_a_block_is_read_and_followed(up: Start) -> None:
    with up("faults") as started, started.client() as http:
        run = http.post(f"{started.path}/runs", json={"workflow": "two"}).json()
        started.wait_for(run["id"])
        lines = http.get(f"{started.path}/logs", params={"run": run["id"], "node": "say"}).json()["items"]
        assert [line["text"] for line in lines if line["stream"] == "stdout"] == ["saying hi"]
        with http.stream(
            "GET", f"{started.path}/logs", params={"run": run["id"], "node": "say"}, headers={"accept": "text/event-stream"}
        ) as stream:
            text = "\n".join(stream.iter_lines())
        assert "saying hi" in text
        assert "event: end" in text


def test_a_run_that_was_asked_to_stop_is_gone_when_it_says_so(up: Start) -> None:
    with up("faults") as started, started.client() as http:
        run = http.post(f"{started.path}/runs", json={"workflow": "clings"}).json()
        marks = started.home.folder / "faults" / "marks" / "clinging"
        pids = until(lambda: marks.exists() and marks.read_text().split())
        http.patch(f"{started.path}/runs/{run['id']}", json={"state": "cancelled"}).raise_for_status()
        ended = started.wait_for(run["id"])
        states = {node["node_id"]: node["state"] for node in ended["nodes"]}
        assert ended["state"] == "cancelled"
        assert (states["bad"], states["after"]) == ("cancelled", "skipped")
        assert not [process for process in started.home.processes() if str(process.pid) in pids]


async def test_an_agent_runs_a_workflow_and_reads_its_result(up: Start) -> None:
    with up("measure-objects") as started:
        transport = StreamableHttpTransport(f"{started.url}/mcp", headers={"authorization": f"Bearer {started.token}"})
        async with Client(transport) as agent:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                return dict((await agent.call_tool(tool, arguments)).structured_content or {})

            assert [project["name"] for project in (await call("list_projects"))["projects"]] == ["measure-objects"]
            assert "otsu_threshold" in {block["type_name"] for block in (await call("list_blocks"))["blocks"]}
            assert (await call("get_workflow", path="measure-objects"))["nodes"][0]["id"] == "photograph"
            assert (await call("validate_workflow", yaml_or_path="measure-objects"))["valid"]
            run = (await call("run_workflow", path="measure-objects"))["run_id"]
            started.wait_for(run)
            status = await call("get_run_status", run_id=run)
            assert status["state"] == "succeeded"
            assert set(status["progress"]["block_states"].values()) == {"DONE"}
            output = await call("get_block_output", run_id=run, block_id="statistics", port="statistics")
            preview = await call("preview_data", ref=output["ref"])
            assert preview["fmt"] == "table"
            assert [row[0] for row in preview["payload"]["rows"]] == ["area", "eccentricity", "mean_intensity"]


def test_a_failed_block_tells_the_person_what_happened(up: Start) -> None:
    with up("faults") as started, started.client() as http:
        run = http.post(f"{started.path}/runs", json={"workflow": "raises"}).json()
        ended = started.wait_for(run["id"])
        nodes = {node["node_id"]: node for node in ended["nodes"]}
        assert ended["state"] == "failed"
        assert "the lamp is off" in nodes["bad"]["error"]["message"]
        assert "faults.py" in nodes["bad"]["traceback"]
        assert (nodes["after"]["state"], nodes["beside"]["state"]) == ("skipped", "done")
        history = until(lambda: _recorded(http, f"{started.path}/lineage/runs/{run['id']}"))
        assert {execution["node_id"] for execution in history["executions"]} >= {"say", "bad", "beside"}


def _recorded(http: Any, path: str) -> dict[str, Any] | None:
    answer = http.get(path)
    found: dict[str, Any] = answer.json()
    return found if answer.status_code == 200 and found["run"]["ended_at"] else None


def test_what_is_wrong_with_a_request_is_a_problem_with_a_hint(up: Start) -> None:
    with up("faults") as started, started.client() as http:
        cases = {
            "cycle": (422, "workflow.invalid"),
            "unknown-type": (422, "workflow.invalid"),
            "not-yaml": (422, "workflow.unreadable"),
            "nowhere": (404, "workflow.not_found"),
        }
        for workflow, (status, code) in cases.items():
            answer = http.post(f"{started.path}/runs", json={"workflow": workflow})
            assert (answer.status_code, answer.json()["code"]) == (status, code), workflow
            assert answer.headers["content-type"].startswith("application/problem+json")
            assert answer.json()["hint"]
        assert http.get(f"{started.path}/runs").json()["items"] == []
