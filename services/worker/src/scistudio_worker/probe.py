"""A probe: a child that reads which blocks and types there are, so that no service imports a block's code."""

from __future__ import annotations

import asyncio
from typing import Any

from scistudio.worker.protocol import ProtocolError

from scistudio_worker.child import ForkCommand
from scistudio_worker.errors import ProbeFailed
from scistudio_worker.outcome import clean, how_it_ended
from scistudio_worker.process import Listener, ProcessMaker

TIMEOUT_S = 60.0
SAID_BYTES = 2000


class Probe(Listener):
    """One look at a project's catalog.

    Parameters
    ----------
    probe_id : str
        Names the child.
    project_dir : str
        Whose drop-in blocks are read beside the installed ones.
    """

    def __init__(self, probe_id: str, project_dir: str, make_process: ProcessMaker) -> None:
        self._project_dir = project_dir
        self._process = make_process(self, ForkCommand(id=probe_id))
        self._answer: dict[str, Any] | None = None
        self._said = b""
        self._doing = ""
        self._timed_out = False

    async def run(self) -> dict[str, Any]:
        """Return ``{"blocks": [...], "types": [...], "failures": [...]}``. Raises ProbeFailed."""
        timer = asyncio.get_running_loop().call_later(TIMEOUT_S, self._time_out)
        try:
            ended = await self._process.run({"kind": "probe", "project_dir": self._project_dir})
        finally:
            timer.cancel()
        match self._answer:
            case {"type": "catalog", "blocks": blocks, "types": types, "failures": failures}:
                return {"blocks": blocks, "types": types, "failures": failures}
            case {"type": "error", "message": str(message)}:
                raise ProbeFailed(clean(message) + self._while(), self._project_dir)
        reason = f"it took more than {TIMEOUT_S:.0f} s" if self._timed_out else how_it_ended(ended.status, ended.refused)
        raise ProbeFailed(f"{reason}{self._while()}. {clean(self._said.decode(errors='replace')).strip()}", self._project_dir)

    def _while(self) -> str:
        """What it did last; the files of a project are read one after the other."""
        return f" while {clean(self._doing)}" if self._doing else ""

    def _time_out(self) -> None:
        self._timed_out = True
        self._process.kill()

    def message(self, message: dict[str, Any]) -> None:
        """Take the catalog or the error."""
        if message.get("type") in ("catalog", "error"):
            self._answer = message
        elif message.get("type") == "progress":
            self._doing = str(message.get("message", ""))

    def malformed(self, error: ProtocolError) -> None:
        """Give up."""
        self._said += str(error).encode()
        self._process.kill()

    def printed(self, stream: str, data: bytes) -> None:
        """Keep the last of it, for the error."""
        self._said = (self._said + data)[-SAID_BYTES:]
