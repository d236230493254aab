"""A limit on the memory of an execution's processes together: by cgroup v2 or v1, or else by looking again and again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import psutil

from scistudio_worker import linux


class MemoryLimit(Protocol):
    """Holds a tree of processes to a limit, or finds that it went beyond."""

    @property
    def join(self) -> list[str]:
        """Files in which the child enters itself."""

    @property
    def is_polled(self) -> bool:
        """Whether ``used_bytes`` must be compared with the limit from outside: the kernel does not enforce it."""

    def n_killed(self) -> int:
        """Processes that the kernel has ended for it."""

    def peak_bytes(self) -> int:
        """The most that was used; 0 when unknown."""

    def used_bytes(self, pid: int) -> int:
        """What the tree of ``pid`` uses now."""

    def remove(self) -> None:
        """Forget the limit. Raises OSError when the kernel still holds the group."""


class UnifiedLimit:
    """The memory controller of cgroup v2, in the group that the tree has anyway."""

    is_polled = False

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        self.join: list[str] = []
        (folder / "memory.max").write_text(str(limit_bytes))
        (folder / "memory.oom.group").write_text("1")  # half a tree is of no use
        with contextlib.suppress(OSError):  # a kernel without swap accounting
            (folder / "memory.swap.max").write_text("0")

    def n_killed(self) -> int:
        """From the group's events."""
        return _counter(self._folder / "memory.events", "oom_kill")

    def peak_bytes(self) -> int:
        """The kernel's high-water mark (Linux 5.19)."""
        return _number(self._folder / "memory.peak")

    def used_bytes(self, pid: int) -> int:
        """What the group is charged for."""
        return _number(self._folder / "memory.current")

    def remove(self) -> None:
        """Nothing: the folder is the tree's."""


class V1Limit:
    """The memory controller of cgroup v1, in a group of its own."""

    is_polled = False

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        folder.mkdir()
        self.join = [str(folder / "cgroup.procs")]
        (folder / "memory.limit_in_bytes").write_text(str(limit_bytes))
        with contextlib.suppress(OSError):  # a kernel without swap accounting
            (folder / "memory.memsw.limit_in_bytes").write_text(str(limit_bytes))

    def n_killed(self) -> int:
        """From the group's control file: its fail counter says nothing, since reclaimed file cache counts there too."""
        return _counter(self._folder / "memory.oom_control", "oom_kill")

    def peak_bytes(self) -> int:
        """The kernel's high-water mark."""
        return _number(self._folder / "memory.max_usage_in_bytes")

    def used_bytes(self, pid: int) -> int:
        """What the group is charged for."""
        return _number(self._folder / "memory.usage_in_bytes")

    def remove(self) -> None:
        """Remove the folder."""
        with contextlib.suppress(FileNotFoundError):
            self._folder.rmdir()


class PolledLimit:
    """No controller: the tree's proportional set size is added up, in which shared pages count once."""

    is_polled = True

    def __init__(self) -> None:
        self.join: list[str] = []
        self._peak_bytes = 0

    def n_killed(self) -> int:
        """The kernel ends nothing here."""
        return 0

    def peak_bytes(self) -> int:
        """The most that was seen."""
        return self._peak_bytes

    def used_bytes(self, pid: int) -> int:
        """Of ``pid`` and its descendants."""
        used = sum(_pss_bytes(member) for member in _family(pid))
        self._peak_bytes = max(self._peak_bytes, used)
        return used

    def remove(self) -> None:
        """Nothing was made."""


def _family(pid: int) -> Iterable[int]:
    try:
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    except psutil.Error:
        return []


def _pss_bytes(pid: int) -> int:
    if not linux.IS_LINUX:
        with contextlib.suppress(psutil.Error):
            return int(psutil.Process(pid).memory_info().rss)
    return 1024 * _counter(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def _counter(path: Path, name: str) -> int:
    """The number behind ``name`` in a file of lines ``name number``; 0 without it."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.split()[:1] == [name]), 0)


def _number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
