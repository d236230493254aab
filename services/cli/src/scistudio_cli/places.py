"""Folders on this machine: projects, run directories and the user's state."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from scistudio_cli.errors import NoProject, RunDirectoryUnsafe

PROJECT_FILE = "project.yaml"


def project_above(start: Path) -> Path | None:
    """Return the nearest folder from ``start`` upwards that has a project.yaml."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / PROJECT_FILE).is_file()), None)


def project_of(path: Path) -> Path:
    """Return the project that ``path`` belongs to."""
    found = project_above(path if path.is_dir() else path.parent)
    if found is None:
        raise NoProject(path)
    return found


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
    """Return the folder in which this user's run directories lie; its path is short, since sockets allow about 100 characters."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"scistudio-{os.getuid()}"


def run_dir(project: Path | None) -> Path:
    """Return the run directory of ``up`` for a project, made private and checked."""
    folder = runtime_base() / composition_key(project)
    make_private(folder.parent)
    make_private(folder)
    return folder


def temporary_run_dir() -> Path:
    """Make a run directory of a headless run."""
    make_private(runtime_base())
    return Path(tempfile.mkdtemp(prefix="run-", dir=runtime_base()))


def make_private(folder: Path) -> None:
    """Make ``folder`` with mode 0700, or check that an existing one is ours and closed to others."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        hint = "Remove it, or set XDG_RUNTIME_DIR to a folder of your own."
        raise RunDirectoryUnsafe(f"{folder} belongs to another user or is no folder.", subject=str(folder), hint=hint)
    if found.st_mode & 0o077:
        folder.chmod(0o700)
