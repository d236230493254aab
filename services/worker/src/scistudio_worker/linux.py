"""What the kernel offers for looking after processes, and Python's standard library does not; elsewhere than on Linux, what comes near."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

IS_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if IS_LINUX and _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def die_with_parent(signal_number: int, parent_pid: int) -> bool:
    """Have the kernel send us ``signal_number`` when the parent ends; False: it has ended already."""
    _prctl(_PR_SET_PDEATHSIG, signal_number)
    return os.getppid() == parent_pid


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (a subreaper)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def n_threads() -> int:
    """Threads of this process, counted by the kernel: native libraries' threads are unknown to ``threading``."""
    return os.stat("/proc/self/task").st_nlink - 2 if IS_LINUX else 1  # noqa: PTH116  # one call before each fork


def start_time(pid: int) -> str:
    """When a process began, in clock ticks since the boot: tells it from a later one with the same pid. Empty: it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def children() -> list[int]:
    """Pids of this process's children, as the kernel knows them."""
    if not IS_LINUX:
        import psutil

        return [child.pid for child in psutil.Process().children()]
    me, found = str(os.getpid()), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == me:
                found.append(int(entry.name))
    return found
