"""Children of the warm parent, one of them forked ahead: the next block need not wait for the fork."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import replace

from scistudio_worker.child import ForkCommand
from scistudio_worker.forker import Exit, Forker
from scistudio_worker.groups import Group, Groups


class Child:
    """A process that waits for its request, with its group and our ends of its socket and pipes.

    Parameters
    ----------
    command : ForkCommand
        How to make it; its groups are filled in here.
    memory_bytes : int
        Limit on the memory of all its processes; 0 for none.
    """

    def __init__(self, forker: Forker, groups: Groups, command: ForkCommand, *, memory_bytes: int = 0) -> None:
        self._forker, self._groups, self._id = forker, groups, command.id
        self.exit: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self.on_forked: Callable[[int], None] | None = None
        self.pid: int | None = None
        self.refusal = ""
        self.group: Group = groups.make(self._kill_all, memory_bytes=memory_bytes)
        self.socket, theirs = socket.socketpair()
        out, out_write = os.pipe()
        err, err_write = os.pipe()
        self.pipes = {out: "stdout", err: "stderr"}
        self.socket.setblocking(False)
        for fd in self.pipes:
            os.set_blocking(fd, False)
        grouped = replace(command, groups=self.group.join, with_reaper=self.group.tree.with_reaper)
        forker.fork(grouped, [theirs.fileno(), out_write, err_write], self)
        theirs.close()
        os.close(out_write)
        os.close(err_write)

    @property
    def is_waiting(self) -> bool:
        """Whether it runs, or will in a moment, as far as we know."""
        return not self.exit.done()

    def forked(self, pid: int) -> None:
        """Hear that it runs."""
        self.pid = pid
        if self.on_forked is not None:
            self.on_forked(pid)

    def refused(self, message: str) -> None:
        """Hear that there is no such process."""
        self.refusal = message
        self.exited(Exit(status=0))

    def exited(self, exit_: Exit) -> None:
        """Hear that it has ended."""
        if not self.exit.done():
            self.exit.set_result(exit_)

    def terminate(self) -> None:
        """Ask its whole session to end."""
        self._forker.signal(self._id, signal.SIGTERM, group=not self.group.tree.with_reaper)

    def kill(self) -> None:
        """Kill it, or tell its reaper to end everything; what else stands in its group is for ``trees.end``."""
        if self.group.tree.with_reaper:
            self._kill_all()
        else:
            self._forker.signal(self._id, signal.SIGKILL, group=False)  # it may not stand in its group yet

    def _kill_all(self) -> None:
        self._forker.signal(self._id, signal.SIGUSR1, group=False)

    def discard(self) -> None:
        """Do without it: nothing was asked of it yet."""
        self.kill()
        self._forker.forget(self._id)
        self.close()

    def close(self) -> None:
        """Close our ends and remove the group; what the kernel still holds is removed later."""
        self.socket.close()
        for fd in self.pipes:
            with contextlib.suppress(OSError):
                os.close(fd)
        self._groups.remove(self.group)


class Children:
    """Makes children. One without special wishes is kept ready."""

    def __init__(self, forker: Forker, groups: Groups) -> None:
        self._forker, self._groups = forker, groups
        self._spare: Child | None = None
        self._serial = itertools.count(1)

    async def get(self, command: ForkCommand, *, memory_bytes: int = 0) -> Child:
        """Return a child for ``command``. Raises StartFailed when there is no warm parent and none comes up."""
        is_plain = not (memory_bytes or command.cpu_limit_s or command.fresh)
        spare = self._spare
        if spare is not None and not (spare.is_waiting and self._forker.is_current):
            self.clear()
        elif spare is not None and is_plain:
            self._spare = None
            return spare
        await self._forker.ready()
        return self._fork(command, memory_bytes)

    def _fork(self, command: ForkCommand, memory_bytes: int = 0) -> Child:
        unique = replace(command, id=f"{command.id}-{next(self._serial)}")  # news of an earlier child must not reach a later one
        return Child(self._forker, self._groups, unique, memory_bytes=memory_bytes)

    def stock(self) -> None:
        """Fork the next one ahead, unless it is there."""
        if self._spare is None and self._forker.is_current:
            self._spare = self._fork(ForkCommand(id="ahead"))

    def clear(self) -> None:
        """Do without the one that is ready."""
        if self._spare is not None:
            self._spare.discard()
            self._spare = None
