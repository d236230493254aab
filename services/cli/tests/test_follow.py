"""Following a run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from scistudio_cli.runs.follow import Follower
from scistudio_cli.runs.model import LogLineView, ProblemView, RunSnapshot
from scistudio_cli.runs.view import JsonView
from scistudio_platform.errors import Kind, RemoteError

RUN = RunSnapshot("r1", "two", "completed")


class Flooded:
    """A backend whose logs take too long to read."""

    async def validate(self, workflow: str) -> list[ProblemView]:
        return []

    async def start(self, workflow: str) -> RunSnapshot:
        return RUN

    async def snapshot(self, run_id: str) -> RunSnapshot:
        return RUN

    async def cancel(self, run_id: str, reason: str) -> None:
        pass

    async def changes(self, run_id: str) -> AsyncIterator[None]:
        yield

    async def log_lines(self, run_id: str) -> AsyncIterator[LogLineView]:
        yield LogLineView("a", 1, "a line")

    async def log_page(self, run_id: str) -> list[LogLineView]:
        raise RemoteError(Kind.TIMEOUT, "rpc.timeout", "The runner service did not answer in time.")

    async def objects(self, run_id: str, node: str, port: str) -> list[dict[str, Any]]:
        return []


async def test_logs_that_cannot_be_read_in_time_do_not_change_how_a_run_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert await Follower(Flooded(), JsonView(), RUN).to_the_end() == RUN
    assert ".scistudio/logs/r1" in capsys.readouterr().out
