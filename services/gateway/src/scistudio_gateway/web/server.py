"""The public HTTP server: the door's socket, in the service's own loop."""

from __future__ import annotations

import asyncio
import socket

from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.http import ASGIApp, HttpServer, listening_socket

from scistudio_gateway.rest.streams import OpenStreams

CLIENT_FRAME_BYTES = 64 * 1024
KEEP_ALIVE_S = 30


class PortTaken(SciStudioError):
    """Nothing can listen there."""

    kind, code = Kind.CONFLICT, "port.unusable"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"The gateway cannot listen on {address}: {reason}.",
            subject=address,
            hint="Stop what listens there, or choose another port; port 0 takes a free one.",
        )


class PublicServer:
    """A part: listens on a socket that was handed in, or makes one; ends open streams before it stops.

    Parameters
    ----------
    app : ASGI application
    address : str
        ``HOST:PORT``, used where no socket is given.
    sock : socket, optional
        Already listens.
    streams : OpenStreams
        Told when the server stops.
    """

    def __init__(self, app: ASGIApp, address: str, sock: socket.socket | None, streams: OpenStreams) -> None:
        self._app, self._address, self._sock, self._streams = app, address, sock, streams
        self._server: HttpServer | None = None

    @property
    def port(self) -> int:
        """The port that is listened on."""
        assert self._sock is not None, "the server has not been started"
        port: int = self._sock.getsockname()[1]
        return port

    async def start(self) -> None:
        """Listen."""
        self._streams.closing = asyncio.Event()
        if self._sock is None:
            try:
                self._sock = listening_socket(self._address)
            except OSError as error:
                raise PortTaken(self._address, error.strerror or str(error)) from error
        self._server = HttpServer(
            self._app,
            self._sock,
            ws="websockets-sansio",
            ws_max_size=CLIENT_FRAME_BYTES,
            ws_per_message_deflate=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            server_header=False,
        )
        await self._server.start()

    async def stop(self) -> None:
        """End open streams, finish what is being answered, then stop."""
        self._streams.closing.set()
        if self._server is not None:
            await self._server.stop()
