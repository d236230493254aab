"""The one way to the files of a project: what lies outside of its folder is not read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from scistudio_workflow.domain.identity import SUFFIXES
from scistudio_workflow.domain.paths import inside
from scistudio_workflow.errors import PathRefused, WorkflowNotFound

SIZE_LIMIT_BYTES = 8 * 1024 * 1024
LISTED_FILES = 2_000
LISTED_FOLDERS = ("workflows", "subworkflows")


class ProjectFiles:
    """Reads the files of one project folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path_of(self, relative: str) -> Path:
        """Return where a file of the project lies, links followed.

        Raises
        ------
        PathRefused
            If it lies outside of the folder.
        """
        name = inside(relative)
        try:
            path = (self.root / name).resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            raise self._refused(name, "is a link that leads to itself") from None
        if not path.is_relative_to(self.root.resolve()):
            raise self._refused(name, "is a link that leads out of the project folder")
        return path

    def is_file(self, relative: str) -> bool:
        """Say whether the project has this file."""
        try:
            return self.path_of(relative).is_file()
        except PathRefused:
            return False

    def read(self, relative: str) -> bytes:
        """Return the bytes of a workflow file.

        Raises
        ------
        WorkflowNotFound
            If there is none, or it cannot be read.
        PathRefused
            If it lies outside of the folder, is no workflow file, or is too large for one.
        """
        path = self.path_of(relative)
        if not relative.endswith(SUFFIXES):
            raise self._refused(relative, f"does not end in {' or '.join(SUFFIXES)}")
        try:
            data = read_limited(path, SIZE_LIMIT_BYTES)
        except OSError as error:
            raise _missing(relative, error) from None
        if data is None:
            raise self._refused(relative, f"is no ordinary file, or larger than {SIZE_LIMIT_BYTES // 1024 // 1024} MiB")
        return data

    def workflow_files(self) -> list[str]:
        """Return the project-relative paths of its workflow files, sorted."""
        found = sorted(path for folder in LISTED_FOLDERS for path in self._below(folder))
        return found[:LISTED_FILES]

    def _below(self, folder: str) -> Iterator[str]:
        for parent, folders, names in os.walk(self.root / folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in names:
                if name.endswith(SUFFIXES) and not name.startswith("."):
                    yield (Path(parent) / name).relative_to(self.root).as_posix()

    def _refused(self, relative: str, reason: str) -> PathRefused:
        return PathRefused(
            f"The path {relative[:200]!r} {reason}.", subject=relative[:200], hint="Name a workflow file inside the project folder."
        )


def _missing(relative: str, error: OSError) -> WorkflowNotFound:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return WorkflowNotFound(f"There is no file {relative}.", subject=relative, hint="List the project's workflows.")
    return WorkflowNotFound(f"The file {relative} cannot be read: {error.strerror}.", subject=relative, hint="Look at its rights.")


def read_limited(path: Path, limit_bytes: int) -> bytes | None:
    """Return a file's bytes; None for what is no ordinary file (a pipe would never end) or has more than ``limit_bytes``."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = file.read(limit_bytes + 1)
    return data if len(data) <= limit_bytes else None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
