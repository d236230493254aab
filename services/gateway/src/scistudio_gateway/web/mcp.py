"""`/mcp`: handed on to the mcp service, both ways as a stream, with the services' token in place of the caller's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

import httpx2
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from scistudio_platform.telemetry import inject

from scistudio_gateway.errors import McpUnreachable
from scistudio_gateway.settings import GatewaySettings

METHODS = ["GET", "POST", "DELETE"]
# Of one connection only (RFC 9110, 7.6.1), or about who is asking, which ends here.
HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authenticate"}
)
OURS = frozenset({"host", "origin", "cookie", "authorization", "proxy-authorization", "expect", "accept-encoding"})
NOT_PASSED_BACK = frozenset({"set-cookie", "server", "date"})
CONNECT_TIMEOUT_S = 2.0


class McpUpstream:
    """The HTTP side of the mcp service. A part."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._client: httpx2.AsyncClient | None = None

    async def start(self) -> None:
        """Make the client; nothing is sent yet."""
        scheme, _, path = self._settings.mcp_address.partition(":")
        on_socket = scheme == "unix"
        transport = httpx2.AsyncHTTPTransport(uds=path if on_socket else None, limits=httpx2.Limits(max_connections=None))
        base = "http://localhost" if on_socket else f"http://{self._settings.mcp_address}"
        # A session's stream is silent for as long as nothing happens.
        timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S)
        self._client = httpx2.AsyncClient(transport=transport, base_url=base, timeout=timeout, trust_env=False)

    async def stop(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def forward(self, request: Request) -> StreamingResponse:
        """Ask the mcp service what the caller asked, and answer with its answer as it comes."""
        assert self._client is not None
        headers = _passed_on(request.headers.items(), OURS)
        headers["authorization"] = f"Bearer {self._settings.token.get_secret_value()}"
        inject(headers)
        has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
        url = httpx2.URL("/mcp", query=request.scope["query_string"])
        outgoing = self._client.build_request(request.method, url, headers=headers, content=request.stream() if has_body else None)
        try:
            answer = await self._client.send(outgoing, stream=True)
        except httpx2.TransportError as error:
            raise McpUnreachable(str(error) or type(error).__name__) from error
        return StreamingResponse(_body(answer), answer.status_code, headers=_passed_on(answer.headers.items(), NOT_PASSED_BACK))


def _passed_on(headers: Iterable[tuple[str, str]], dropped: frozenset[str]) -> dict[str, str]:
    """Return the headers that go on to the next hop, names in lower case."""
    given = {name.lower(): value for name, value in headers}
    named = {name.strip().lower() for name in given.get("connection", "").split(",")}
    return {name: value for name, value in given.items() if name not in HOP_BY_HOP | dropped | named}


async def _body(answer: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_raw():
            yield part
    finally:
        await answer.aclose()


def pass_mcp_on(app: FastAPI, upstream: McpUpstream) -> None:
    """Serve `/mcp`."""
    for path in ("/mcp", "/mcp/"):
        app.add_api_route(path, upstream.forward, methods=METHODS, include_in_schema=False, response_model=None)
