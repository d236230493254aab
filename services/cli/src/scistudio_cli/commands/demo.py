"""``scistudio demo``: the measure-objects example through the gateway, as a newcomer's first look."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scistudio_platform.errors import Kind, SciStudioError

from scistudio_cli.launcher.up import WORKER_GRACE_S
from scistudio_cli.runs.follow import Follower, Interrupted
from scistudio_cli.runs.remote import Remote
from scistudio_cli.runs.view import TerminalView

NAME = "measure-objects"
WORKFLOW = f"workflows/{NAME}.yaml"
LEFT_BEHIND = shutil.ignore_patterns(".scistudio", "zarr", "processed", "__pycache__", ".git")


class DemoFailed(SciStudioError):
    """The demo did not come to its end."""

    kind, code = Kind.INTERNAL, "demo.failed"


def run_demo(examples: Path, target: Path) -> int:
    """Copy the examples, start the services, run, show the results, stop what was started."""
    if not (examples / NAME / "project.yaml").is_file():
        raise DemoFailed(f"{examples} does not hold the example projects.", hint="Run this in a checkout of SciStudio, or use --examples.")
    shutil.copytree(examples, target, dirs_exist_ok=True, ignore=LEFT_BEHIND)
    project = (target / NAME).resolve()
    try:
        with _services(project) as ready:
            return asyncio.run(_demo(project, ready))
    except (Interrupted, KeyboardInterrupt):
        return 128 + signal.SIGINT


@contextlib.contextmanager
def _services(project: Path) -> Iterator[dict[str, Any]]:
    """A ``scistudio up`` of its own on a free port; ended when the block ends."""
    command = [sys.executable, "-m", "scistudio_cli", "up", str(project), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        ready = json.loads(first) if first else {}
        if ready.get("event") != "ready":
            hint = f"It serves {project} at {ready['url']}: stop it, then try again." if "url" in ready else "The lines above say why."
            raise DemoFailed("The services did not start.", hint=hint)
        yield ready
    finally:
        process.terminate()
        try:
            process.wait(2 * WORKER_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def _demo(project: Path, ready: dict[str, Any]) -> int:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"All services are up at {ready['url']}.")
    view = TerminalView()
    async with Remote(ready["url"], ready["token"]) as remote:
        await remote.open_project(str(project))
        run = await remote.start(WORKFLOW)
        view.started(run)
        run = await Follower(remote, view, run).to_the_end()
        view.ended(run)
        if run.state != "completed":
            raise DemoFailed(f"The run ended as {run.state}.", hint=f"The logs are in {ready['logs']} and {project}/.scistudio/logs.")
        await _show_results(console, remote, run.id)
    results = sorted(str(path.relative_to(Path.cwd())) for path in _results(project) if not path.name.endswith(".meta.json"))
    console.print("\n  ".join(["\nResults:", *results]))
    console.print("See the finished run on the page: [bold]make up[/]")
    return 0


def _results(project: Path) -> list[Path]:
    found = [path for path in (project / "data" / "processed").iterdir() if path.is_file()]
    return [path if path.is_relative_to(Path.cwd()) else path.resolve() for path in found]


async def _show_results(console: Console, remote: Remote, run_id: str) -> None:
    import pyarrow as pa

    body = (await remote.read(run_id, "statistics", "statistics", 0, "table")).content
    with pa.ipc.open_stream(body) as reader:
        rows = reader.read_all().to_pylist()
    table = Table(title="Objects that were kept", title_justify="left", box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, justify="left" if name == "measurement" else "right")
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    console.print(table)
