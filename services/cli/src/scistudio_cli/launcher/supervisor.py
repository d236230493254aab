"""Children of the launcher: forked from one clean process, restarted when they die, ended together."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BACK_OFF_S = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0)
STEADY_S = 30.0  # a child that lived so long starts again from the first pause
FORBIDDEN = ("numpy", "pyarrow", "rich.live")
WATCHED = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Child:
    """One child: what it runs, and how it has fared."""

    name: str
    main: Callable[[], int]
    log: Path
    pid: int = 0
    started_at: float = 0.0
    n_failures: int = 0
    restart_at: float | None = None
    last_exit: str = ""
    shed: tuple[int, ...] = ()  # descriptors that this child has no use for


def describe_exit(status: int) -> str:
    """Return how a process ended, in words: ``exit code 1`` or ``killed by SIGKILL``."""
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def check_clean() -> None:
    """Refuse to fork from a process that a fork would break."""
    tasks = Path("/proc/self/task")
    n_threads = len(list(tasks.iterdir())) if tasks.exists() else 1
    loaded = [name for name in FORBIDDEN if name in sys.modules]
    if n_threads != 1 or loaded:
        raise RuntimeError(f"The launcher must have one thread (it has {n_threads}) and must not load {', '.join(loaded) or 'nothing'}.")


class Supervisor:
    """Forks children, tells of their ends, restarts them.

    Parameters
    ----------
    report : callable
        Told in one sentence when a child died and is restarted.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._children: dict[str, Child] = {}
        self._stopping = False
        self.signalled: int | None = None
        self._lifeline, self._lifeline_writer = os.pipe()
        self._wakeup, self._wakeup_writer = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(self._wakeup_writer, False)
        self._kept: list[int] = []
        self._old_wakeup = signal.set_wakeup_fd(self._wakeup_writer, warn_on_full_buffer=False)
        self._old_handlers = {number: signal.signal(number, self._note) for number in WATCHED}

    def _note(self, number: int, _: object) -> None:
        if number != signal.SIGCHLD:
            self.signalled = number

    @property
    def lifeline(self) -> int:
        """The read end of the pipe that closes when the launcher is gone; what children watch."""
        return self._lifeline

    def keep_from_children(self, *descriptors: int) -> None:
        """Name descriptors (locks) that a child closes first: a forked child keeps its parent's lock alive otherwise."""
        self._kept += descriptors

    def start(self, name: str, main: Callable[[], int], log: Path, *, shed: tuple[int, ...] = ()) -> None:
        """Fork a child that runs ``main`` with its output in ``log`` and closes the descriptors ``shed`` first."""
        log.unlink(missing_ok=True)
        child = self._children[name] = Child(name, main, log, shed=shed)
        self._fork(child)

    def _fork(self, child: Child) -> None:
        check_clean()
        sys.stdout.flush()
        sys.stderr.flush()
        child.restart_at, child.started_at = None, time.monotonic()
        child.pid = os.fork()
        if child.pid == 0:
            self._become(child)

    def _become(self, child: Child) -> None:
        """Run the child's main in the forked process; never returns into the launcher's frames."""
        status = 1
        try:
            os.setsid()  # Ctrl-C is the launcher's to hand on
            self._leave_to_launcher(child.shed)
            with child.log.open("ab", buffering=0) as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            status = child.main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _leave_to_launcher(self, shed: tuple[int, ...]) -> None:
        """Give up what belongs to the launcher: handlers, wake-up pipe, lifeline's write end, locks."""
        signal.set_wakeup_fd(-1)
        for number in WATCHED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for descriptor in (self._lifeline_writer, self._wakeup, self._wakeup_writer, *self._kept, *shed):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def wait(self, timeout_s: float) -> None:
        """Sleep until something happens or the time is over; reap, report and restart."""
        pauses = [child.restart_at - time.monotonic() for child in self._children.values() if child.restart_at is not None]
        timeout_s = max(0.0, min([timeout_s, *pauses]))
        select.select([self._wakeup], [], [], timeout_s)
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup, 4096)
        for child in self._children.values():
            self._reap(child)
            if not self._stopping and child.restart_at is not None and child.restart_at <= time.monotonic():
                self._fork(child)

    def _reap(self, child: Child) -> None:
        if not child.pid:
            return
        pid, status = os.waitpid(child.pid, os.WNOHANG)
        if not pid:
            return
        child.pid, child.last_exit = 0, describe_exit(status)
        if self._stopping:
            return
        if time.monotonic() - child.started_at > STEADY_S:
            child.n_failures = 0
        pause = BACK_OFF_S[min(child.n_failures, len(BACK_OFF_S) - 1)]
        child.n_failures += 1
        child.restart_at = time.monotonic() + pause
        self._report(f"{child.name} died ({child.last_exit}); it is restarted{f' in {pause:g} s' if pause else ''}.")

    def failing(self, n_failures: int) -> Child | None:
        """Return a child that has died at least so many times in a row."""
        return next((child for child in self._children.values() if child.n_failures >= n_failures), None)

    def pid_of(self, name: str) -> int:
        """Return the process id of a child, 0 while it is down."""
        return self._children[name].pid

    def stop(self, names: list[str], *, grace_s: float) -> None:
        """End the named children together: SIGTERM, and SIGKILL to the session of what is left after ``grace_s``."""
        self._stopping = True
        living = [child for name in names if (child := self._children.get(name)) is not None and child.pid]
        for child in living:
            os.kill(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        while any(child.pid for child in living) and time.monotonic() < deadline:
            self.wait(deadline - time.monotonic())
        for child in living:
            if child.pid:
                os.killpg(child.pid, signal.SIGKILL)
                os.waitpid(child.pid, 0)
                child.pid = 0

    def close(self) -> None:
        """Give signals and pipes back."""
        signal.set_wakeup_fd(self._old_wakeup)
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        for descriptor in (self._lifeline, self._lifeline_writer, self._wakeup, self._wakeup_writer):
            os.close(descriptor)
