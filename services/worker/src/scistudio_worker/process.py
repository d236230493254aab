"""One child with its socket, its pipes and its group: started, listened to, ended with all that came of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from dataclasses import dataclass, replace
from typing import Any, Protocol

from scistudio.worker import protocol
from scistudio.worker.protocol import ProtocolError
from scistudio_platform.service import BackgroundTasks

from scistudio_worker import trees
from scistudio_worker.child import ForkCommand
from scistudio_worker.forker import Exit, Forker
from scistudio_worker.frames import Frames
from scistudio_worker.groups import Group, Groups

READ_BYTES = 1 << 16
# A block that prints faster waits: reading on would cost this process a whole CPU, and every other execution its time.
WINDOW_S = 0.1
WINDOW_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Ended:
    """What is known of a child after its whole tree has ended."""

    status: int | None
    refused: str
    cpu_time_s: float
    peak_memory_bytes: int
    n_killed_for_memory: int
    all_gone: bool


class Listener:
    """What a child's owner hears. Subclasses override what they need."""

    def started(self, pid: int) -> None:
        """The process runs."""

    def message(self, message: dict[str, Any]) -> None:
        """It sent a message."""

    def malformed(self, error: ProtocolError) -> None:
        """It sent something else."""

    def printed(self, stream: str, data: bytes) -> None:
        """It printed to ``stdout`` or ``stderr``."""


class ProcessMaker(Protocol):
    """Makes processes of one worker host."""

    def __call__(self, listener: Listener, command: ForkCommand, *, memory_bytes: int = 0) -> Process:
        """Make a process that is not started yet."""


