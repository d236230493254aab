"""Logs of nodes: written as they come, read in pages, followed as they grow."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from scistudio_platform.errors import SciStudioError
from scistudio_platform.logging import get_logger
from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_runner.adapters.log_files import SUFFIX, Appender, Tail, file_name, log_path, logs_folder, was_cut
from scistudio_runner.errors import Stopping

DEFAULT_PAGE = 1000
LARGEST_PAGE = 10_000
FOLLOW_PAGE = 500
OPEN_FILES = 64
ASK_S = 10.0
KEPT_ENDED_RUNS = 10_000
logger = get_logger("runner")


class LogBook:
    """A part: the log files that this runner writes, and who reads them.

    Parameters
    ----------
    has_ended : callable
        Asks whether a run, given by its project and its own id, has ended.
    """

    def __init__(self, has_ended: Callable[[str, str], Awaitable[bool]]) -> None:
        self._has_ended = has_ended
        self._open: OrderedDict[Path, Appender] = OrderedDict()
        self._followers: dict[Path, set[asyncio.Event]] = {}
        self._ended_runs: OrderedDict[str, None] = OrderedDict()
        self._is_stopping = False
        self._complained: set[Path] = set()

    async def start(self) -> None:
        """Nothing: files are opened when something is printed."""

    async def stop(self) -> None:
        """Close the files."""
        for appender in self._open.values():
            appender.close()
        self._open.clear()

    def send_away(self) -> None:
        """End every follower's stream with the advice to ask again: this runner stops."""
        self._is_stopping = True
        for folder in self._followers:
            self._wake(folder)

    def write(self, spec: pb.Execution, new: list[pb.LogLine]) -> None:
        """Append what an execution printed. A full disk costs lines, and nothing else."""
        try:
            path = log_path(spec.project_dir, spec.run_id, spec.node_id)
            n_written = self._appender(path).append(spec.execution_id, new)
        except (OSError, SciStudioError) as error:
            if (project := Path(spec.project_dir)) not in self._complained:
                self._complained.add(project)
                logger.error("log lines are lost", project=spec.project_dir, run=spec.run_id, node=spec.node_id, error=str(error))
            return
        if n_written:
            self._wake(path.parent)

    def _appender(self, path: Path) -> Appender:
        appender = self._open.get(path)
        if appender is None:
            appender = self._open[path] = Appender(path)
            while len(self._open) > OPEN_FILES:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(path)
        return appender

    def run_ended(self, run_id: str) -> None:
        """Let those who follow a run read what is left and end."""
        self._ended_runs[run_id] = None
        while len(self._ended_runs) > KEPT_ENDED_RUNS:
            self._ended_runs.popitem(last=False)
        for folder in [folder for folder in self._followers if folder.name == file_name(run_id)]:
            self._wake(folder)

    def _wake(self, folder: Path) -> None:
        for changed in self._followers.get(folder, ()):
            changed.set()

    async def read(self, request: pb.ReadLogsRequest) -> pb.ReadLogsResponse:
        """Return a page of a node's log, or the latest lines of all nodes of a run, by time."""
        limit = min(request.limit or DEFAULT_PAGE, LARGEST_PAGE)
        if request.node_id:
            path = log_path(request.project_dir, request.run_id, request.node_id)
            return await asyncio.to_thread(_page, path, request.after_line, limit)
        return await asyncio.to_thread(_latest, logs_folder(request.project_dir, request.run_id), limit)

    async def follow(self, request: pb.FollowLogsRequest) -> AsyncIterator[pb.LogLine]:
        """Give lines as they are printed, until the run ends."""
        folder = logs_folder(request.project_dir, request.run_id)
        tails = _Tails(folder, request)
        changed = asyncio.Event()
        self._followers.setdefault(folder, set()).add(changed)
        asking = asyncio.get_running_loop().create_task(self._keep_asking(request))
        try:
            while True:
                changed.clear()
                is_over = request.run_id in self._ended_runs
                for line in tails.read():
                    yield line
                if self._is_stopping:
                    raise Stopping()
                if is_over and not tails.has_more:
                    return
                if not tails.has_more:
                    await changed.wait()
        finally:
            asking.cancel()
            self._followers[folder].discard(changed)
            if not self._followers[folder]:
                del self._followers[folder]

    async def _keep_asking(self, request: pb.FollowLogsRequest) -> None:
        """Find out that a run has ended where no event says so: it ended long ago, or the event passed by."""
        while True:
            if await self._has_ended(request.project_id, request.run_id):
                return self.run_ended(request.run_id)
            await asyncio.sleep(ASK_S)


class _Tails:
    """The tails that one reader follows: of one node, or of all nodes of a run, the later ones included."""

    def __init__(self, folder: Path, request: pb.FollowLogsRequest) -> None:
        self._folder = folder
        self._tails: dict[Path, Tail] = {}
        self._is_all = not request.node_id
        self.has_more = False
        if request.node_id:
            path = log_path(request.project_dir, request.run_id, request.node_id)
            self._tails[path] = Tail(path, after_line=request.after_line)
        else:
            self._tails = {path: Tail(path, at_end=True) for path in folder.glob(f"*{SUFFIX}")}

    def read(self) -> list[pb.LogLine]:
        if self._is_all:
            for path in self._folder.glob(f"*{SUFFIX}"):
                self._tails.setdefault(path, Tail(path))
        found = [tail.read(at_most=FOLLOW_PAGE) for tail in self._tails.values()]
        self.has_more = any(len(lines) == FOLLOW_PAGE for lines in found)
        return sorted((line for lines in found for line in lines), key=_by_time)


def _by_time(line: pb.LogLine) -> tuple[int, int]:
    return line.time.seconds, line.time.nanos


def _page(path: Path, after_line: int, limit: int) -> pb.ReadLogsResponse:
    return pb.ReadLogsResponse(lines=Tail(path, after_line=after_line).read(at_most=limit), truncated=was_cut(path))


def _latest(folder: Path, limit: int) -> pb.ReadLogsResponse:
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    found = sorted((line for path in paths for line in Tail(path).read(at_most=1 << 30)), key=_by_time)
    return pb.ReadLogsResponse(lines=found[-limit:], truncated=any(was_cut(path) for path in paths))
