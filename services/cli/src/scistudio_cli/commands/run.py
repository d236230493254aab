"""``scistudio run``."""

from __future__ import annotations

import asyncio
import gc
import signal
from contextlib import suppress
from pathlib import Path

import typer
from scistudio_platform.errors import Kind, SciStudioError

from scistudio_cli import places
from scistudio_cli.runs.backend import backend_for
from scistudio_cli.runs.follow import Follower, Interrupted, View
from scistudio_cli.runs.model import Backend, RunSnapshot
from scistudio_cli.runs.view import JsonView, TerminalView

COMPLETED, FAILED, NOT_STARTED, INFRASTRUCTURE, CANCELLED = 0, 1, 2, 3, 4
BAD_INPUT = {Kind.INVALID, Kind.NOT_FOUND, Kind.ALREADY_EXISTS, Kind.CONFLICT, Kind.DENIED}
# A run that these ended was not failed by a block.
INFRASTRUCTURE_CODES = frozenset({"runner.unavailable", "worker.lost"})


def run_workflow(workflow: Path, project: Path | None, *, as_json: bool) -> int:
    """Run a workflow file and return the exit code."""
    from scistudio_platform.logging import configure_logging

    configure_logging("run", level="error", log_format="console")
    view: View = JsonView() if as_json else TerminalView()
    try:
        folder, name = locate(workflow, project)
        return asyncio.run(_run_or_stop(folder, name, view))
    except Interrupted as interrupted:
        view.note(f"Stopped by {signal.Signals(interrupted.number).name}.")
        return 128 + interrupted.number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except SciStudioError as error:
        typer.secho(f"scistudio: {error.message}", err=True, fg="red")
        if error.hint:
            typer.echo(f"  {error.hint}", err=True)
        return NOT_STARTED if error.kind in BAD_INPUT else INFRASTRUCTURE


def locate(workflow: Path, project: Path | None) -> tuple[Path, str]:
    """Return the project's folder, and the workflow's path within it."""
    places.check_name(workflow.absolute())
    if not workflow.is_file():
        raise MissingFile(workflow)
    folder = places.project_of(project if project is not None else workflow.resolve())
    if not workflow.resolve().is_relative_to(folder):
        raise OutsideTheProject(workflow, folder)
    return folder, workflow.resolve().relative_to(folder).as_posix()


class MissingFile(SciStudioError):
    """There is no such file."""

    kind, code = Kind.NOT_FOUND, "workflow.file_missing"

    def __init__(self, path: Path) -> None:
        what = "is a folder" if path.is_dir() else "is no ordinary file" if path.exists() else "does not exist"
        super().__init__(f"{path} {what}.", subject=str(path), hint="Name a workflow file, usually workflows/NAME.yaml.")


class OutsideTheProject(SciStudioError):
    """The workflow belongs to another project, or to none."""

    kind, code = Kind.INVALID, "workflow.outside_project"

    def __init__(self, path: Path, project: Path) -> None:
        super().__init__(f"{path} is not in the project {project}.", subject=str(path), hint="Copy it into the project's workflows folder.")


async def _run_or_stop(project: Path, workflow: str, view: View) -> int:
    """Run; SIGTERM before the run is followed ends in order too, as Ctrl-C does: nothing is left behind."""
    task = asyncio.current_task()
    assert task is not None
    is_told = asyncio.Event()

    def stop() -> None:
        is_told.set()
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await _run(project, workflow, view)
    except asyncio.CancelledError:
        if is_told.is_set():
            raise Interrupted(signal.SIGTERM) from None
        raise


async def _run(project: Path, workflow: str, view: View) -> int:
    async with backend_for(project, view.note) as backend:
        gc.freeze()
        gc.enable()
        run = await backend.start(workflow)
        view.started(run)
        warnings = asyncio.create_task(_warn(backend, workflow, view))  # beside the run: the first block does not wait for it
        try:
            run = await Follower(backend, view, run).to_the_end()
            await warnings
        finally:
            warnings.cancel()
        view.ended(run)
        await backend.settle(run.id)
        return exit_code(run)


async def _warn(backend: Backend, workflow: str, view: View) -> None:
    """Say what is doubtful in the workflow, such as a setting that its block does not have."""
    with suppress(SciStudioError):  # the run tells what it tells; a file that was changed meanwhile is no fault of it
        for problem in await backend.validate(workflow):
            if problem.severity == "warning":
                view.note(f"warning: {problem.message}{f' {problem.hint}' if problem.hint else ''}")


def exit_code(run: RunSnapshot) -> int:
    """Return what the shell is told about an ended run."""
    if run.state == "completed":
        return COMPLETED
    if run.state == "cancelled":
        return CANCELLED
    failures = [node for node in run.nodes if node.state == "error"]
    lost = [node for node in failures if node.error_code in INFRASTRUCTURE_CODES]
    return INFRASTRUCTURE if lost and len(lost) == len(failures) else FAILED
