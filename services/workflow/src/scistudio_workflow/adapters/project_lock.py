"""A project is open in one SciStudio at a time: the lock on ``.scistudio/open.lock``.

The kernel gives a lock back when its holder dies, so that nobody ever has to remove one by hand. The file tells who holds it:
``{"pid", "host", "url"}`` as JSON.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
from pathlib import Path
from typing import Any

from scistudio_workflow.errors import ProjectInUse, ProjectReadOnly

LOCK_FILE = ".scistudio/open.lock"


class ProjectLock:
    """The lock of one project folder, held from ``take`` to ``release`` or the end of the process."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder, self._url = folder, url
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock.

        Raises
        ------
        ProjectInUse
            If another SciStudio has it; says which.
        ProjectReadOnly
            If nothing can be written in the project folder.
        """
        path = self._folder / LOCK_FILE
        try:
            path.parent.mkdir(exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise not_writable(self._folder, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._sign(descriptor)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise _in_use(self._folder, holder) from None
        except OSError as error:
            os.close(descriptor)
            raise not_writable(self._folder, error) from None
        self._descriptor = descriptor

    def _sign(self, descriptor: int) -> None:
        holder = {"pid": os.getpid(), "host": platform.node(), "url": self._url}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two lock different files."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None


def _holder(descriptor: int) -> dict[str, Any]:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:  # its holder is just signing
        return {}
    return holder if isinstance(holder, dict) else {}


def _in_use(folder: Path, holder: dict[str, Any]) -> ProjectInUse:
    url = str(holder.get("url") or "")
    who = f"process {holder.get('pid', 'unknown')} on {holder.get('host', 'an unknown host')}" + (f", {url}" if url else "")
    hint = f"Use it at {url}, or end that process." if url else "Wait until it has ended, or end that process."
    return ProjectInUse(f"The project {folder} is open in another SciStudio: {who}.", subject=url or str(folder), hint=hint)


def not_writable(folder: Path, error: OSError) -> ProjectReadOnly:
    """Return the error for a folder in which nothing can be written."""
    return ProjectReadOnly(
        f"Nothing can be written in {folder}: {error.strerror or error}.",
        subject=str(folder),
        hint="A project's folder must be writable, with space left: look at its rights and disk, or copy it elsewhere.",
    )
