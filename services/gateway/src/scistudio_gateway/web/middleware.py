"""What every request and socket passes through, outermost first: observation, headers, the door."""

from __future__ import annotations

import time
from collections.abc import Mapping

import structlog
from opentelemetry import trace
from scistudio_platform.errors import SciStudioError
from scistudio_platform.logging import get_logger
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from scistudio_gateway.domain.access import SAFE_METHODS, AccessRules
from scistudio_gateway.domain.tracing import trace_id_of
from scistudio_gateway.errors import BodyTooLarge
from scistudio_gateway.web.paths import routed_path
from scistudio_gateway.web.problems import internal, problem

API, MCP = "/api", "/mcp"
OPEN = frozenset({("GET", "/api/v1/health"), ("POST", "/api/v1/session")})
STARTS = frozenset({"http.response.start", "websocket.http.response.start", "websocket.accept"})
PAGE_POLICY = "; ".join(
    (
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the graph library places nodes by style attributes
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "frame-src 'self' blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# What a block wrote may be a page with scripts (SVG, HTML): opened as a document it runs in no origin and loads nothing.
DATA_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
COMMON_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
API_DEFAULTS = {"Cache-Control": "no-store", "Content-Security-Policy": DATA_POLICY}
PAGE_DEFAULTS = {"Cache-Control": "no-cache", "Content-Security-Policy": PAGE_POLICY}

logger = get_logger("gateway")


def is_guarded(path: str) -> bool:
    """Whether a path is the API's or MCP's, and not the page's."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in (API, MCP))


class Observation:
    """Give each request a trace id, log it without its query, and answer what nobody foresaw."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or socket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        span = trace.get_current_span().get_span_context()
        scope["trace_id"] = f"{span.trace_id:032x}" if span.is_valid else trace_id_of(Headers(scope=scope).get("traceparent"))
        # Never unbound: the server runs each request in a task of its own, and may still log about it when we are through.
        structlog.contextvars.bind_contextvars(trace_id=scope["trace_id"])
        if is_guarded(scope["path"]):
            scope["path"] = routed_path(scope["raw_path"])
        await _Observed(self._app, scope, send).run(receive)


class _Observed:
    """One request."""

    def __init__(self, app: ASGIApp, scope: Scope, send: Send) -> None:
        self._app, self._scope, self._send = app, scope, send
        self._status = 0
        self._started_at = time.perf_counter()

    async def run(self, receive: Receive) -> None:
        try:
            await self._app(self._scope, receive, self._note)
        except Exception:
            if self._status or self._scope["type"] == "websocket":
                raise  # the server logs it and breaks the connection off, which is all that is left to say
            logger.exception("request failed", method=self._scope["method"], path=self._scope["path"])
            await internal(HTTPConnection(self._scope))(self._scope, receive, self._note)
        finally:
            self._log()

    async def _note(self, message: Message) -> None:
        if message["type"] in STARTS:
            self._status = message.get("status", 101)
        await self._send(message)

    def _log(self) -> None:
        method, path = self._scope.get("method", "WEBSOCKET"), self._scope["path"]
        record = logger.info if is_guarded(path) and (method, path) not in OPEN else logger.debug
        record("request", method=method, path=path, status=self._status, duration_s=round(time.perf_counter() - self._started_at, 4))


class SafeHeaders:
    """Add what keeps browsers from guessing, leaking and framing; a route's own headers win."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or socket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        defaults: Mapping[str, str] = API_DEFAULTS if is_guarded(scope["path"]) else PAGE_DEFAULTS

        async def with_headers(message: Message) -> None:
            if message["type"] in STARTS:
                headers = MutableHeaders(scope=message)
                for name, value in {**COMMON_HEADERS, **defaults}.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


class Door:
    """Let in whom the rules admit: Host and Origin on everything, the session token on all but the page, health and signing in."""

    def __init__(self, app: ASGIApp, *, rules: AccessRules, max_body_bytes: int) -> None:
        self._app, self._rules, self._max_body_bytes = app, rules, max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or socket."""
        if scope["type"] != "lifespan":
            try:
                self._check(HTTPConnection(scope))
            except SciStudioError as error:
                await _refuse(error, scope, receive, send)
                return
        await self._app(scope, self._limited(receive), send)

    def _limited(self, receive: Receive) -> Receive:
        """Stop reading a body that says its length only by its end. The framework turns other errors than its own into a bad request."""
        read = 0

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._max_body_bytes:
                raise HTTPException(413)
            return message

        return limited

    def _check(self, connection: HTTPConnection) -> None:
        scope, headers = connection.scope, connection.headers
        method = scope.get("method", "WEBSOCKET")
        self._rules.check_host(headers.getlist("host"))
        self._rules.check_origin(
            headers.get("origin"),
            headers["host"],
            changes_state=method not in SAFE_METHODS,
            fetch_site=headers.get("sec-fetch-site"),
        )
        if is_guarded(scope["path"]) and (method, scope["path"]) not in OPEN:
            offered = scope.get("subprotocols", ())
            scope["signed_in_by"] = self._rules.signed_in_by(headers.get("authorization"), connection.cookies, offered)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._max_body_bytes:
            raise BodyTooLarge(self._max_body_bytes)


class PageBeside:
    """Answer the API's paths with the API, all others with the page. Innermost."""

    def __init__(self, app: ASGIApp, *, page: ASGIApp) -> None:
        self._app, self._page = app, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or socket."""
        is_page = scope["type"] == "http" and not is_guarded(scope["path"])
        await (self._page if is_page else self._app)(scope, receive, send)


async def _refuse(error: SciStudioError, scope: Scope, receive: Receive, send: Send) -> None:
    response = problem(HTTPConnection(scope), error)
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
    else:
        await response(scope, receive, send)
