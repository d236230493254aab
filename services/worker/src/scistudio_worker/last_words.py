"""What the warm parent does when its host is gone: ends each child with its group, in a few plain calls of the kernel."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

TRIES = 200
PAUSE_S = 0.01


def end_group(pid: int, members: list[str]) -> None:
    """Kill a child and what stands in its groups, and remove the groups.

    Parameters
    ----------
    pid : int
        A child that is not reaped.
    members : list of str
        The groups' ``cgroup.procs`` files.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for path in map(Path, members):
        for _ in range(TRIES):
            if not _kill_members(path):
                break
            time.sleep(PAUSE_S)
        with contextlib.suppress(OSError):
            path.parent.rmdir()
        with contextlib.suppress(OSError):
            path.parent.parent.rmdir()  # the host's own, when this was the last


def _kill_members(path: Path) -> bool:
    """Kill once; False when nobody is left. A group of cgroup v2 is killed at once, others member by member."""
    try:
        pids = path.read_text().split()
        if pids and (path.parent / "cgroup.kill").exists():
            (path.parent / "cgroup.kill").write_text("1")
    except OSError:
        return False
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:  # a zombie still counts as a member in cgroup v1
            pass
    return bool(pids)
