"""Follow a run to its end, show it, and hand an interrupt on as a cancel."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator

from scistudio_platform.errors import SciStudioError

from scistudio_cli.runs.model import Backend, LogLineView, RunSnapshot
from scistudio_cli.runs.view import JsonView, TerminalView

LOOK_ANYWAY_S = 1.0  # states come from the scheduler; events only say when to look
View = TerminalView | JsonView


class Interrupted(Exception):
    """A signal asked for the end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Follower:
    """Shows one run until it has ended."""

    def __init__(self, backend: Backend, view: View, run: RunSnapshot) -> None:
        self._backend, self._view, self._run = backend, view, run
        self._changed = asyncio.Event()
        self._interrupt: int | None = None
        self._printed: dict[str, int] = {}

    async def to_the_end(self) -> RunSnapshot:
        """Follow; returns the ended run. Raises ``Interrupted`` after a signal, when the run is gone."""
        tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._print_lines())]
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupted, number)
        try:
            await self._look_until_ended()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
        await self._print_rest()
        if self._interrupt is not None:
            raise Interrupted(self._interrupt)
        return self._run

    def _interrupted(self, number: int) -> None:
        self._interrupt = number
        self._changed.set()

    async def _look_until_ended(self) -> None:
        cancelled = False
        while True:
            self._run = await self._backend.snapshot(self._run.id)
            self._view.show(self._run)
            if self._run.ended:
                return
            if self._interrupt is not None and not cancelled:
                cancelled = True
                self._view.note("Stopping the run …")
                await self._backend.cancel(self._run.id, "interrupted in the terminal")
            try:
                await asyncio.wait_for(self._changed.wait(), LOOK_ANYWAY_S)
            except TimeoutError:
                continue
            self._changed.clear()

    async def _hear(self) -> None:
        changes: AsyncIterator[None] = self._backend.changes(self._run.id)
        async for _ in changes:
            self._changed.set()

    async def _print_lines(self) -> None:
        await self._print_page()
        async for line in self._backend.log_lines(self._run.id):
            if line.line > self._printed.get(line.node, 0) + 1:
                await self._print_page()  # what fell between the page and the stream
            self._print(line)

    async def _print_page(self) -> None:
        for line in await self._backend.log_page(self._run.id):
            self._print(line)

    async def _print_rest(self) -> None:
        """Print what was not shown yet. After a flood that may take too long; how the run ended is true all the same."""
        try:
            await self._print_page()
        except SciStudioError as error:
            self._view.note(f"The last log lines are not shown: {error.message} They are in .scistudio/logs/{self._run.id}.")

    def _print(self, line: LogLineView) -> None:
        if line.line > self._printed.get(line.node, 0):
            self._printed[line.node] = line.line
            self._view.line(line)
