"""`/mcp`: handed on both ways as it comes, with the services' token in place of the caller's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest_asyncio
from scistudio_gateway.settings import GatewaySettings
from scistudio_platform.http import HttpServer
from scistudio_platform.testing import TOKEN, eventually
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


class Upstream:
    """The HTTP side of an mcp service, scripted."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.ended = asyncio.Event()
        self.app = Starlette(routes=[Route("/mcp", self.answer, methods=["GET", "POST", "DELETE"])])

    async def answer(self, request: Request) -> Response:
        self.requests.append(request)
        if request.method == "GET":
            return StreamingResponse(self.events(), media_type="text/event-stream", headers={"mcp-session-id": "s1"})
        if request.method == "DELETE":
            return Response(status_code=405, headers={"allow": "GET, POST"})
        body = await request.body()
        return JSONResponse({"got": len(body)}, headers={"set-cookie": "a=b", "connection": "x-private", "x-private": "1"})

    async def events(self) -> AsyncIterator[bytes]:
        try:
            yield b"event: message\ndata: 1\n\n"
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@pytest_asyncio.fixture(loop_scope="module")
async def upstream(settings: GatewaySettings) -> AsyncIterator[Upstream]:
    upstream = Upstream()
    server = HttpServer(upstream.app, f"unix:{settings.run_dir}/mcp.http.sock")
    await server.start()
    yield upstream
    await server.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def mcp(url: str, session_token: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=url, headers={"authorization": f"Bearer {session_token}"}, timeout=20) as client:
        yield client


async def test_a_call_is_handed_on_without_what_is_the_callers(mcp: httpx2.AsyncClient, upstream: Upstream, session_token: str) -> None:
    headers = {"mcp-protocol-version": "2026-01-01", "cookie": "scistudio-tests=x", "connection": "x-hop", "x-hop": "1"}
    answer = await mcp.post("/mcp?project=a%20b", json={"jsonrpc": "2.0"}, headers=headers)
    assert answer.json() == {"got": 17}
    assert not set(answer.headers) & {"set-cookie", "x-private"}
    (received,) = upstream.requests
    assert received.headers["authorization"] == f"Bearer {TOKEN.get_secret_value()}"
    assert received.headers["mcp-protocol-version"] == "2026-01-01"
    assert received.query_params["project"] == "a b"
    assert not set(received.headers) & {"cookie", "x-hop", "origin"}
    assert session_token not in str(received.headers)


async def test_a_body_in_parts_arrives_whole_and_one_too_long_does_not(mcp: httpx2.AsyncClient, upstream: Upstream) -> None:
    async def parts(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * (1 << 20)

    assert (await mcp.post("/mcp", content=parts(3))).json() == {"got": 3 << 20}
    assert (await mcp.post("/mcp", content=parts(9))).json()["code"] == "request.too_large"


async def test_a_stream_comes_as_it_is_made_and_ends_with_its_caller(mcp: httpx2.AsyncClient, upstream: Upstream) -> None:
    async with mcp.stream("GET", "/mcp", headers={"accept": "text/event-stream"}) as answer:
        assert (answer.headers["content-type"], answer.headers["mcp-session-id"]) == ("text/event-stream; charset=utf-8", "s1")
        assert await anext(answer.aiter_bytes()) == b"event: message\ndata: 1\n\n"
        assert not upstream.ended.is_set()
    await eventually(upstream.ended.is_set)


async def test_what_mcp_refuses_is_refused_as_it_says(mcp: httpx2.AsyncClient, upstream: Upstream) -> None:
    answer = await mcp.delete("/mcp")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert (await mcp.put("/mcp")).json()["code"] == "method.not_allowed"


async def test_a_service_that_is_down_is_a_bad_gateway_and_back_at_once(mcp: httpx2.AsyncClient, settings: GatewaySettings) -> None:
    down = await mcp.post("/mcp", json={})
    assert (down.status_code, down.json()["code"]) == (502, "mcp.unreachable")
    server = HttpServer(Upstream().app, f"unix:{settings.run_dir}/mcp.http.sock")
    await server.start()
    assert (await mcp.post("/mcp", json={})).status_code == 200
    await server.stop()


async def test_a_restarted_service_is_found_again(mcp: httpx2.AsyncClient, settings: GatewaySettings) -> None:
    for _ in range(2):  # the second time over a connection that the first one left behind
        server: Any = HttpServer(Upstream().app, f"unix:{settings.run_dir}/mcp.http.sock")
        await server.start()
        assert (await mcp.post("/mcp", json={})).status_code == 200
        await server.stop()
