"""One launcher a run directory: its lock, and the note in it that says where it serves."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scistudio_cli.errors import AlreadyRunning

NAME = "launcher.json"
LOOKS, LOOK_AGAIN_S = 5, 0.02


@dataclass(frozen=True, slots=True)
class Note:
    """Where a launcher serves, and the session token for this user's programs (the file has mode 0600)."""

    pid: int
    url: str
    token: str = field(repr=False)
    project: str | None = None


class Claim:
    """The lock on a run directory. Held for the launcher's life; the kernel gives it back whatever happens."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> None:
        """Take the lock, or say who has it."""
        for _ in range(LOOKS):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOOK_AGAIN_S)  # whoever looks at the note holds the lock for a moment
            else:
                self.write(Note(os.getpid(), "", "", None))
                return
        note = read_note(self._path.parent)
        os.close(self._descriptor)
        raise AlreadyRunning(note.url if note else "", note.pid if note else 0)

    @property
    def descriptor(self) -> int:
        """The lock's file descriptor, which children close."""
        return self._descriptor

    def write(self, note: Note) -> None:
        """Say where this launcher serves."""
        text = json.dumps(asdict(note)).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text, 0)

    def release(self) -> None:
        """Give the lock back."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def read_note(folder: Path) -> Note | None:
    """Return what the launcher of a run directory says; None when there is none."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Note(**json.loads((folder / NAME).read_text()))
    return None


def living_note(folder: Path) -> Note | None:
    """Return the note of a launcher that lives and serves: its lock is taken."""
    with contextlib.suppress(OSError), (folder / NAME).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            note = read_note(folder)
            return note if note is not None and note.url else None
    return None
