"""From the fork to the block's code: a session of its own, clean descriptors and signals, its groups, its limits."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
import traceback
from dataclasses import dataclass, field
from typing import NoReturn

from scistudio.worker import protocol
from scistudio.worker.child import run_child

from scistudio_worker import linux, reaper

SOCKET_FD = 3
START_FAILED = 70  # of <sysexits.h>: an internal fault, before the block's code
OOM_SCORE = b"500"  # when memory runs out, the kernel ends a block before a service


@dataclass(frozen=True, slots=True)
class ForkCommand:
    """What the host asks of the warm parent.

    Attributes
    ----------
    groups : list of str
        ``cgroup.procs`` files in which the child enters itself.
    cpu_limit_s : int
        CPU time of one process; 0 for none.
    fresh : bool
        Start a new interpreter, for code that cannot live in a forked one.
    with_reaper : bool
        Put a process in between that can end all descendants, where there are no groups.
    """

    id: str
    groups: list[str] = field(default_factory=list)
    cpu_limit_s: int = 0
    fresh: bool = False
    with_reaper: bool = False


def begin(command: ForkCommand, fds: list[int], parent_pid: int) -> NoReturn:
    """Become the child that ``command`` describes and end with it; never returns to the warm parent's stack."""
    code = START_FAILED
    try:
        if _prepare(command, fds, parent_pid):
            if command.fresh:
                _become_fresh()
            code = run(SOCKET_FD)
    except SystemExit as request:
        code = _exit_code(request)
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _prepare(command: ForkCommand, fds: list[int], parent_pid: int) -> bool:
    """Cut every tie with the warm parent; False when it has ended meanwhile."""
    os.setsid()
    alive = linux.die_with_parent(signal.SIGUSR1 if command.with_reaper else signal.SIGKILL, parent_pid)
    _take_descriptors(fds)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for path in command.groups:
        _write(path, b"0")
    with contextlib.suppress(OSError):  # containers may refuse it
        _write("/proc/self/oom_score_adj", OOM_SCORE)
    if command.cpu_limit_s:
        resource.setrlimit(resource.RLIMIT_CPU, (command.cpu_limit_s, command.cpu_limit_s + 5))
    if command.with_reaper and alive:
        reaper.fork_beneath_reaper()
    return alive


def _take_descriptors(fds: list[int]) -> None:
    """Standard input is empty, output goes to the host's pipes, the socket is descriptor 3, and nothing else is open."""
    sock, stdout, stderr = fds
    safe = [os.dup(fd) for fd in (os.open(os.devnull, os.O_RDONLY), stdout, stderr, sock)]
    for target, fd in enumerate(safe):
        os.dup2(fd, target, inheritable=target < SOCKET_FD)
    os.closerange(SOCKET_FD + 1, os.sysconf("SC_OPEN_MAX"))


def _write(path: str, data: bytes) -> None:
    """Write in three calls of the kernel: each page of the parent's objects that a child touches is copied for it."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def _become_fresh() -> None:
    os.set_inheritable(SOCKET_FD, True)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "scistudio_worker.child"])  # noqa: S606


def run(fd: int) -> int:
    """Read the request from the socket and let the SDK run it; returns the exit code."""
    sock = socket.socket(fileno=fd)
    request = protocol.receive(sock)
    if request is None:  # the host has changed its mind, or is gone
        return START_FAILED
    return run_child(sock, request)


def _exit_code(request: SystemExit) -> int:
    """Return what a shell would see of ``sys.exit(…)``."""
    if request.code is None or isinstance(request.code, int):
        return (request.code or 0) & 0xFF
    print(request.code, file=sys.stderr)  # noqa: T201  # as the interpreter does
    return 1


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def main() -> NoReturn:
    """Run the request as a fresh interpreter; everything else was prepared before the exec."""
    code = START_FAILED
    try:
        code = run(SOCKET_FD)
    except SystemExit as request:
        code = _exit_code(request)
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


if __name__ == "__main__":
    main()
