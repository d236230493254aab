"""Limits that no kernel keeps here: the tree's CPU time, and its memory where there is no controller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_worker.outcome import Stop
from scistudio_worker.process import Process

LOOK_S = 0.2


class LimitWatch:
    """Looks at a running process from time to time, only when there is a limit to look after.

    Parameters
    ----------
    limits : pb.Limits
        Of the execution.
    end : callable
        Called with the reason when a limit is passed.
    """

    def __init__(self, process: Process, limits: pb.Limits, end: Callable[[Stop], None]) -> None:
        self._process, self._limits, self._end = process, limits, end
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        if self._limits.memory_gb or self._limits.cpu_time_s:
            self._look_later()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)

    def _look(self) -> None:
        group, pid = self._process.group, self._process.pid
        if group is not None and pid is not None:
            cpu_limit_s = self._limits.cpu_time_s
            if cpu_limit_s and (group.tree.cpu_time_s() or 0.0) > cpu_limit_s:
                self._end(Stop.CPU_TIME)
            if group.memory is not None and group.memory.is_polled and group.memory.used_bytes(pid) > self._limits.memory_gb * 2**30:
                self._end(Stop.MEMORY)
        self._look_later()
