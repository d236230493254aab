"""``scistudio validate``."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from scistudio_platform.errors import SciStudioError

from scistudio_cli.commands.run import locate
from scistudio_cli.runs.backend import backend_for
from scistudio_cli.runs.model import ProblemView

VALID, INVALID, UNREADABLE = 0, 1, 2


def validate_workflow(workflow: Path, project: Path | None, *, as_json: bool) -> int:
    """Check a workflow file and return the exit code."""
    from scistudio_platform.logging import configure_logging

    configure_logging("validate", level="error", log_format="console")
    try:
        folder, name = locate(workflow, project)
        problems = asyncio.run(_validate(folder, name))
    except SciStudioError as error:
        if as_json:
            problem = {"severity": "error", "code": error.code, "message": error.message, "hint": error.hint}
            typer.echo(json.dumps({"valid": False, "problems": [problem]}))
        else:
            typer.secho(f"scistudio: {error.message}", err=True, fg="red")
            typer.echo(f"  {error.hint}" if error.hint else "", err=True, nl=bool(error.hint))
        return UNREADABLE
    valid = not any(problem.severity == "error" for problem in problems)
    if as_json:
        typer.echo(json.dumps({"valid": valid, "problems": [asdict(problem) for problem in problems]}))
    else:
        _show(workflow, problems, valid)
    return VALID if valid else INVALID


async def _validate(project: Path, workflow: str) -> list[ProblemView]:
    async with backend_for(project, lambda text: typer.echo(text, err=True)) as backend:
        return await backend.validate(workflow)


def _show(workflow: Path, problems: list[ProblemView], valid: bool) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for problem in problems:
        colour = "red" if problem.severity == "error" else "yellow"
        place = f"{workflow}:{problem.line}" if problem.line else str(workflow)
        where = f" [{problem.node}{f':{problem.port}' if problem.port else ''}]" if problem.node else ""
        console.print(f"[{colour}]{problem.severity}[/] {escape(place)}{escape(where)} {escape(problem.message)}")
        if problem.hint:
            console.print(f"  {escape(problem.hint)}")
    n_errors = sum(problem.severity == "error" for problem in problems)
    console.print(f"[green]✓[/] {escape(str(workflow))} can run." if valid else f"[red]✗[/] {n_errors} error(s): it cannot run.")
