"""The ``scistudio`` command. Each command's module is imported when it runs, so that ``--help`` is quick."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from scistudio_platform.errors import SciStudioError

from scistudio_cli import places

FAULT = 1
INTERNAL = 3

app = typer.Typer(
    help="SciStudio: analyse scientific data with typed, reproducible workflows.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts and agents.")]
ProjectArgument = Annotated[Path | None, typer.Argument(help="Folder of a project. Default: the one around the current folder.")]


def fail(error: SciStudioError, code: int = FAULT) -> NoReturn:
    """Say what was wrong and what to do, and exit."""
    typer.secho(f"scistudio: {error.message}", err=True, fg="red")
    if error.hint:
        typer.echo(f"  {error.hint}", err=True)
    raise typer.Exit(code)


def guarded(work: Callable[[], int], code: int = FAULT) -> NoReturn:
    """Do the work of a command and exit with what it returns."""
    try:
        raise typer.Exit(work())
    except SciStudioError as error:
        fail(error, code)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("scistudio-server"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options before the command."""


@app.command()
def up(
    project: ProjectArgument = None,
    host: Annotated[str, typer.Option(help="Address to listen on. Beyond loopback only when you mean it.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port; 0 picks a free one.")] = 7100,
    as_json: Json = False,
) -> None:
    """Start all services for a project and print the page's address. Ctrl-C stops everything.

    Exit codes: 0 stopped; 1 could not start (the message says why).
    """
    from scistudio_cli.commands.up import start

    guarded(lambda: start(project, host=host, port=port, as_json=as_json))


@app.command()
def run(
    workflow: Annotated[Path, typer.Argument(help="Workflow file, usually workflows/NAME.yaml.")],
    project: Annotated[Path | None, typer.Option(help="Folder of the project. Default: the one around the file.")] = None,
    as_json: Json = False,
) -> None:
    """Run a workflow without the page, with live progress.

    Exit codes: 0 completed; 1 a block failed; 2 not started, bad input; 3 infrastructure; 4 cancelled by someone else;
    130 Ctrl-C; 143 SIGTERM.
    """
    gc.disable()  # nothing that imports make is garbage: a tenth of the time to the first block
    from scistudio_cli.commands.run import run_workflow

    raise typer.Exit(run_workflow(workflow, project, as_json=as_json))


@app.command()
def validate(
    workflow: Annotated[Path, typer.Argument(help="Workflow file, usually workflows/NAME.yaml.")],
    project: Annotated[Path | None, typer.Option(help="Folder of the project. Default: the one around the file.")] = None,
    as_json: Json = False,
) -> None:
    """Check a workflow file without running it. Exit codes: 0 it can run; 1 it cannot; 2 it cannot be read as a workflow at all."""
    from scistudio_cli.commands.validate import validate_workflow

    raise typer.Exit(validate_workflow(workflow, project, as_json=as_json))


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Name of the project; its folder is made here.")] = "my_project",
    description: Annotated[str, typer.Option(help="What the project is about.")] = "",
    as_json: Json = False,
) -> None:
    """Make a new project folder. Exit codes: 0 made; 1 it exists, or cannot be made."""
    from scistudio_cli.commands.init import make_project

    guarded(lambda: make_project(name, description, as_json=as_json))


@app.command()
def doctor(project: ProjectArgument = None, as_json: Json = False) -> None:
    """Check this installation, and a project. Exit codes: 0 all is well; 1 something is wrong, with what to do about it."""
    from scistudio_cli.commands.doctor import examine

    guarded(lambda: examine(project, as_json=as_json))


@app.command(hidden=True)
def demo(
    examples: Annotated[Path, typer.Option(help="Folder of the example projects.")] = Path("examples"),
    target: Annotated[Path, typer.Option(help="Where the copy goes.")] = Path(".demo"),
) -> None:
    """Run measure-objects through the gateway on a copy of the examples, and show the results."""
    from scistudio_cli.commands.demo import run_demo

    guarded(lambda: run_demo(examples, target))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def blocks(context: typer.Context) -> None:
    """List the blocks that can be used here (same as `python -m scistudio blocks`)."""
    _author_command("blocks", context)


@app.command("new", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def new(context: typer.Context) -> None:
    """Start a block, type or package (same as `python -m scistudio new`)."""
    _author_command("new", context)


@app.command("check", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def check(context: typer.Context) -> None:
    """Check block files (same as `python -m scistudio check`)."""
    _author_command("check", context)


def _author_command(name: str, context: typer.Context) -> NoReturn:
    """Hand on to the SDK's own command, in a process of its own: it runs block authors' code."""
    os.execv(sys.executable, [sys.executable, "-m", "scistudio", name, *context.args])  # noqa: S606  # no shell is meant


def main() -> None:
    """Entry point. A fault of ours leaves its traceback in a file, and a sentence on the terminal."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process that we start compiles what it imports
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:  # the one place where a bug becomes an exit code
        _leave_note(f"scistudio {' '.join(sys.argv[1:])}\n\n{traceback.format_exc()}")
        sys.exit(INTERNAL)


def _leave_note(text: str) -> None:
    """Write down what a bug left; where no file can be written, as on a full disk, say its last line."""
    try:
        note = places.state_dir() / f"fault-{os.getpid()}.txt"
        note.write_text(text, encoding="utf-8", errors="backslashreplace")
    except (OSError, SciStudioError):
        typer.secho(f"scistudio: a fault in SciStudio itself: {text.splitlines()[-1]}", err=True, fg="red")
        typer.echo("  Its details could not be written to the state folder; `scistudio doctor` says what is wrong there.", err=True)
    else:
        typer.secho(f"scistudio: a fault in SciStudio itself; its details are in {note}.", err=True, fg="red")
        typer.echo("  Please report it with that file.", err=True)
