"""How many blocks of all runs may be in the runner's hands at once."""

from __future__ import annotations

from collections.abc import Callable


class Slots:
    """A counted budget. Who gets none is called when one is free again, in the order of asking."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: dict[Callable[[], None], None] = {}

    def take(self, call_when_free: Callable[[], None]) -> bool:
        """Take a slot if there is one; else ``call_when_free`` is called once, later."""
        if self._free > 0:
            self._free -= 1
            return True
        self._waiting[call_when_free] = None
        return False

    def claim(self) -> None:
        """Take a slot for what runs already, even beyond the limit."""
        self._free -= 1

    def release(self) -> None:
        """Give a slot back and let those who wait for one ask again."""
        self._free += 1
        if self._free > 0:
            waiting, self._waiting = self._waiting, {}
            for call in waiting:
                call()
