"""How a worker host and a block's process talk: JSON objects, each behind its length, over a Unix socket pair."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

# Larger answers are a fault of ours: payloads lie in storage, and large Collections travel as a stored manifest.
MAX_FRAME_BYTES = 64 * 1024 * 1024
_LENGTH = struct.Struct(">I")
HEADER_BYTES = _LENGTH.size


class ProtocolError(Exception):
    """What came is no message of this protocol: too long, cut off, or no JSON object."""


def encode(message: dict[str, Any]) -> bytes:
    """Return the bytes of one message. NaN and infinities are refused: the other side may not be Python."""
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A path that is no Unicode carries lone surrogates: written as JSON escapes, they arrive as they were.
    body = text.encode(errors="backslashreplace")
    if len(body) > MAX_FRAME_BYTES:
        raise ProtocolError(f"A message of {len(body)} bytes is longer than the {MAX_FRAME_BYTES} that are allowed.")
    return _LENGTH.pack(len(body)) + body


def decode(body: bytes) -> dict[str, Any]:
    """Return the message in ``body``, the bytes behind a length."""
    try:
        message = json.loads(body)
    except ValueError as error:
        raise ProtocolError(f"A message is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolError(f"A message must be an object, got {type(message).__name__}.")
    return message


def body_size(header: bytes) -> int:
    """Return the length that the first four bytes of a message announce."""
    (size,) = _LENGTH.unpack(header)
    if size > MAX_FRAME_BYTES:
        raise ProtocolError(f"A message of {size} bytes is longer than the {MAX_FRAME_BYTES} that are allowed.")
    return int(size)


def send(sock: socket.socket, message: dict[str, Any]) -> None:
    """Send one message, waiting until the other side has room."""
    sock.sendall(encode(message))


def receive(sock: socket.socket) -> dict[str, Any] | None:
    """Wait for one message; ``None`` when the other side has closed."""
    header = _read(sock, HEADER_BYTES, may_end=True)
    return None if header is None else decode(_read(sock, body_size(header)) or b"")


def _read(sock: socket.socket, size: int, *, may_end: bool = False) -> bytes | None:
    """Read exactly ``size`` bytes. The end is only acceptable before the first one of a message."""
    received = bytearray()
    while len(received) < size:
        piece = sock.recv(size - len(received))
        if not piece:
            if may_end and not received:
                return None
            raise ProtocolError("The other side closed in the middle of a message.")
        received += piece
    return bytes(received)
