"""``scistudio up``."""

from __future__ import annotations

from pathlib import Path

from scistudio_cli import places
from scistudio_cli.errors import AlreadyRunning
from scistudio_cli.launcher.up import Launcher, Options, Reporter


def start(project: Path | None, *, host: str, port: int, as_json: bool) -> int:
    """Serve until a signal. The project is the folder given, else the one around here, else none: the page lists those known."""
    folder = places.project_of(project) if project is not None else places.project_above(Path.cwd())
    try:
        return Launcher(Options(folder, host, port, as_json)).run()
    except AlreadyRunning as error:
        if error.url:
            Reporter(as_json=as_json).say("already_running", error.url, url=error.url, pid=error.pid)
        raise
