"""What each route asks the services, and how it shows their answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.lineage.v1 import lineage_pb2 as lineage
from scistudio_proto.scheduler.v1 import scheduler_pb2 as scheduler
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow

OPENED = Timestamp(seconds=1_790_000_000, nanos=123_456_000)
PROJECT = workflow.Project(id="p 1", name="Zürich", path="/data/p", opened_at=OPENED, is_open=True)
SEED = 1_700_000_000_000_000_011  # JavaScript would round it


def test_times_are_utc_with_microseconds() -> None:
    assert OPENED.ToDatetime(tzinfo=UTC) == datetime(2026, 9, 21, 14, 13, 20, 123_456, tzinfo=UTC)


async def test_projects_are_listed_made_opened_closed_and_forgotten(http: httpx2.AsyncClient, others: Any) -> None:
    script = others.workflow
    script.answers |= {
        "ListProjects": workflow.ListProjectsResponse(projects=[PROJECT]),
        "GetProject": workflow.GetProjectResponse(project=PROJECT),
        "CreateProject": workflow.CreateProjectResponse(project=PROJECT),
        "OpenProject": workflow.OpenProjectResponse(project=PROJECT),
        "CloseProject": workflow.CloseProjectResponse(),
        "ForgetProject": workflow.ForgetProjectResponse(),
    }
    (listed,) = (await http.get("/projects")).json()["items"]
    assert listed["opened_at"] == "2026-09-21T14:13:20.123456Z"
    made = await http.post("/projects", json={"name": "Zürich", "parent": "/data"})
    assert (made.status_code, made.headers["location"], made.json()) == (201, "/api/v1/projects/p%201", listed)
    found = await http.post("/projects", json={"path": "/data/p", "existing": True})
    assert (found.status_code, script.requests["OpenProject"][-1].path) == (201, "/data/p")
    assert (await http.get("/projects/p%201")).json() == listed
    assert (await http.patch("/projects/p%201", json={"is_open": True})).json() == listed
    assert script.requests["OpenProject"][-1].path == "/data/p"
    assert (await http.patch("/projects/p%201", json={"is_open": False})).status_code == 200
    assert script.requests["CloseProject"][-1].project_id == "p 1"
    assert (await http.delete("/projects/p%201")).status_code == 204


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        ("main", "main"),
        ("workflows%2Fsub%2Fmain.yaml", "workflows/sub/main.yaml"),
        ("%40other%2Fa%20b.yaml", "@other/a b.yaml"),
        ("50%25", "50%"),
        ("%252F", "%2F"),
        ("M%C3%BCnchen%20%E2%9C%93", "München ✓"),
        ("..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
        ("a%3Fb%23c", "a?b#c"),
        ("%00", "\x00"),
        ("n" * 300, "n" * 300),
    ],
)
async def test_any_name_is_one_segment_of_a_path(http: httpx2.AsyncClient, others: Any, encoded: str, name: str) -> None:
    others.workflow.answers["GetWorkflow"] = workflow.GetWorkflowResponse(workflow=workflow.Workflow(id=name))
    others.workflow.answers["ValidateWorkflow"] = workflow.ValidateWorkflowResponse(valid=True)
    url = http.base_url.copy_with(raw_path=b"/api/v1/projects/p/workflows/" + encoded.encode())
    assert (await http.get(url)).json()["id"] == name
    assert (await http.post(f"{url}/validation")).json() == {"valid": True, "problems": []}
    assert others.workflow.requests["ValidateWorkflow"][-1].workflow == name


async def test_integers_that_a_browser_rounds_are_text(http: httpx2.AsyncClient, others: Any) -> None:
    config = f'{{"seed": {SEED}, "small": {2**53 - 1}, "negative": {-SEED}, "nan": NaN, "inf": -Infinity, "x": 1e400, "y": 0.1}}'
    node = workflow.Node(id="n", block_type="b", config_json=config, layout={"x": 1.5})
    others.workflow.answers["GetWorkflow"] = workflow.GetWorkflowResponse(workflow=workflow.Workflow(id="w", nodes=[node], text="nodes: …"))
    answer = (await http.get("/projects/p/workflows/w")).json()
    assert answer["nodes"][0]["config"] == {
        "seed": str(SEED),
        "small": 2**53 - 1,
        "negative": str(-SEED),
        "nan": "NaN",
        "inf": "-Infinity",
        "x": "1e400",
        "y": 0.1,
    }
    assert (answer["text"], answer["metadata"], answer["nodes"][0]["layout"]) == ("nodes: …", {}, {"x": 1.5})


async def test_an_unchanged_workflow_and_catalog_are_not_sent_again(http: httpx2.AsyncClient, others: Any) -> None:
    found = workflow.Workflow(id="w", etag='b3:0f" é')
    others.workflow.answers["GetWorkflow"] = workflow.GetWorkflowResponse(workflow=found)
    others.workflow.answers["GetCatalog"] = workflow.GetCatalogResponse(etag="c1")
    for path in ("/projects/p/workflows/w", "/projects/p/catalog"):
        first = await http.get(path)
        assert first.status_code == 200
        tag = first.headers["etag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = await http.get(path, headers={"if-none-match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert (await http.get(path, headers={"if-none-match": '"other"'})).status_code == 200


async def test_the_catalog_shows_what_the_specs_hold_as_json(http: httpx2.AsyncClient, others: Any) -> None:
    block = workflow.BlockSpec(
        type_name="core/smooth",
        input_ports=[workflow.Port(name="image", accepted_types=["Image"], required=True)],
        config_schema_json='{"type": "object"}',
        dynamic_ports_json="",
        format_capabilities_json='[{"extension": ".tif"}]',
        allowed_types_json='{"inputs": [], "outputs": ["Image"]}',
        resources=workflow.Resources(cpu_cores=2, memory_gb=1.5),
    )
    failure = workflow.LoadFailure(file_path="blocks/x.py", error_type="SyntaxError", message="line 3")
    kind = workflow.TypeSpec(name="Image", type_chain=["DataObject", "Array", "Image"])
    others.workflow.answers["GetCatalog"] = workflow.GetCatalogResponse(blocks=[block], types=[kind], failures=[failure])
    answer = (await http.get("/projects/p/catalog?rescan=true")).json()
    assert others.workflow.requests["GetCatalog"][-1].rescan
    (shown,) = answer["blocks"]
    assert shown["config_schema"] == {"type": "object"}
    assert (shown["dynamic_ports"], shown["format_capabilities"]) == (None, [{"extension": ".tif"}])
    assert (shown["allowed_types"]["outputs"], shown["resources"]["memory_gb"]) == (["Image"], 1.5)
    assert (answer["types"][0]["type_chain"][-1], answer["failures"][0]["error_type"]) == ("Image", "SyntaxError")
    assert (await http.get("/projects/p/blocks/core%2Fsmooth")).json() == shown
    assert (await http.get("/projects/p/blocks/none")).json()["code"] == "block.not_found"


async def test_problems_of_a_workflow_are_told(http: httpx2.AsyncClient, others: Any) -> None:
    problem = workflow.Problem(severity=workflow.SEVERITY_WARNING, code="w", message="m", node="n", port="p", hint="h", line=7)
    others.workflow.answers["ValidateWorkflow"] = workflow.ValidateWorkflowResponse(valid=True, problems=[problem])
    answer = (await http.post("/projects/p/workflows/w/validation?draft=true")).json()
    assert others.workflow.requests["ValidateWorkflow"][-1].draft
    expected = {"severity": "warning", "code": "w", "message": "m", "node": "n", "port": "p", "hint": "h", "line": 7}
    assert answer == {"valid": True, "problems": [expected]}


RUN = scheduler.Run(
    id="r",
    project_id="p",
    state=scheduler.RUN_STATE_FAILED,
    created_at=OPENED,
    nodes=[
        scheduler.NodeRun(node_id="a/b", state=scheduler.BLOCK_STATE_DONE, outputs=[scheduler.OutputSummary(port="o", n_items=3)]),
        scheduler.NodeRun(node_id="c", state=scheduler.BLOCK_STATE_ERROR, error=ErrorDetail(code="block.raised", message="no")),
    ],
)


async def test_a_run_is_started_followed_and_cancelled(http: httpx2.AsyncClient, others: Any) -> None:
    script = others.scheduler
    script.answers |= {
        "StartRun": scheduler.StartRunResponse(run=RUN),
        "GetRun": scheduler.GetRunResponse(run=RUN),
        "CancelRun": scheduler.CancelRunResponse(run=RUN),
    }
    run_id = "01936b6e-0000-7000-8000-000000000001"
    started = await http.post("/projects/p/runs", json={"workflow": "main", "run_id": run_id})
    assert (started.status_code, started.headers["location"]) == (202, "/api/v1/projects/p/runs/r")
    assert (script.requests["StartRun"][-1].run_id, script.requests["StartRun"][-1].triggered_by) == (run_id, "api")
    run = (await http.get("/projects/p/runs/r")).json()
    assert (run["state"], run["ended_at"]) == ("failed", None)
    assert [node["error"] and node["error"]["code"] for node in run["nodes"]] == [None, "block.raised"]
    assert (await http.get("/projects/p/runs/r/nodes/a%2Fb")).json() == run["nodes"][0]
    assert (await http.get("/projects/p/runs/r/nodes/none")).json()["code"] == "node.not_found"
    assert (await http.patch("/projects/p/runs/r", json={"state": "cancelled", "reason": "enough"})).json() == run
    assert (script.requests["CancelRun"][-1].node_id, script.requests["CancelRun"][-1].reason) == ("", "enough")
    assert (await http.patch("/projects/p/runs/r/nodes/c", json={"state": "cancelled"})).json() == run["nodes"][1]
    assert script.requests["CancelRun"][-1].node_id == "c"


async def test_a_run_without_an_id_gets_one_so_that_a_repeated_call_starts_nothing_twice(http: httpx2.AsyncClient, others: Any) -> None:
    others.scheduler.answers["StartRun"] = scheduler.StartRunResponse(run=RUN)
    await http.post("/projects/p/runs", json={"workflow": "main"})
    assert len(others.scheduler.requests["StartRun"][-1].run_id) == 36


async def test_a_run_that_a_person_starts_is_said_to_be_a_users(stranger: httpx2.AsyncClient, others: Any, session_token: str) -> None:
    others.scheduler.answers["StartRun"] = scheduler.StartRunResponse(run=RUN)
    await stranger.post("/api/v1/session", json={"token": session_token})
    await stranger.post("/api/v1/projects/p/runs", json={"workflow": "main"})
    assert others.scheduler.requests["StartRun"][-1].triggered_by == "user"


async def test_lists_of_runs_are_paged(http: httpx2.AsyncClient, others: Any) -> None:
    others.scheduler.answers["ListRuns"] = scheduler.ListRunsResponse(runs=[RUN], next_page_token="n")
    page = (await http.get("/projects/p/runs?workflow=main&cursor=c&limit=7")).json()
    asked = others.scheduler.requests["ListRuns"][-1]
    assert (asked.workflow_id, asked.page_token, asked.page_size) == ("main", "c", 7)
    assert (page["next_cursor"], len(page["items"])) == ("n", 1)


async def test_lineage_tells_what_happened(http: httpx2.AsyncClient, others: Any) -> None:
    execution = lineage.ExecutionRecord(
        execution_id="e", config_json='{"sigma": 2}', environment_json="", inputs=[lineage.PortObject(port="i", position=1, object_id="o")]
    )
    made = lineage.ObjectRecord(object_id="o", type_name="Image", reference_json='{"backend": "zarr"}', made_by="e")
    record = lineage.RunRecord(run_id="r", status="completed", started_at=OPENED)
    others.lineage.answers |= {
        "ListRuns": lineage.ListRunsResponse(runs=[record]),
        "GetRun": lineage.GetRunResponse(run=record, executions=[execution], objects=[made]),
        "TraceObject": lineage.TraceObjectResponse(executions=[execution], objects=[made]),
    }
    told = (await http.get("/projects/p/lineage/runs/r")).json()
    assert (told["run"]["status"], told["executions"][0]["config"], told["executions"][0]["environment"]) == ("completed", {"sigma": 2}, {})
    assert told["objects"][0]["reference"] == {"backend": "zarr"}
    traced = (await http.get("/projects/p/objects/o/lineage?direction=down")).json()
    assert traced == {"objects": told["objects"], "executions": told["executions"]}
    assert others.lineage.requests["TraceObject"][-1].direction == lineage.DIRECTION_DOWN
    assert (await http.get("/projects/p/lineage/runs")).json()["items"] == [told["run"]]


async def test_answers_are_json_that_browsers_neither_cache_nor_guess_about(http: httpx2.AsyncClient, others: Any) -> None:
    others.workflow.answers["ListProjects"] = workflow.ListProjectsResponse()
    answer = await http.get("/projects")
    assert json.loads(answer.text) == {"items": [], "next_cursor": None}
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert answer.headers["referrer-policy"] == "no-referrer"
