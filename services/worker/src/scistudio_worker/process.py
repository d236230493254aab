"""The conversation with one child: its request, its messages, what it prints, and the end of all its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any, Protocol

from scistudio.worker import protocol
from scistudio.worker.protocol import ProtocolError
from scistudio_platform.service import BackgroundTasks

from scistudio_worker import trees
from scistudio_worker.child import ForkCommand
from scistudio_worker.children import Child, Children
from scistudio_worker.forker import Exit
from scistudio_worker.frames import Frames
from scistudio_worker.groups import Group

READ_BYTES = 1 << 16
# A block that prints faster waits: reading on would cost this process a whole CPU, and every other execution its time.
WINDOW_S = 0.1
WINDOW_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Ended:
    """What is known of a child after its whole tree has ended."""

    status: int | None
    refused: str = ""
    cpu_time_s: float = 0.0
    peak_memory_bytes: int = 0
    n_killed_for_memory: int = 0
    all_gone: bool = True

    @property
    def was_killed(self) -> bool:
        """Whether it ended by SIGKILL, or with the warm parent."""
        return self.status is None or (os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL)


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
    """A child process and all that it starts.

    Parameters
    ----------
    command : ForkCommand
        How to make it.
    memory_bytes : int
        Limit on the memory of all its processes; 0 for none.
    """

    def __init__(
        self, children: Children, tasks: BackgroundTasks, listener: Listener, command: ForkCommand, *, memory_bytes: int = 0
    ) -> None:
        self._children, self._tasks, self._listener = children, tasks, listener
        self._command, self._memory_bytes = command, memory_bytes
        self._frames = Frames()
        self._child: Child | None = None
        self._is_unwanted = False
        self._has_heard = False
        self._n_in_window = 0
        self._window_timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """Its pid, while it runs."""
        return self._child.pid if self._child is not None else None

    @property
    def group(self) -> Group | None:
        """Its group, while it runs."""
        return self._child.group if self._child is not None else None

    async def run(self, request: dict[str, Any]) -> Ended:
        """Start the child with ``request`` and return when nothing of it lives. Raises StartFailed without a warm parent.

        A child that was killed while it waited for its request has begun nothing: another one gets it.
        """
        data = protocol.encode(request)
        ended = await self._run(data)
        is_untouched = not self._has_heard and not self._is_unwanted and not ended.refused
        return await self._run(data) if is_untouched and ended.was_killed else ended

    async def _run(self, data: bytes) -> Ended:
        child = await self._children.get(self._command, memory_bytes=self._memory_bytes)
        if self._is_unwanted:
            child.discard()
            return Ended(signal.SIGKILL)
        self._child = child
        try:
            self._begin(child, data)
            exit_ = await child.exit
            all_gone = await trees.end(child.group.tree)
            self._read_rest(child)
            return _ended(child, exit_, all_gone)
        finally:
            self._stop_listening(child)
            child.close()

    def _begin(self, child: Child, request: bytes) -> None:
        loop = asyncio.get_running_loop()
        child.on_forked = self._listener.started
        if child.pid is not None:
            self._listener.started(child.pid)
        loop.add_reader(child.socket, self._read_messages, child)
        for fd in child.pipes:
            loop.add_reader(fd, self._read_output, fd)
        self._send(request)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the child, if it still listens."""
        self._send(protocol.encode(message))

    def _send(self, data: bytes) -> None:
        if self._child is None:
            return
        with contextlib.suppress(OSError):  # it has ended: its exit says so
            try:
                n_sent = self._child.socket.send(data)
            except BlockingIOError:
                n_sent = 0
            if n_sent < len(data):
                self._tasks.spawn(_send_rest(self._child.socket, data[n_sent:]), name="send to a child")

    def terminate(self) -> None:
        """Ask the child's whole session to end; one that has not started never will."""
        self._is_unwanted = True
        if self._child is not None:
            self.send({"type": "cancel"})
            self._child.terminate()

    def kill(self) -> None:
        """End all its processes now; ``run`` returns when they are gone."""
        self._is_unwanted = True
        if self._child is not None:
            self._child.kill()
            self._tasks.spawn(trees.end(self._child.group.tree), name="end a tree")

    def _read_messages(self, child: Child) -> None:
        if self._read_socket(child) == 0:
            asyncio.get_running_loop().remove_reader(child.socket)  # closed by the child; its exit follows

    def _read_socket(self, child: Child) -> int | None:
        """Read once; returns the number of bytes, None when there is nothing now."""
        try:
            data = child.socket.recv(READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        try:
            for message in self._frames.feed(data):
                self._has_heard = True
                self._listener.message(message)
        except ProtocolError as error:
            self._listener.malformed(error)
            return 0
        self._children.stock()  # this one is busy with its own work now
        return len(data)

    def _read_output(self, fd: int) -> int | None:
        try:
            data = os.read(fd, READ_BYTES)
        except BlockingIOError:
            return None
        loop = asyncio.get_running_loop()
        if data and self._child is not None:
            self._listener.printed(self._child.pipes[fd], data)
            self._n_in_window += len(data)
        if not data or self._n_in_window > WINDOW_BYTES:
            loop.remove_reader(fd)
        if self._n_in_window > WINDOW_BYTES and self._window_timer is None:
            self._window_timer = loop.call_later(WINDOW_S, self._next_window)
        return len(data)

    def _next_window(self) -> None:
        self._window_timer = None
        self._n_in_window = 0
        for fd in self._child.pipes if self._child is not None else ():
            asyncio.get_running_loop().add_reader(fd, self._read_output, fd)

    def _read_rest(self, child: Child) -> None:
        """Take what had been sent before the end."""
        while self._read_socket(child):
            pass
        for fd in child.pipes:
            while self._read_output(fd):
                pass

    def _stop_listening(self, child: Child) -> None:
        loop = asyncio.get_running_loop()
        if self._window_timer is not None:
            self._window_timer.cancel()
        for fd in (child.socket.fileno(), *child.pipes):
            loop.remove_reader(fd)
        self._child = None


async def _send_rest(to: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        await asyncio.get_running_loop().sock_sendall(to, data)


def _ended(child: Child, exit_: Exit, all_gone: bool) -> Ended:
    tree, memory = child.group.tree, child.group.memory
    return Ended(
        status=exit_.status,
        refused=child.refusal,
        cpu_time_s=max(exit_.cpu_time_s, tree.cpu_time_s() or 0.0),
        peak_memory_bytes=(memory.peak_bytes() if memory is not None else 0) or exit_.peak_memory_bytes,
        n_killed_for_memory=memory.n_killed() if memory is not None else 0,
        all_gone=all_gone,
    )
