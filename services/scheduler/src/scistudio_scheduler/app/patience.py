"""How long to try, and how long to pause in between."""

from __future__ import annotations

import asyncio
import time

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0


class Patience:
    """Counts how long something has been going wrong. Pauses double up to ``longest_s``."""

    def __init__(self, limit_s: float, *, longest_s: float = LONGEST_PAUSE_S) -> None:
        self._limit_s, self._longest_s = limit_s, longest_s
        self._since: float | None = None
        self._pause_s = FIRST_PAUSE_S

    def good(self) -> None:
        """It goes well again."""
        self._since, self._pause_s = None, FIRST_PAUSE_S

    def is_over(self) -> bool:
        """Note that it goes wrong; True when it has for too long."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        return now - self._since >= self._limit_s

    async def pause(self) -> None:
        """Wait, a little longer each time."""
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(2 * self._pause_s, self._longest_s)
