"""Messages of the worker's protocol out of pieces of bytes, for sockets that do not block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scistudio.worker import protocol


class Frames:
    """Collects bytes and gives whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Give the messages that ``data`` completes. Raises ProtocolError at what is none."""
        self._buffer += data
        while len(self._buffer) >= protocol.HEADER_BYTES:
            end = protocol.HEADER_BYTES + protocol.body_size(bytes(self._buffer[: protocol.HEADER_BYTES]))
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[protocol.HEADER_BYTES : end])
            del self._buffer[:end]
            yield protocol.decode(body)
