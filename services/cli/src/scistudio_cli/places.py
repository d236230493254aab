"""Folders on this machine: projects, run directories and the user's state."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from scistudio_cli.errors import NoProject, PathIsNoText, RunDirectoryUnsafe

PROJECT_FILE = "project.yaml"
TEMPORARY = "run-"
SOCKET_PATH_LIMIT = 103  # bytes; of the systems that we run on macOS allows least
LONGEST_SOCKET = Path("run-12345678", "scheduler.http.sock")


def project_above(start: Path) -> Path | None:
    """Return the nearest folder from ``start`` upwards that has a project.yaml."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / PROJECT_FILE).is_file()), None)


def project_of(path: Path) -> Path:
    """Return the project that ``path`` belongs to."""
    check_name(path)
    found = project_above(path if path.is_dir() else path.parent)
    if found is None:
        raise NoProject(path)
    return found


def check_name(path: Path) -> None:
    """Refuse a path that is no text: it could be neither stored, nor shown, nor sent."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise PathIsNoText(path) from None


def state_dir() -> Path:
    """Return the user's state folder, made when missing."""
    if own := os.environ.get("SCISTUDIO_STATE_DIR"):
        folder = Path(own)
    else:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "scistudio"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        hint = "Set SCISTUDIO_STATE_DIR to a folder that you may write to."
        raise RunDirectoryUnsafe(f"The state folder {folder} cannot be made: {error.strerror}.", subject=str(folder), hint=hint) from error
    return folder


def composition_key(project: Path | None) -> str:
    """Return the name of a composition: eight hexadecimal digits of the project's path, or "home"."""
    return "home" if project is None else hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:8]


def runtime_base() -> Path:
    """Return the folder in which this user's run directories lie: the first place whose path leaves room for sockets."""
    places = (os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), tempfile.gettempdir(), "/tmp")  # noqa: S108  # made private
    bases = [Path(place) / f"scistudio-{os.getuid()}" for place in places]
    return next((base for base in bases if len(os.fsencode(base / LONGEST_SOCKET)) <= SOCKET_PATH_LIMIT), bases[-1])


def run_dir(project: Path | None) -> Path:
    """Return the run directory of ``up`` for a project, made private and checked."""
    folder = runtime_base() / composition_key(project)
    make_private(folder.parent)
    make_private(folder)
    return folder


class TemporaryRunDir:
    """The run directory of a headless run. Its lock tells a living one from what a killed run left, which the next run sweeps."""

    def __init__(self) -> None:
        base = runtime_base()
        make_private(base)
        _sweep(base)
        try:
            self.path = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=base))
            self._lock = (self.path / "lock").open("w")
        except OSError as error:
            raise _not_made(base, error) from error
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _sweep(base: Path) -> None:
    """Remove what killed runs left. A folder without a lock file is being made just now, or very old: it stays for a while."""
    for folder in base.glob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError), (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def make_private(folder: Path) -> None:
    """Make ``folder`` with mode 0700, or check that an existing one is ours and closed to others."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        pass  # told apart below
    except OSError as error:
        raise _not_made(folder, error) from error
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        hint = "Remove it, or set XDG_RUNTIME_DIR to a folder of your own."
        raise RunDirectoryUnsafe(f"{folder} belongs to another user or is no folder.", subject=str(folder), hint=hint)
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _not_made(folder: Path, error: OSError) -> RunDirectoryUnsafe:
    hint = "Set XDG_RUNTIME_DIR to a folder that exists, that you may write to, and that has space left."
    return RunDirectoryUnsafe(f"The run directory {folder} cannot be made: {error.strerror}.", subject=str(folder), hint=hint)
