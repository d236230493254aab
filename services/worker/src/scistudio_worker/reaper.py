"""A process between the warm parent and a block that can end the block's descendants, even those that left its session.

Used where there are no control groups. Orphans below a subreaper come back to it: what it finds among its children belongs to this block.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

from scistudio_worker import linux

TERMINATE = signal.SIGTERM
KILL_ALL = signal.SIGUSR1
PAUSE_S = 0.005
_WATCHED = {TERMINATE, KILL_ALL, signal.SIGCHLD}


def fork_beneath_reaper() -> None:
    """Fork: the child returns as the block's process, the caller becomes its reaper and ends as the block ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    linux.adopt_orphans()
    reaper_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
        if not linux.die_with_parent(signal.SIGKILL, reaper_pid):
            os._exit(0)
        return
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))  # the host sees the end of the block's output when the block ends
    _end_as(_watch(pid))


def _watch(block_pid: int) -> int:
    """Wait for the block, pass signals on, end what it left; returns its wait status."""
    while True:
        number = signal.sigwait(_WATCHED)
        if number == TERMINATE:
            os.killpg(block_pid, signal.SIGTERM)
        elif number == KILL_ALL:
            return _kill_descendants(block_pid)
        else:
            pid, status = os.waitpid(block_pid, os.WNOHANG)
            if pid:
                _kill_descendants(block_pid)
                return status


def _kill_descendants(block_pid: int) -> int:
    block_status = signal.SIGKILL.value
    while True:
        for pid in linux.children():
            os.kill(pid, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return block_status
        if pid == block_pid:
            block_status = status


def _end_as(status: int) -> NoReturn:
    """End as the block ended, so that the warm parent reports the block's status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
