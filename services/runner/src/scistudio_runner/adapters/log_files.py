"""Log files of a project: ``.scistudio/logs/<run>/<node>.jsonl``, appended by this runner alone."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote

from scistudio_proto.runner.v1 import runner_pb2 as pb

from scistudio_runner.domain import lines
from scistudio_runner.errors import PathRefused

SUFFIX = ".jsonl"
NAME_BYTES = 200


def file_name(identifier: str) -> str:
    """Return an id as one component of a path: nothing that leads elsewhere, ordinary ids unchanged."""
    name = quote(identifier, safe=" @+,=~()[]")
    if not name or name.startswith(".") or len(name) > NAME_BYTES:
        raise PathRefused(
            f"{identifier[:80]!r} cannot name a log.", subject="log", hint="Ids of runs and nodes are short and do not begin with a dot."
        )
    return name


def logs_folder(project_dir: str, run_id: str) -> Path:
    """Return the folder of a run's logs. Raises PathRefused when it would lie outside of the project, through a link too."""
    project = Path(project_dir)
    if not project.is_absolute() or not project.is_dir():
        raise PathRefused(
            f"{project_dir} is no project's folder.", subject="project", hint="Give the absolute path of a folder that exists."
        )
    folder = project / ".scistudio" / "logs" / file_name(run_id)
    if not folder.resolve().is_relative_to(project.resolve()):
        raise PathRefused(
            f"The logs of {project_dir} lie outside of it.", subject="project", hint="Its `.scistudio/logs` must be a folder, not a link."
        )
    return folder


def log_path(project_dir: str, run_id: str, node_id: str) -> Path:
    """Return the file of a node's log."""
    return logs_folder(project_dir, run_id) / f"{file_name(node_id)}{SUFFIX}"


def node_of(path: Path) -> str:
    """Return whose log a file is."""
    return unquote(path.name.removesuffix(SUFFIX))


class Appender:
    """Writes one node's log. Opening it finds where an earlier runner had stopped.

    Parameters
    ----------
    path : Path
        The file; its folder is made.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._n_lines = 0
        self._serials: dict[str, int] = {}
        if path.exists():
            self._take_up(path)
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def _take_up(self, path: Path) -> None:
        end = 0
        for raw in path.read_bytes().splitlines(keepends=True):
            with contextlib.suppress(ValueError):
                written = lines.decode(raw)
                self._n_lines = max(self._n_lines, written.line.line)
                self._serials[written.execution_id] = max(written.serial, self._serials.get(written.execution_id, 0))
            end += len(raw) if raw.endswith(b"\n") else 0
        with path.open("r+b") as file:  # a runner that was killed may have left half a line
            file.truncate(end)

    def append(self, execution_id: str, new: list[pb.LogLine]) -> int:
        """Write lines that are not there yet; returns how many. Raises OSError (a full disk)."""
        known = self._serials.get(execution_id, 0)
        fresh = [line for line in new if line.line > known]
        if fresh:
            numbered = enumerate(fresh, self._n_lines + 1)
            self._write(b"".join(lines.encode(line, number, execution_id) for number, line in numbered))
            self._n_lines += len(fresh)
            self._serials[execution_id] = fresh[-1].line
        return len(fresh)

    def _write(self, data: bytes) -> None:
        """Write all or nothing: after half a line the next one would be unreadable too."""
        before = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self._file.truncate(before)
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Tail:
    """Reads a log from some line on, again and again as it grows.

    Parameters
    ----------
    path : Path
        The file; it need not exist yet.
    after_line : int
        The last line that is known already.
    at_end : bool
        Begin with what is appended from now on.
    """

    def __init__(self, path: Path, *, after_line: int = 0, at_end: bool = False) -> None:
        self._path, self._after_line = path, after_line
        self._offset = path.stat().st_size if at_end and path.exists() else 0

    def read(self, *, at_most: int) -> list[pb.LogLine]:
        """Return the next lines, oldest first; fewer than ``at_most`` when there are no more now."""
        found: list[pb.LogLine] = []
        with contextlib.suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._offset)
            for raw in _whole_lines(file):
                self._offset += len(raw)
                if lines.number_of(raw) > self._after_line:
                    with contextlib.suppress(ValueError):
                        found.append(lines.decode(raw).line)
                if len(found) == at_most:
                    break
        return found


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    for raw in file:
        if not raw.endswith(b"\n"):
            return
        yield raw


def was_cut(path: Path) -> bool:
    """Whether a block printed more than is kept."""
    return path.exists() and lines.CUT_MARK in path.read_bytes()
