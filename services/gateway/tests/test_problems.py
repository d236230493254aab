"""Every refusal and fault is a problem that says what, where and what to do, and nothing that is ours to know."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
import structlog
from scistudio_gateway.settings import GatewaySettings
from scistudio_gateway.web.problems import STATUS_OF_KIND
from scistudio_platform.errors import Kind, RemoteError
from scistudio_platform.testing import short_dir
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow

KEYS = {"type", "title", "status", "detail", "instance", "code", "subject", "hint", "trace_id", "faults"}


def checked(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code), body
    assert answer.headers["content-type"] == "application/problem+json"
    assert body.keys() == KEYS
    assert body["type"] == f"urn:scistudio:error:{code}"
    assert body["instance"] == answer.request.url.path
    assert len(body["trace_id"]) == 32
    return body


def test_every_kind_of_error_has_a_status() -> None:
    assert set(STATUS_OF_KIND) == set(Kind)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.UNAUTHENTICATED, Kind.UNAVAILABLE)])
async def test_what_a_service_answers_reaches_the_caller_whole(http: httpx2.AsyncClient, others: Any, kind: Kind) -> None:
    error = RemoteError(kind, "project.odd", "The project is odd: µ, ✓.", subject="project/p", hint="Make it even.")
    others.workflow.answers["GetProject"] = error
    body = checked(await http.get("/projects/p"), STATUS_OF_KIND[kind], "project.odd")
    assert (body["detail"], body["subject"], body["hint"]) == (error.message, "project/p", "Make it even.")


async def test_a_service_that_refuses_our_own_token_does_not_sign_the_caller_out(http: httpx2.AsyncClient, others: Any) -> None:
    others.workflow.answers["GetProject"] = RemoteError(Kind.UNAUTHENTICATED, "service.error", "The services' token is wrong.")
    checked(await http.get("/projects/p"), 502, "service.error")


async def test_a_service_that_is_down_gives_503_and_says_which(settings: GatewaySettings, serve: Any, session_token: str) -> None:
    async with serve(settings.model_copy(update={"run_dir": short_dir()})) as url:
        headers = {"authorization": f"Bearer {session_token}"}
        async with httpx2.AsyncClient(base_url=f"{url}/api/v1", headers=headers) as client:
            path = "/projects/p/runs/r/nodes/n/outputs/o/0/text"
            answer = await client.get(path)
    body = checked(answer, 503, "service.unavailable")
    assert body["subject"] == "service/panels"
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nope", None, 404, "route.not_found"),
        ("GET", "/projects/p/nope/x", None, 404, "route.not_found"),
        ("GET", "/projects/", None, 404, "route.not_found"),
        ("PUT", "/projects", None, 405, "method.not_allowed"),
        ("POST", "/projects/p/runs", b"{", 422, "request.invalid"),
        ("POST", "/projects/p/runs", b"[]", 422, "request.invalid"),
        ("POST", "/projects/p/runs", b'{"workflow": "w", "colour": "red"}', 422, "request.invalid"),
        ("POST", "/projects/p/runs", b'{"workflow": "w", "run_id": "no uuid"}', 422, "request.invalid"),
        ("PATCH", "/projects/p/runs/r", b'{"state": "paused"}', 422, "request.invalid"),
        ("GET", "/projects/p/runs?limit=0", None, 422, "request.invalid"),
        ("GET", "/projects/p/logs", None, 422, "request.invalid"),
        ("GET", "/projects/p/runs/r/nodes/n/outputs/o/x", None, 422, "request.invalid"),
        ("GET", f"/projects/p/runs/r/nodes/n/outputs/o/{2**31}", None, 422, "request.invalid"),
        ("GET", f"/projects/p/runs/r/nodes/n/outputs/o/0/array?y={2**63}", None, 422, "request.invalid"),
        ("GET", "/projects/p/runs/r/nodes/n/outputs/o/0/array?index=z", None, 422, "request.invalid"),
    ],
)
async def test_a_request_that_does_not_fit_says_what_is_wrong(
    http: httpx2.AsyncClient, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    answer = await http.request(method, path, content=body, headers={"content-type": "application/json"} if body else {})
    problem = checked(answer, status, code)
    assert problem["detail"]
    assert bool(problem["faults"]) == (status == 422)


async def test_a_wrong_method_is_told_which_are_right(http: httpx2.AsyncClient) -> None:
    for path, allowed in (("/health", "GET"), ("/projects", "GET, POST"), ("/projects/p%2Fq", "DELETE, GET, PATCH")):
        answer = await http.put(path)
        assert answer.headers["allow"] == allowed
        assert answer.json()["hint"] == f"It takes {allowed}."


async def test_a_body_that_is_too_long_is_refused_however_it_comes(http: httpx2.AsyncClient, settings: GatewaySettings) -> None:
    async def parts() -> Any:
        for _ in range(9):
            yield b" " * (1 << 20)

    checked(await http.post("/projects/p/runs", content=b" " * (settings.max_body_bytes + 1)), 413, "request.too_large")
    checked(await http.post("/projects/p/runs", content=parts(), headers={"content-type": "application/json"}), 413, "request.too_large")


async def test_a_fault_of_our_own_shows_nothing_but_its_trace_id_and_is_logged_once(http: httpx2.AsyncClient, others: Any) -> None:
    broken = workflow.Node(id="n", config_json="{not json: secret}")
    others.workflow.answers["GetWorkflow"] = workflow.GetWorkflowResponse(workflow=workflow.Workflow(nodes=[broken]))
    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        body = checked(await http.get("/projects/p/workflows/w"), 500, "internal")
    assert "secret" not in str(body)
    assert "Expecting" not in str(body)
    errors = [line for line in logs if line["log_level"] == "error"]
    assert [line["trace_id"] for line in errors] == [body["trace_id"]]


async def test_the_trace_id_of_a_caller_is_kept(http: httpx2.AsyncClient) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    answer = await http.get("/nope", headers={"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"})
    assert answer.json()["trace_id"] == trace_id
    assert len((await http.get("/nope", headers={"traceparent": "rubbish"})).json()["trace_id"]) == 32
