"""``scistudio init``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import typer


def make_project(name: str, description: str, *, as_json: bool) -> int:
    """Make a project folder here, the same as the page's "New project" makes."""
    from scistudio_workflow.adapters.project_folder import create_project_folder

    folder = create_project_folder(Path.cwd(), name, description)
    if as_json:
        typer.echo(json.dumps({"path": str(folder)}))
    else:
        place = shlex.quote(folder.name)
        typer.echo(f"Made {folder}.\nIts README.md says what goes where, with a first workflow.")
        typer.echo(f"Open it on the page:  scistudio up {place}")
        typer.echo(f"Or run its workflow:  scistudio run {place}/workflows/main.yaml")
    return 0
