"""HTTP inside a service: uvicorn in the service's own loop, and the small side that serves health and metrics."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

if TYPE_CHECKING:
    import uvicorn
    from prometheus_client import CollectorRegistry

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


def listening_socket(address: str) -> socket.socket:
    """Bind ``unix:PATH`` or ``HOST:PORT`` and listen. The caller owns the socket.

    A TCP socket names its protocol: asyncio turns Nagle's algorithm off only then, which costs 45 ms a request otherwise.
    """
    scheme, _, rest = address.partition(":")
    if scheme == "unix":
        Path(rest).unlink(missing_ok=True)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.bind(rest)
        Path(rest).chmod(0o600)
    else:
        host, _, port = address.rpartition(":")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), int(port)))
    made.listen(512)
    return made


class HttpServer:
    """An ASGI application served in this loop. A part.

    Parameters
    ----------
    app : ASGI application
    address : str or socket
        ``unix:PATH``, ``HOST:PORT``, or a socket that already listens.
    """

    def __init__(self, app: ASGIApp, address: str | socket.socket, **options: Any) -> None:
        self._app, self._address, self._options = app, address, options
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen; returns when requests are answered."""
        import uvicorn

        sock = listening_socket(self._address) if isinstance(self._address, str) else self._address
        defaults = {"log_config": None, "access_log": False, "lifespan": "on", "timeout_graceful_shutdown": 1}
        self._server = uvicorn.Server(uvicorn.Config(self._app, **{**defaults, **self._options}))
        self._server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]  # signals are the service's, and uvicorn would raise them again
        self._task = asyncio.create_task(self._server.serve(sockets=[sock]))
        while not self._server.started:
            if self._task.done():
                await self._task
                raise RuntimeError("The HTTP server ended while it was starting; its log says why.")
            await asyncio.sleep(0.002)

    async def stop(self) -> None:
        """Finish what is being answered, then stop."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = True
            await self._task


async def _answer(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def service_app(registry: CollectorRegistry, *, token: SecretStr, inner: ASGIApp | None = None) -> ASGIApp:
    """Return the HTTP side of a service: ``/healthz`` open, ``/metrics`` and what ``inner`` serves behind the services' token."""
    from prometheus_client import make_asgi_app

    metrics = make_asgi_app(registry)
    expected = f"Bearer {token.get_secret_value()}".encode()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await (inner(scope, receive, send) if inner else _lifespan(receive, send))
        elif scope["path"] == "/healthz":
            await _answer(send, 200, "ok\n")
        elif not hmac.compare_digest(dict(scope["headers"]).get(b"authorization", b""), expected):
            await _answer(send, 401, "The services' token is missing or wrong.\n")
        elif scope["path"] == "/metrics":
            await metrics(scope, receive, send)
        elif inner is not None:
            await inner(scope, receive, send)
        else:
            await _answer(send, 404, "Nothing here.\n")

    return app
