"""``scistudio init``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import typer

from scistudio_cli import places


def make_project(name: str, description: str, *, as_json: bool) -> int:
    """Make a project folder here, or where a name with slashes says, the same as the page's "New project" makes."""
    from scistudio_workflow.adapters.project_folder import create_project_folder

    place = Path.cwd() / name
    places.check_name(place)
    folder = create_project_folder(place.parent, place.name, description)
    if as_json:
        typer.echo(json.dumps({"path": str(folder)}))
    else:
        shown = _shown(folder)
        typer.echo(f"Made {folder}.\nIts README.md says what goes where, with a first workflow.")
        typer.echo(f"Open it on the page:  scistudio up {shown}")
        typer.echo(f"Or run its workflow:  scistudio run {shown}/workflows/main.yaml")
    return 0


def _shown(folder: Path) -> str:
    """The folder as a shell takes it here."""
    return shlex.quote(str(folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder))
