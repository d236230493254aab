"""The processes of an execution, ended as one: by cgroup v2, by cgroup v1's freezer, or by a reaper above them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from scistudio_platform.logging import get_logger

from scistudio_worker import cgroups

END_TIMEOUT_S = 30.0  # a process in an uninterruptible call of the kernel ends when that returns
logger = get_logger("worker")


class Tree(Protocol):
    """The processes of one execution."""

    @property
    def join(self) -> list[str]:
        """Files in which the child enters itself."""

    @property
    def with_reaper(self) -> bool:
        """Whether the child needs a reaper above it."""

    def pids(self) -> list[int]:
        """Processes that live."""

    def kill(self) -> None:
        """Kill what lives now; ``end`` repeats it until nothing does."""

    def cpu_time_s(self) -> float | None:
        """CPU time of all processes so far; None where nobody counts."""

    def remove(self) -> None:
        """Forget the tree, which has ended. Raises OSError when the kernel still holds it."""


class UnifiedTree:
    """A group of cgroup v2: one write ends the tree, atomically against forks."""

    with_reaper = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.join = [str(folder / "cgroup.procs")]

    def pids(self) -> list[int]:
        """Processes that live; zombies are not listed."""
        return cgroups.pids(self.folder)

    def kill(self) -> None:
        """One write; kernels before 5.14 lack the file and get signals."""
        if (self.folder / "cgroup.kill").exists():
            (self.folder / "cgroup.kill").write_text("1")
        else:
            _signal_all(self.pids())

    def cpu_time_s(self) -> float | None:
        """What the group has used, the dead included."""
        try:
            first = (self.folder / "cpu.stat").read_text().partition("\n")[0]
        except OSError:
            return None
        return int(first.split()[1]) / 1e6

    def remove(self) -> None:
        """Remove the folder."""
        with contextlib.suppress(FileNotFoundError):
            self.folder.rmdir()


class FreezerTree:
    """A group of cgroup v1's freezer: frozen first, so that nothing forks away from under the signals."""

    with_reaper = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.join = [str(folder / "cgroup.procs")]

    def pids(self) -> list[int]:
        """Processes that live."""
        return cgroups.pids(self.folder)

    def kill(self) -> None:
        """Freeze, signal, thaw: a signal takes effect when its process thaws."""
        state = self.folder / "freezer.state"
        with contextlib.suppress(FileNotFoundError):
            state.write_text("FROZEN")
            _signal_all(self.pids())
            state.write_text("THAWED")

    def cpu_time_s(self) -> float | None:
        """Nobody counts."""
        return None

    def remove(self) -> None:
        """Remove the folder."""
        with contextlib.suppress(FileNotFoundError):
            self.folder.rmdir()


class ReaperTree:
    """No control groups: a reaper above the child finds and ends its descendants.

    Parameters
    ----------
    kill_all : callable
        Tells the reaper to end everything, and itself.
    """

    with_reaper = True

    def __init__(self, kill_all: Callable[[], None]) -> None:
        self._kill_all = kill_all
        self.join: list[str] = []

    def pids(self) -> list[int]:
        """Nothing is known from outside: when the reaper has ended, so have all others."""
        return []

    def kill(self) -> None:
        """Ask the reaper."""
        self._kill_all()

    def cpu_time_s(self) -> float | None:
        """Nobody counts."""
        return None

    def remove(self) -> None:
        """Nothing was made."""


def _signal_all(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def end(tree: Tree) -> bool:
    """Kill until nothing lives; False when something would not end in time."""
    pause_s, waited_s = 0.001, 0.0
    while pids := tree.pids():
        if waited_s > END_TIMEOUT_S:
            logger.error("processes do not end", pids=pids)
            return False
        tree.kill()
        await asyncio.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(2 * pause_s, 0.1)
    return True
