"""B104, B108: who is let in, and what each refusal says."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from scistudio_proto.workflow.v1 import workflow_pb2 as workflow
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

PROJECTS = "/api/v1/projects"
BEARER = {"authorization": "Bearer the-session-token-of-the-tests"}
OWN = {"origin": "OWN"}  # replaced by the origin of the gateway under test
EVIL = {"origin": "http://evil.test"}

CASES: list[tuple[str, str, dict[str, str], int]] = [
    ("GET", PROJECTS, BEARER, 200),
    ("GET", PROJECTS, {"authorization": "bearer   the-session-token-of-the-tests"}, 200),
    ("GET", PROJECTS, {}, 401),
    ("GET", PROJECTS, {"authorization": "Bearer wrong"}, 401),
    ("GET", PROJECTS, {"authorization": "Bearer"}, 401),
    ("GET", PROJECTS, {"authorization": "Basic dGhlOnRva2Vu"}, 401),
    ("GET", PROJECTS, {"authorization": "Bearer \u00fcmlaut".encode().decode("latin-1")}, 401),
    ("GET", PROJECTS, {"cookie": "scistudio-tests=the-session-token-of-the-tests"}, 401),
    ("GET", f"{PROJECTS}?token=the-session-token-of-the-tests", {}, 401),
    ("GET", "/api/v1/openapi.json", {}, 401),
    ("GET", "/api/v1/nope", {}, 401),
    ("GET", "/api/v1/projects/p/logs?run=r", {"accept": "text/event-stream"}, 401),
    ("GET", "/api/v1/projects/p/runs/r/nodes/n/outputs/o/0/file", {}, 401),
    ("POST", "/mcp", {}, 401),
    ("GET", "/mcp?project=p", {}, 401),
    ("GET", "/api/v1/health", {}, 503),  # open to all; the event bus is down here
    ("GET", PROJECTS, {**BEARER, "host": "evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "evil.test:7100"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "localhost.evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "127.0.0.1:7100.evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "127.0.0.1:7100@evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "[::1]evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, "host": "LOCALHOST:9999"}, 200),
    ("GET", PROJECTS, {**BEARER, "host": "[::1]:7100"}, 200),
    ("GET", "/api/v1/health", {"host": "evil.test"}, 403),
    ("GET", "/", {"host": "evil.test"}, 403),
    ("POST", "/mcp", {**BEARER, "host": "evil.test"}, 403),
    ("GET", PROJECTS, {**BEARER, **OWN}, 200),
    ("GET", PROJECTS, {**BEARER, **EVIL}, 403),
    ("GET", PROJECTS, {**BEARER, "origin": "null"}, 200),
    ("POST", PROJECTS, {**BEARER, **OWN}, 422),  # let in, and found to have no body
    ("POST", PROJECTS, {**BEARER}, 422),
    ("POST", PROJECTS, {**BEARER, **EVIL}, 403),
    ("POST", PROJECTS, {**BEARER, "origin": "null"}, 403),
    ("POST", PROJECTS, {**BEARER, "origin": "http://localhost:8888"}, 403),  # whatever else listens on this machine
    ("POST", PROJECTS, {**BEARER, "origin": "not an origin"}, 403),
    ("POST", PROJECTS, {**BEARER, "sec-fetch-site": "cross-site"}, 403),
    ("POST", PROJECTS, {**BEARER, "sec-fetch-site": "same-site"}, 403),
    ("POST", PROJECTS, {**EVIL, "content-type": "text/plain"}, 403),
    ("POST", "/api/v1/session", {**EVIL}, 403),
    ("POST", "/mcp", {**BEARER, **EVIL}, 403),
    ("DELETE", f"{PROJECTS}/p", {**BEARER, "origin": "null"}, 403),
    ("OPTIONS", PROJECTS, {"origin": "http://evil.test", "access-control-request-method": "POST"}, 403),
]


async def test_only_who_has_the_token_and_comes_by_our_own_name_is_let_in(stranger: httpx2.AsyncClient, others: Any, url: str) -> None:
    others.workflow.answers["ListProjects"] = workflow.ListProjectsResponse()
    for method, path, headers, status in CASES:
        others.workflow.requests.clear()
        sent = [(name.encode(), (url if value == "OWN" else value).encode("latin-1")) for name, value in headers.items()]
        answer = await stranger.request(method, path, headers=sent)
        assert answer.status_code == status, (method, path, headers, answer.text)
        if status in (401, 403):
            assert answer.headers["content-type"] == "application/problem+json"
            assert not others.workflow.requests
            assert "access-control-allow-origin" not in answer.headers


SOCKETS: list[tuple[dict[str, Any], int]] = [
    ({"additional_headers": BEARER}, 101),
    ({"subprotocols": ["scistudio.v1", "scistudio.token.the-session-token-of-the-tests"]}, 101),
    ({"additional_headers": BEARER, "origin": "OWN"}, 101),
    ({}, 401),
    ({"additional_headers": {"authorization": "Bearer wrong"}}, 401),
    ({"subprotocols": ["scistudio.v1", "scistudio.token.wrong"]}, 401),
    ({"additional_headers": BEARER, "origin": "http://evil.test"}, 403),
    ({"additional_headers": BEARER, "origin": "null"}, 403),
    ({"additional_headers": {**BEARER, "host": "evil.test"}}, 403),
]


async def test_a_socket_opens_for_the_token_and_our_own_page_alone(url: str) -> None:
    address = f"{url.replace('http', 'ws')}/api/v1/events"
    for options, status in SOCKETS:
        own = {"origin": url} if options.get("origin") == "OWN" else {}
        if status == 101:
            async with connect(address, proxy=None, **{**options, **own}) as socket:
                assert socket.subprotocol == ("scistudio.v1" if "subprotocols" in options else None)
            continue
        with pytest.raises(InvalidStatus) as refused:
            await connect(address, proxy=None, **options)
        assert refused.value.response.status_code == status, options
        assert b'"status":%d' % status in (refused.value.response.body or b"")


async def test_a_token_in_the_query_of_a_socket_opens_nothing(url: str, session_token: str) -> None:
    with pytest.raises(InvalidStatus):
        async with connect(f"{url.replace('http', 'ws')}/api/v1/events?token={session_token}", proxy=None):
            pass


async def test_the_token_is_exchanged_for_a_cookie_that_no_script_reads(
    stranger: httpx2.AsyncClient, others: Any, session_token: str
) -> None:
    others.workflow.answers["ListProjects"] = workflow.ListProjectsResponse()
    answer = await stranger.post("/api/v1/session", json={"token": session_token})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("scistudio-tests=")
    assert all(attribute in cookie for attribute in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert session_token not in cookie
    assert (await stranger.get(PROJECTS)).status_code == 200


async def test_a_wrong_token_gives_no_cookie_and_is_not_repeated(stranger: httpx2.AsyncClient) -> None:
    answer = await stranger.post("/api/v1/session", json={"token": "wrong-but-secret"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "wrong-but-secret" not in answer.text
    invalid = await stranger.post("/api/v1/session", json={"token": ["wrong-but-secret"]})
    assert invalid.status_code == 422
    assert "wrong-but-secret" not in invalid.text


@pytest.mark.parametrize("path", ["/", "/projects/a%20b/runs?tab=1&x=%26", "//evil.test/x", "/\\evil.test"])
async def test_the_printed_address_signs_in_and_is_left_for_a_clean_one(
    stranger: httpx2.AsyncClient, url: str, session_token: str, path: str
) -> None:
    separator = "&" if "?" in path else "?"
    answer = await stranger.send(
        httpx2.Request("GET", httpx2.URL(url).copy_with(raw_path=f"{path}{separator}token={session_token}".encode()))
    )
    assert answer.status_code == 303
    assert "set-cookie" in answer.headers
    location = answer.headers["location"]
    assert session_token not in location
    assert httpx2.URL(url).join(location).netloc == httpx2.URL(url).netloc
    assert httpx2.URL(url).join(location).query == (b"tab=1&x=%26" if "tab" in path else b"")


async def test_an_old_link_says_so_to_a_person(stranger: httpx2.AsyncClient) -> None:
    answer = await stranger.get("/?token=of-yesterday")
    assert answer.status_code == 401
    assert "scistudio up" in answer.text
    assert "of-yesterday" not in answer.text


async def test_cookies_of_another_instance_do_not_open_this_one(stranger: httpx2.AsyncClient, session_token: str) -> None:
    value = (await stranger.post("/api/v1/session", json={"token": session_token})).cookies["scistudio-tests"]
    stranger.cookies.clear()
    assert (await stranger.get(PROJECTS, headers={"cookie": f"scistudio-other={value}"})).status_code == 401
