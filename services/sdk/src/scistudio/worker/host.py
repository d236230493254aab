"""The child's end of the socket to its worker host."""

from __future__ import annotations

import select
import socket
import threading
import time
from typing import Any

from scistudio.worker import protocol

# A block may report as often as it likes; the host hears of it this often.
PROGRESS_INTERVAL_S = 0.05


class Host:
    """Sends what happens, and looks for the word to stop."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._sending, self._receiving = threading.Lock(), threading.Lock()
        self._is_cancelled = False
        self._was_asked = False
        self._sent_at = 0.0
        self._pending: dict[str, Any] | None = None

    def send(self, message: dict[str, Any]) -> None:
        """Send one message; blocks may report from several threads."""
        data = protocol.encode(message)
        with self._sending:
            self._socket.sendall(data)

    def report(self, fraction: float | None, message: str) -> None:
        """Report progress, unless that was done a moment ago: then the newest is kept for the next occasion."""
        self._pending = {"type": "progress", "fraction": fraction, "message": message}
        self._send_pending()

    def is_cancelled(self) -> bool:
        """Tell whether the host said to stop, or is gone."""
        self._send_pending()
        with self._receiving:
            if not self._is_cancelled and select.select([self._socket], [], [], 0)[0]:
                message = protocol.receive(self._socket)
                self._is_cancelled = message is None or message.get("type") == "cancel"
        self._was_asked = self._is_cancelled
        return self._is_cancelled

    @property
    def block_knows(self) -> bool:
        """Whether the block was told that it is to stop: what it returned then is incomplete."""
        return self._was_asked

    def _send_pending(self) -> None:
        now = time.monotonic()
        if self._pending is not None and now - self._sent_at >= PROGRESS_INTERVAL_S:
            message, self._pending, self._sent_at = self._pending, None, now
            try:
                self.send(message)
            except OSError:
                self._is_cancelled = True  # nobody is there any more
