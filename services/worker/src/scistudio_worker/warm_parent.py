"""The warm parent: a process that has imported what blocks need once, and forks a child for each execution.

It is executed, never forked, and stays single-threaded: a child of a process with threads inherits locks that nobody releases.
So there is no event loop, no gRPC and no logging library here; it says what happens over its control socket.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import signal
import socket
import sys
import sysconfig
from typing import Any

from scistudio.worker import preload, protocol

from scistudio_worker import child, last_words, linux
from scistudio_worker.child import ForkCommand

MAX_FDS = 3


class WarmParent:
    """Reads commands, forks, reaps and reports, in one blocking loop.

    Parameters
    ----------
    control : socket.socket
        A connected stream socket to the worker host.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, ForkCommand] = {}
        self._alone = True
        self._wakeup, self._wakeup_write = socket.socketpair()

    def serve(self) -> None:
        """Work until the host closes the control socket, or ends; then end what still runs."""
        for end in (self._wakeup, self._wakeup_write):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._wakeup_write.fileno(), warn_on_full_buffer=False)
        try:
            self._report(event="ready", watch=[sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
            while self._serve_once():
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            self._end_children()

    def _serve_once(self) -> bool:
        readable, _, _ = select.select([self._control, self._wakeup], [], [])
        if self._wakeup in readable:
            self._drain_wakeup()
            self._reap()
        return self._control not in readable or self._obey()

    def _end_children(self) -> None:
        """End each child with its group: nobody else is left to do it. A reaper hears of our end by itself."""
        for pid, command in self._children.items():
            last_words.end_group(pid, command.groups)

    def _drain_wakeup(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wakeup.recv(4096):
                pass

    def _obey(self) -> bool:
        command, fds = receive_with_fds(self._control)
        if command is None:
            return False
        if command["op"] == "fork":
            self._fork(ForkCommand(**command["child"]), fds)
        elif command["op"] == "signal":
            self._signal(command["id"], command["signal"], group=command["group"])
        return True

    def _fork(self, command: ForkCommand, fds: list[int]) -> None:
        self._check_alone()
        parent_pid = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._close(fds)
            self._report(event="refused", id=command.id, message=str(error))
            return
        if pid == 0:
            for inherited in (self._control, self._wakeup, self._wakeup_write):
                inherited.detach()
            child.begin(command, fds, parent_pid)
        self._close(fds)
        self._children[pid] = command
        self._report(event="forked", id=command.id, pid=pid)

    def _check_alone(self) -> None:
        alone = linux.n_threads() == 1
        if self._alone and not alone:
            self._report(event="threads", count=linux.n_threads())
        self._alone = alone

    def _signal(self, execution_id: str, number: int, *, group: bool) -> None:
        """Signal a child that is not reaped yet: its pid cannot have passed to another process."""
        pid = next((pid for pid, command in self._children.items() if command.id == execution_id), None)
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            try:
                (os.killpg if group else os.kill)(pid, number)
            except ProcessLookupError:  # just forked, and not yet in its own session
                os.kill(pid, number)

    def _reap(self) -> None:
        while self._children:
            pid, status, usage = os.wait3(os.WNOHANG)
            if pid == 0:
                return
            if (command := self._children.pop(pid, None)) is not None:
                unit = 1024 if linux.IS_LINUX else 1
                self._report(
                    event="exited",
                    id=command.id,
                    status=status,
                    cpu_time_s=usage.ru_utime + usage.ru_stime,
                    peak_memory_bytes=usage.ru_maxrss * unit,
                )

    def _report(self, **event: Any) -> None:
        protocol.send(self._control, event)

    @staticmethod
    def _close(fds: list[int]) -> None:
        for fd in fds:
            os.close(fd)


def receive_with_fds(sock: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Wait for one message and the descriptors that came with its first byte; None at the end."""
    header, fds, _, _ = socket.recv_fds(sock, protocol.HEADER_BYTES, MAX_FDS)
    header += _receive_exactly(sock, protocol.HEADER_BYTES - len(header)) if header else b""
    return (protocol.decode(_receive_exactly(sock, protocol.body_size(header))), list(fds)) if header else (None, [])


def _receive_exactly(sock: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        received += (piece := sock.recv(size - len(received)))
        if not piece:
            raise ConnectionResetError
    return received


def be_a_good_ancestor() -> None:
    """Set here, once, what every child would set: no blocked signals, and no core files of gigabytes."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def main(arguments: list[str]) -> int:
    """Serve on the control socket whose descriptor is given."""
    control = socket.socket(fileno=int(arguments[0]))
    be_a_good_ancestor()
    preload()
    gc.collect()
    gc.freeze()  # a collection in a child would copy the pages of everything that was imported here
    WarmParent(control).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
