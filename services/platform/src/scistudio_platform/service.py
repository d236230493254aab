"""A service: parts that start in order and stop in reverse, and the process around it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from pydantic import ValidationError

from scistudio_platform.errors import SciStudioError
from scistudio_platform.logging import configure_logging, get_logger
from scistudio_platform.settings import ServiceSettings

STOP_TIMEOUT_S = 10.0
SettingsT = TypeVar("SettingsT", bound=ServiceSettings)


class Part(Protocol):
    """Something that a service starts and stops: a server, a connection, a background task."""

    async def start(self) -> None:
        """Come up. Raise a SciStudioError that says what to do when that is not possible."""

    async def stop(self) -> None:
        """Go down; called only after ``start`` returned."""


class Service:
    """The parts of one service, joined. Nothing connects, listens or touches an event loop before ``start``."""

    def __init__(self, name: str, parts: Sequence[Part]) -> None:
        self.name = name
        self._parts = list(parts)
        self._started: list[Part] = []

    async def start(self) -> None:
        """Start the parts in order; when one fails, stop those that had started and raise its error."""
        try:
            for part in self._parts:
                await part.start()
                self._started.append(part)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop the parts in reverse order. One that fails is logged and does not keep the others up."""
        while self._started:
            part = self._started.pop()
            try:
                await asyncio.wait_for(part.stop(), STOP_TIMEOUT_S)
            except Exception:
                get_logger(self.name).exception("part did not stop", part=type(part).__name__)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.stop()


class BackgroundTasks:
    """Tasks that live as long as the service. One that fails is logged once, with its traceback; the others go on."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        """Start ``work`` now."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            get_logger(self._owner).error("background task failed", task=task.get_name(), exc_info=error)

    async def start(self) -> None:
        """Nothing: tasks start when they are spawned."""

    async def stop(self) -> None:
        """Cancel what still runs and wait for it."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def serve_until_signalled(service: Service, *, lifeline: int | None = None) -> None:
    """Start ``service``, wait for SIGTERM, SIGINT or the end of the launcher at the other end of ``lifeline``, stop it."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    if lifeline is not None:
        loop.add_reader(lifeline, stop.set)  # nobody writes: readable means that the launcher is gone
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with service:
        get_logger(service.name).info("serving")
        await stop.wait()
        if lifeline is not None:
            loop.remove_reader(lifeline)
        get_logger(service.name).info("stopping")


def main(name: str, build: Callable[[SettingsT], Service], settings: type[SettingsT]) -> int:
    """Read the environment and run a service alone: what ``python -m scistudio_<service>`` does. 2: a setting is missing or wrong."""
    try:
        found = settings()
    except ValidationError as error:
        for problem in error.errors():
            place = ".".join(str(part) for part in problem["loc"])
            print(f"scistudio {name}: {place}: {problem['msg']}", file=sys.stderr)  # noqa: T201  # whoever started it reads it
        print("Settings come from environment variables; the service's README names those it needs.", file=sys.stderr)  # noqa: T201
        return 2
    return run_service(name, build, found)


def run_service(name: str, build: Callable[[SettingsT], Service], settings: SettingsT, *, lifeline: int | None = None) -> int:
    """Run a service as a process of its own and return its exit code: 0 after a signal, 1 when it cannot serve.

    ``lifeline`` is the read end of a pipe whose write end only the launcher holds: its end ends the service.

    The one place where a process's logging and telemetry are set up.
    """
    from scistudio_platform.telemetry import setup_telemetry  # after a fork only: a span processor starts a thread

    configure_logging(name, level=settings.log_level, log_format=settings.log_format)
    shut_down_telemetry = setup_telemetry(name, settings.otlp_endpoint)
    try:
        asyncio.run(serve_until_signalled(build(settings), lifeline=lifeline))
    except SciStudioError as error:
        get_logger(name).error("cannot serve", code=error.code, message=error.message, hint=error.hint)
        print(f"scistudio {name}: {error.text}", file=sys.stderr)  # noqa: T201  # whoever started this process reads it
        return 1
    finally:
        shut_down_telemetry()
    return 0
