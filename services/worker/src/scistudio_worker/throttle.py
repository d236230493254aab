"""At once when it has been quiet, and at most once an interval when it has not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Throttle:
    """Calls ``action`` after ``ask``: in this turn of the loop when the last call is long ago, else when the interval is over.

    Parameters
    ----------
    interval_s : float
        The least time between two calls.
    """

    def __init__(self, interval_s: float, action: Callable[[], None]) -> None:
        self._interval_s, self._action = interval_s, action
        self._called_at = -interval_s
        self._timer: asyncio.Handle | None = None

    def ask(self) -> None:
        """There is something to do."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(loop.time(), self._called_at + self._interval_s), self._call)

    def flush(self) -> None:
        """Do now what was asked for."""
        if self._timer is not None:
            self._timer.cancel()
            self._call()

    def _call(self) -> None:
        self._timer = None
        self._called_at = asyncio.get_running_loop().time()
        self._action()
