"""The host's side of the warm parent: starts it, hands it commands, and says what became of each child."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from scistudio.worker import protocol
from scistudio_platform.logging import get_logger

from scistudio_worker.child import ForkCommand
from scistudio_worker.errors import StartFailed
from scistudio_worker.frames import Frames

START_TIMEOUT_S = 60.0  # a cold disk; measured 0.3 to 0.5 s
LAST_LINES_BYTES = 2000
logger = get_logger("worker")


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended. ``status`` is its wait status, None when the warm parent was lost and nobody knows."""

    status: int | None
    cpu_time_s: float = 0.0
    peak_memory_bytes: int = 0


class ChildListener(Protocol):
    """Hears what becomes of one child."""

    def forked(self, pid: int) -> None:
        """It runs."""

    def refused(self, message: str) -> None:
        """The system would not make another process."""

    def exited(self, exit_: Exit) -> None:
        """It has ended."""


class Forker:
    """Owns the warm parent.

    Parameters
    ----------
    environment : mapping
        The whole environment of the warm parent and of the children.
    python : str
        The interpreter of the worker environment.
    """

    def __init__(self, environment: Mapping[str, str], *, python: str = sys.executable) -> None:
        self._environment, self._python = dict(environment), python
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._frames = Frames()
        self._output_fd = -1
        self._last_output = b""
        self._ready: asyncio.Future[None] | None = None
        self._listeners: dict[str, ChildListener] = {}
        self._watched: list[tuple[str, int]] = []

    async def ready(self) -> None:
        """Wait for the warm parent, starting it when there is none or when its environment has changed.

        Raises StartFailed when it does not come up.
        """
        if not self._listeners and not self._is_fresh:
            logger.info("the worker environment has changed: starting a new warm parent")
            self._kill()
        ready = self._ready or self._launch()
        try:
            await asyncio.wait_for(asyncio.shield(ready), START_TIMEOUT_S)
        except TimeoutError:
            self._kill()
            raise StartFailed(f"it was not ready within {START_TIMEOUT_S:.0f} s", self._last_lines()) from None

    @property
    def pid(self) -> int | None:
        """The warm parent's pid, while there is one."""
        return self._process.pid if self._process is not None else None

    @property
    def is_current(self) -> bool:
        """Whether the warm parent is up, with the environment as it is now."""
        return self._control is not None and self._ready is not None and self._ready.done() and self._is_fresh

    @property
    def _is_fresh(self) -> bool:
        return self._watched == self._look()

    def watch(self, folders: Sequence[str]) -> None:
        """Start anew when something is added to ``folders`` or removed from them: modules that are imported already would stay."""
        self._watched = [(folder, 0) for folder in folders]
        self._watched = self._look()

    def _look(self) -> list[tuple[str, int]]:
        return [(path, os.stat(path).st_mtime_ns) for path, _ in self._watched if os.path.isdir(path)]  # noqa: PTH112,PTH116

    def _launch(self) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        self._ready = ready = loop.create_future()
        ready.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be waiting
        self._frames, self._last_output = Frames(), b""
        ours, theirs = socket.socketpair()
        self._output_fd, output_write = os.pipe()
        arguments = [self._python, "-P", "-m", "scistudio_worker.warm_parent", str(theirs.fileno())]
        try:
            self._process = subprocess.Popen(
                arguments,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output_write,
                stderr=output_write,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            ready.set_exception(StartFailed(f"{self._python} does not run ({error.strerror})"))
            self._ready = None
            ours.close()
            os.close(self._output_fd)
            return ready
        finally:
            theirs.close()
            os.close(output_write)
        ours.setblocking(False)
        os.set_blocking(self._output_fd, False)
        self._control = ours
        loop.add_reader(ours, self._read_control)
        loop.add_reader(self._output_fd, self._read_output)
        return ready

    def fork(self, command: ForkCommand, fds: Sequence[int], listener: ChildListener) -> None:
        """Ask for a child that gets ``fds``: its socket, standard output and standard error."""
        if self._control is None:
            listener.exited(Exit(status=None))
            return
        self._listeners[command.id] = listener
        message = protocol.encode({"op": "fork", "child": asdict(command)})
        try:
            socket.send_fds(self._control, [message], list(fds))
        except OSError:
            self._lost()

    def forget(self, execution_id: str) -> None:
        """Report no more about a child."""
        self._listeners.pop(execution_id, None)

    def signal(self, execution_id: str, number: int, *, group: bool) -> None:
        """Signal a child or its session, if it still runs."""
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.send(protocol.encode({"op": "signal", "id": execution_id, "signal": int(number), "group": group}))

    def _read_control(self) -> None:
        assert self._control is not None
        try:
            data = self._control.recv(1 << 16)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._lost()
            return
        for event in self._frames.feed(data):
            self._handle(event)

    def _handle(self, event: dict[str, Any]) -> None:
        match event:
            case {"event": "ready", "watch": paths}:
                self.watch(paths)
                if self._ready is not None and not self._ready.done():
                    self._ready.set_result(None)
            case {"event": "threads", "count": count}:
                logger.warning("the warm parent has several threads: children of it may hang", count=count)
            case {"event": "forked", "id": execution_id, "pid": pid} if execution_id in self._listeners:
                self._listeners[execution_id].forked(pid)
            case {"event": "refused", "id": execution_id, "message": message} if execution_id in self._listeners:
                self._listeners.pop(execution_id).refused(message)
            case {"event": "exited", "id": execution_id, "status": status} if execution_id in self._listeners:
                exit_ = Exit(status, event["cpu_time_s"], event["peak_memory_bytes"])
                self._listeners.pop(execution_id).exited(exit_)

    def _read_output(self) -> None:
        try:
            data = os.read(self._output_fd, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            asyncio.get_running_loop().remove_reader(self._output_fd)
            return
        self._last_output = (self._last_output + data)[-LAST_LINES_BYTES:]
        logger.info("the warm parent said", text=data.decode(errors="replace").rstrip())

    def _last_lines(self) -> str:
        return self._last_output.decode(errors="replace").strip()

    def _lost(self) -> None:
        """The warm parent has ended; the kernel ends its children, and each listener hears that its child is lost."""
        ready, listeners = self._ready, self._listeners
        self._listeners = {}
        with contextlib.suppress(OSError):
            self._read_output()
        self._kill()
        if ready is not None and not ready.done():
            ready.set_exception(StartFailed("it ended while it started", self._last_lines()))
        elif listeners:
            logger.error("the warm parent was lost", n_children=len(listeners))
        for listener in listeners.values():
            listener.exited(Exit(status=None))

    def _kill(self) -> None:
        self._ready = None
        self._watched = []
        if self._process is None or self._control is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._control)
        loop.remove_reader(self._output_fd)
        self._control.close()
        os.close(self._output_fd)
        self._control = None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None

    async def stop(self) -> None:
        """End the warm parent. Its children, if any, end with it."""
        self._kill()