class Process:
    """A child process of the warm parent.

    Parameters
    ----------
    command : ForkCommand
        How to make it; its groups are filled in here.
    memory_bytes : int
        Limit on the memory of all its processes; 0 for none.
    """

    def __init__(
        self, forker: Forker, groups: Groups, tasks: BackgroundTasks, listener: Listener, command: ForkCommand, *, memory_bytes: int = 0
    ) -> None:
        self._forker, self._groups, self._tasks, self._listener = forker, groups, tasks, listener
        self._command, self._memory_bytes = command, memory_bytes
        self._frames = Frames()
        self._socket: socket.socket | None = None
        self._pipes: dict[int, str] = {}
        self._group: Group | None = None
        self._refused = ""
        self._exited: asyncio.Future[Exit] | None = None
        self._n_in_window = 0
        self._window_timer: asyncio.TimerHandle | None = None
        self._is_unwanted = False
        self.pid: int | None = None

    async def run(self, request: dict[str, Any]) -> Ended:
        """Start the child with ``request`` and return when nothing of it lives. Raises StartFailed without a warm parent."""
        await self._forker.ready()
        if self._is_unwanted:
            return Ended(signal.SIGKILL, "", 0.0, 0, 0, all_gone=True)
        self._exited = asyncio.get_running_loop().create_future()
        self._group = self._groups.make(self._kill_all, memory_bytes=self._memory_bytes)
        try:
            self._start(self._group, protocol.encode(request))
            exit_ = await self._exited
            all_gone = await trees.end(self._group.tree)
            self._read_rest()
            return self._ended(self._group, exit_, all_gone)
        finally:
            self._close()
            self._groups.remove(self._group)

    def _start(self, group: Group, request: bytes) -> None:
        ours, theirs = socket.socketpair()
        out, out_write = os.pipe()
        err, err_write = os.pipe()
        command = replace(self._command, groups=group.join, with_reaper=group.tree.with_reaper)
        self._forker.fork(command, [theirs.fileno(), out_write, err_write], self)
        theirs.close()
        os.close(out_write)
        os.close(err_write)
        self._listen(ours, {out: "stdout", err: "stderr"})
        self._send(request)

    def _listen(self, ours: socket.socket, pipes: dict[int, str]) -> None:
        loop = asyncio.get_running_loop()
        self._socket, self._pipes = ours, pipes
        ours.setblocking(False)
        loop.add_reader(ours, self._read_messages)
        for fd in pipes:
            os.set_blocking(fd, False)
            loop.add_reader(fd, self._read_output, fd)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the child, if it still listens."""
        self._send(protocol.encode(message))

    def _send(self, data: bytes) -> None:
        if self._socket is None:
            return
        with contextlib.suppress(OSError):  # it has ended: its exit says so
            try:
                n_sent = self._socket.send(data)
            except BlockingIOError:
                n_sent = 0
            if n_sent < len(data):
                self._tasks.spawn(self._send_rest(self._socket, data[n_sent:]), name="send to a child")

    async def _send_rest(self, to: socket.socket, data: bytes) -> None:
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(to, data)

    def terminate(self) -> None:
        """Ask the child's whole session to end; one that has not started never will."""
        self._is_unwanted = True
        self.send({"type": "cancel"})
        self._forker.signal(self._command.id, signal.SIGTERM, group=not self._is_reaped_below)

    def kill(self) -> None:
        """End all its processes now; ``run`` returns when they are gone."""
        self._is_unwanted = True
        if self._group is None or self._exited is None:
            return
        if self._is_reaped_below:
            self._kill_all()
            return
        self._forker.signal(self._command.id, signal.SIGKILL, group=False)  # it may not stand in its group yet
        self._tasks.spawn(trees.end(self._group.tree), name="end a tree")

    @property
    def _is_reaped_below(self) -> bool:
        return self._group is not None and self._group.tree.with_reaper

    def _kill_all(self) -> None:
        self._forker.signal(self._command.id, signal.SIGUSR1, group=False)

    @property
    def group(self) -> Group | None:
        """Its group, while it runs."""
        return self._group

    def forked(self, pid: int) -> None:
        """Hear that it runs."""
        self.pid = pid
        self._listener.started(pid)

    def refused(self, message: str) -> None:
        """Hear that there is no such process."""
        self._refused = message
        self.exited(Exit(status=0))

    def exited(self, exit_: Exit) -> None:
        """Hear that it has ended."""
        if self._exited is not None and not self._exited.done():
            self._exited.set_result(exit_)

    def _read_messages(self) -> None:
        if self._read_socket() == 0 and self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)  # closed by the child; its exit follows

    def _read_socket(self) -> int | None:
        """Read once; returns the number of bytes, None when there is nothing now."""
        assert self._socket is not None
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        try:
            for message in self._frames.feed(data):
                self._listener.message(message)
        except ProtocolError as error:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._listener.malformed(error)
            return 0
        return len(data)

    def _read_output(self, fd: int) -> int | None:
        try:
            data = os.read(fd, READ_BYTES)
        except BlockingIOError:
            return None
        loop = asyncio.get_running_loop()
        if data:
            self._listener.printed(self._pipes[fd], data)
            self._n_in_window += len(data)
        if not data or self._n_in_window > WINDOW_BYTES:
            loop.remove_reader(fd)
        if self._n_in_window > WINDOW_BYTES and self._window_timer is None:
            self._window_timer = loop.call_later(WINDOW_S, self._next_window)
        return len(data)

    def _next_window(self) -> None:
        self._window_timer = None
        self._n_in_window = 0
        for fd in self._pipes:
            asyncio.get_running_loop().add_reader(fd, self._read_output, fd)

    def _read_rest(self) -> None:
        """Take what had been sent before the end."""
        while self._read_socket():
            pass
        for fd in self._pipes:
            while self._read_output(fd):
                pass

    def _ended(self, group: Group, exit_: Exit, all_gone: bool) -> Ended:
        n_killed = group.memory.n_killed() if group.memory is not None else 0
        peak = group.memory.peak_bytes() if group.memory is not None else 0
        return Ended(
            status=exit_.status,
            refused=self._refused,
            cpu_time_s=max(exit_.cpu_time_s, group.tree.cpu_time_s() or 0.0),
            peak_memory_bytes=peak or exit_.peak_memory_bytes,
            n_killed_for_memory=n_killed,
            all_gone=all_gone,
        )

    def _close(self) -> None:
        loop = asyncio.get_running_loop()
        if self._window_timer is not None:
            self._window_timer.cancel()
        if self._socket is not None:
            loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        for fd in self._pipes:
            loop.remove_reader(fd)
            os.close(fd)
        self._pipes = {}
