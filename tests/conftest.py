"""What end-to-end tests share: the real programs, in folders of their own, and proof that they leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 60


@dataclass
class Home:
    """A machine of its own, as far as SciStudio can see: runtime, state and projects below one short folder."""

    folder: Path

    @property
    def env(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("SCISTUDIO_")},
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "SCISTUDIO_STATE_DIR": str(self.folder / "state"),
            "HOME": str(self.folder / "home"),
        }

    def project(self, name: str, source: Path | None = None) -> Path:
        """A copy of a project."""
        source = source or next(path for path in (ROOT / "examples" / name, ROOT / "tests" / "projects" / name) if path.is_dir())
        target = self.folder / name
        left = shutil.ignore_patterns(".scistudio", "zarr", "processed", "__pycache__", "marks")
        return Path(shutil.copytree(source, target, ignore=left, dirs_exist_ok=True))

    def scistudio(self, *arguments: str | Path, cwd: Path | None = None, limit_s: float = LIMIT_S) -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        command = [sys.executable, "-m", "scistudio_cli", *map(str, arguments)]
        return subprocess.run(command, env=self.env, cwd=cwd or self.folder, capture_output=True, text=True, timeout=limit_s, check=False)

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start the command and return its process."""
        command = [sys.executable, "-m", "scistudio_cli", *map(str, arguments)]
        return subprocess.Popen(
            command, env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def processes(self) -> list[psutil.Process]:
        """Every living process that belongs to this home, wherever it was started from."""
        mark = f"XDG_RUNTIME_DIR={self.folder}/run".encode()
        return [process for process in psutil.process_iter() if _belongs(process, mark, str(self.folder))]


def _belongs(process: psutil.Process, mark: bytes, folder: str) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE or process.pid == os.getpid():
            return False
        environment = Path(f"/proc/{process.pid}/environ").read_bytes()
        return mark in environment.split(b"\0") or any(folder in part for part in process.cmdline())
    except (psutil.Error, OSError):
        return False


@pytest.fixture
def home() -> Iterator[Home]:
    """A home; when the test is over nothing of it may still run."""
    folder = Path(tempfile.mkdtemp(prefix="sci-"))
    for name in ("run", "state", "home"):
        (folder / name).mkdir(mode=0o700)
    made = Home(folder)
    yield made
    left = made.processes()
    names = [" ".join(process.cmdline())[:120] for process in left if process.is_running()]
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    shutil.rmtree(folder, ignore_errors=True)
    assert not names, f"still running: {names}"


@dataclass
class Up:
    """A running ``scistudio up``."""

    url: str
    token: str
    project_id: str
    process: subprocess.Popen[str]
    home: Home
    warnings: list[str] = field(default_factory=list)

    def client(self) -> httpx2.Client:
        """An HTTP client with the session's token."""
        return httpx2.Client(base_url=f"{self.url}/api/v1", headers={"authorization": f"Bearer {self.token}"}, timeout=30)

    @property
    def path(self) -> str:
        """The project's resource."""
        return f"/projects/{self.project_id}"

    def pid_of(self, service: str) -> int:
        """The process of one service: the launcher's child whose log is that service's."""
        for child in psutil.Process(self.process.pid).children():
            with contextlib.suppress(OSError):
                if Path(f"/proc/{child.pid}/fd/1").readlink().name == f"{service}.log":
                    return child.pid
        raise AssertionError(f"no process of {service}")

    def wait_for(self, run: str, *states: str) -> dict[str, Any]:
        """The run, once it is in one of ``states`` (none named: ended)."""
        wanted = states or ("completed", "completed_with_failures", "failed", "cancelled")
        with self.client() as http:
            return until(lambda: _in_state(http, f"{self.path}/runs/{run}", wanted))


def _in_state(http: httpx2.Client, path: str, wanted: tuple[str, ...]) -> dict[str, Any] | None:
    with contextlib.suppress(httpx2.TransportError):
        answer = http.get(path)
        if answer.status_code == 200 and answer.json()["state"] in wanted:
            found: dict[str, Any] = answer.json()
            return found
    return None


def until(condition: Callable[[], Any], limit_s: float = LIMIT_S, pause_s: float = 0.05) -> Any:
    """Wait for something true, with a limit."""
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause_s)
    return value


@contextlib.contextmanager
def running(home: Home, project: Path) -> Iterator[Up]:
    """``scistudio up`` on a free port, ended by SIGTERM; it must exit 0."""
    process = home.start("up", project, "--port", "0", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    warnings: list[str] = []
    reader = threading.Thread(target=lambda stream: warnings.extend(iter(stream.readline, "")), args=(process.stderr,), daemon=True)
    reader.start()
    try:
        line = process.stdout.readline()
        assert line, "".join(warnings)
        ready = json.loads(line)
        up = Up(ready["url"], ready["token"], "", process, home, warnings)
        with up.client() as http:
            up.project_id = next(item["id"] for item in http.get("/projects").json()["items"] if item["path"] == str(project))
        yield up
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_S) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        reader.join(10)
        process.stdout.close()
        process.stderr.close()


@pytest.fixture
def up(home: Home) -> Callable[[str], contextlib.AbstractContextManager[Up]]:
    """Starts ``scistudio up`` on a copy of a project."""
    return lambda name: running(home, home.project(name))
