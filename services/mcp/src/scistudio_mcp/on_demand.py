"""The MCP server, made when an agent first comes: importing it takes a second and 40 MiB that an idle service does not need."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scistudio_platform.http import Receive, Scope, Send
from scistudio_platform.service import BackgroundTasks

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from scistudio_mcp.services import Services

PATH = "/mcp"
LEAVE_S = 2.0


class OnDemand:
    """An ASGI application and a part: serves ``/mcp``, and makes the server behind it at the first request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tasks = BackgroundTasks("mcp")
        self._made: asyncio.Future[tuple[FastMCP, Any]] | None = None
        self._living: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        """Nothing: the server is made when it is asked for."""

    async def stop(self) -> None:
        """End the sessions."""
        self._stopping.set()
        if self._living is not None:
            await asyncio.wait([self._living], timeout=LEAVE_S)
        await self._tasks.stop()

    async def server(self) -> FastMCP:
        """Return the server with its tools."""
        return (await self._both())[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. The server's own start and end are in ``_live``."""
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": f"{message['type']}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        _, app = await self._both()
        await app(scope, receive, send)

    async def _both(self) -> tuple[FastMCP, Any]:
        if self._made is None or (self._made.done() and self._made.exception() is not None):
            self._made = asyncio.get_running_loop().create_future()
            self._living = self._tasks.spawn(self._live(self._made), name="mcp server")
        return await asyncio.shield(self._made)

    async def _live(self, made: asyncio.Future[tuple[FastMCP, Any]]) -> None:
        """Make the server and keep its sessions; one task enters and leaves what they need."""
        try:
            server = await asyncio.to_thread(self._make)
            # Sessions keep no state here; the gateway has checked Host and Origin, and this side is a Unix socket behind it.
            app = server.http_app(path=PATH, stateless_http=True, host_origin_protection=False)
            async with app.router.lifespan_context(app):
                made.set_result((server, app))
                await self._stopping.wait()
        except Exception as error:
            if made.done():
                raise
            made.set_exception(error)

    def _make(self) -> FastMCP:
        from scistudio_mcp.server import make_server

        return make_server(self._services)
