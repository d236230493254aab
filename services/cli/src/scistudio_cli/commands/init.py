"""``scistudio init``."""

from __future__ import annotations

import json
from pathlib import Path

import typer


def make_project(name: str, description: str, *, as_json: bool) -> int:
    """Make a project folder here, the same as the page's "New project" makes."""
    from scistudio_workflow.adapters.project_folder import create_project_folder

    folder = create_project_folder(Path.cwd(), name, description)
    if as_json:
        typer.echo(json.dumps({"path": str(folder)}))
    else:
        typer.echo(f"Made {folder}.\nOpen it on the page:  scistudio up {folder.name}")
        typer.echo(f"Or run its workflow:  scistudio run {folder.name}/workflows/main.yaml")
    return 0
