"""``scistudio up``: everything on one machine, one process a service."""

from __future__ import annotations

import contextlib
import functools
import gc
import http.client
import importlib
import json
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scistudio_platform.errors import Kind, RemoteError, SciStudioError
from scistudio_platform.http import listening_socket
from scistudio_platform.nats import NatsServer

from scistudio_cli import places
from scistudio_cli.composition import SERVICES, Place, service_main
from scistudio_cli.errors import AddressNotAllowed, PortInUse, RunDirectoryGone, ServiceDidNotStart, StartTimedOut
from scistudio_cli.launcher.addresses import is_loopback, names_for_others
from scistudio_cli.launcher.claim import Claim, Note
from scistudio_cli.launcher.supervisor import Supervisor

# What several services need: imported once here, before the forks, and shared. None of it starts a thread. What one service alone
# needs (fastapi, its own modules) it imports itself, at the same time as the others.
SHARED = (
    "aiosqlite",
    "asyncio",
    "nats",
    "pydantic_settings",
    "scistudio_platform.db",
    "scistudio_platform.events.consumer",
    "scistudio_platform.rpc",
    "scistudio_platform.rpc.metrics",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "sqlalchemy.ext.asyncio",
    "uvicorn",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.httptools_impl",
)
START_LIMIT_S = 60.0
ALLOWED_HOSTS = "SCISTUDIO_GATEWAY_ALLOWED_HOSTS"
ASK_S = 0.02
TOO_MANY_FAILURES = 3
SERVICE_GRACE_S, WORKER_GRACE_S = 10.0, 15.0


@dataclass(frozen=True, slots=True)
class Options:
    """What ``up`` was asked for."""

    project: Path | None
    host: str
    port: int
    as_json: bool


class Reporter:
    """What the launcher says: text for a person, or JSON lines. Problems go to standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def say(self, event: str, text: str, **fields: Any) -> None:
        """Say something on standard output."""
        print(json.dumps({"event": event, **fields}) if self._as_json else text, flush=True)  # noqa: T201  # this is the program's output

    def warn(self, text: str) -> None:
        """Say that something went wrong."""
        print(json.dumps({"event": "warning", "text": text}) if self._as_json else f"scistudio: {text}", file=sys.stderr, flush=True)  # noqa: T201


class Launcher:
    """Starts NATS, the services and the worker host, watches them, and ends them."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._reporter = Reporter(as_json=options.as_json)
        self._run_dir = places.run_dir(options.project)
        self._state_dir = places.state_dir()
        self._logs = self._run_dir / "logs"
        self._claim = Claim(self._run_dir)
        self._project_id = ""
        self._session_token = secrets.token_urlsafe(32)
        self._nats = NatsServer(self._state_dir / "nats" / places.composition_key(options.project))
        self._nats_is_down = False

    def run(self) -> int:
        """Serve until a signal. Returns the exit code: 0 after a signal."""
        self._claim.take()
        try:
            door = self._bind()
            try:
                return self._serve(door)
            finally:
                door.close()
        finally:
            self._claim.release()

    def _bind(self) -> socket.socket:
        host, port = self._options.host, self._options.port
        if not host.strip():  # to the system that is every address
            raise AddressNotAllowed("The host is empty.", hint="Use 127.0.0.1; `--host 0.0.0.0` listens on every address.")
        try:
            return listening_socket(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        except OSError as error:
            if error.errno in (98, 48):  # EADDRINUSE on Linux and macOS
                raise PortInUse(host, port) from error
            hint = "Use 127.0.0.1, or an address of this machine; ports below 1024 need root."
            raise AddressNotAllowed(f"Nothing can listen on {host}, port {port}: {error.strerror}.", hint=hint) from error

    def _serve(self, door: socket.socket) -> int:
        started_at = time.monotonic()
        self._logs.mkdir(mode=0o700, exist_ok=True)
        self._nats.start()
        supervisor = Supervisor(self._reporter.warn)
        supervisor.keep_from_children(self._claim.descriptor)
        try:
            self._start(supervisor, door)
            self._wait_until_ready(supervisor, door)
            if supervisor.signalled is None:
                self._announce(door, time.monotonic() - started_at)
            while supervisor.signalled is None:
                supervisor.wait(5.0)
                self._mind_run_dir()
                self._mind_nats()
        finally:
            self._stop(supervisor)
        with contextlib.suppress(OSError):  # the terminal may be gone, which is no reason to end badly
            self._reporter.say("stopped", "SciStudio has stopped.")
        return 0 if supervisor.signalled != signal.SIGHUP else 129

    def _start(self, supervisor: Supervisor, door: socket.socket) -> None:
        gc.disable()  # nothing that imports make is garbage
        for module in SHARED:
            importlib.import_module(module)
        gc.enable()
        gc.freeze()  # a collection in a child would copy every page that it marks
        place = Place(self._run_dir, self._state_dir, self._nats.url, self._nats.token)
        away = (door.fileno(),)
        supervisor.start("worker", self._main("worker", place, supervisor, {"http": None}), self._log("worker"), shed=away)
        for name in SERVICES:
            changes, parts = self._particulars(name, door)
            main = self._main(name, place, supervisor, changes, **parts)
            supervisor.start(name, main, self._log(name), shed=() if name == "gateway" else away)

    def _particulars(self, name: str, door: socket.socket) -> tuple[dict[str, Any], dict[str, Any]]:
        if name == "gateway":
            instance = places.composition_key(self._options.project)
            changes: dict[str, Any] = {
                "session_token": self._session_token,
                "instance": instance,
                "host": self._options.host,
                "port": self._port(door),
            }
            if (names := names_for_others(self._options.host)) and ALLOWED_HOSTS not in os.environ:
                changes["allowed_hosts"] = names
            return changes, {"sock": door}
        return ({"url": self._url(door)}, {}) if name == "workflow" else ({}, {})

    def _main(self, name: str, place: Place, supervisor: Supervisor, changes: dict[str, Any], **parts: Any) -> Callable[[], int]:
        return functools.partial(service_main, name, place, changes, lifeline=supervisor.lifeline, **parts)

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _port(self, door: socket.socket) -> int:
        return int(door.getsockname()[1])

    def _url(self, door: socket.socket) -> str:
        host = self._options.host
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  # told apart, not bound
        return f"http://{host}:{self._port(door)}"

    def _wait_until_ready(self, supervisor: Supervisor, door: socket.socket) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        while supervisor.signalled is None:
            if self._ask(door, "GET", "/api/v1/health")[0] == 200:
                break
            if (child := supervisor.failing(TOO_MANY_FAILURES)) is not None:
                raise ServiceDidNotStart(child.name, _last_words(child.log) or child.last_exit, child.log)
            if time.monotonic() > deadline:
                raise StartTimedOut(f"Not all services answered within {START_LIMIT_S:.0f} s.", hint=f"Their logs are in {self._logs}.")
            supervisor.wait(ASK_S)
        if self._options.project is not None and supervisor.signalled is None:
            self._open(door, self._options.project)

    def _open(self, door: socket.socket, project: Path) -> None:
        status, answer = self._ask(door, "POST", "/api/v1/projects", {"path": str(project), "existing": True})
        if status >= 400:
            detail = answer.get("detail", f"The project could not be opened ({status}).")
            raise RemoteError(Kind.INVALID, answer.get("code", "project.not_opened"), detail, hint=answer.get("hint") or "")
        self._project_id = str(answer.get("id", ""))

    def _ask(self, door: socket.socket, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Ask the gateway by blocking HTTP; status 0 while it does not answer."""
        host = "::1" if door.family == socket.AF_INET6 else "127.0.0.1"
        if self._options.host not in ("0.0.0.0", "::"):  # noqa: S104  # told apart, not bound
            host = self._options.host
        connection = http.client.HTTPConnection(host, self._port(door), timeout=30 if body else 2)
        headers = {"Authorization": f"Bearer {self._session_token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def _announce(self, door: socket.socket, took_s: float) -> None:
        url = self._url(door)
        project = str(self._options.project) if self._options.project else None
        self._claim.write(Note(os.getpid(), url, self._session_token, project))
        what = f" with {project}" if project else ""
        page = f"{url}/?token={self._session_token}" + (f"#/projects/{quote(self._project_id, safe='')}" if self._project_id else "")
        text = (
            f"SciStudio is up{what} ({took_s:.1f} s). Open this address in a browser:\n\n  {page}\n\n"
            f"Programs send the token instead: Authorization: Bearer {self._session_token}\nCtrl-C stops it. Logs: {self._logs}"
        )
        if not is_loopback(self._options.host):
            self._reporter.warn("listening beyond this machine, without encryption: whoever has the token can do all that you can.")
        self._reporter.say("ready", text, url=url, token=self._session_token, pid=os.getpid(), project=project, logs=str(self._logs))

    def _mind_nats(self) -> None:
        if (code := self._nats.exit_code()) is not None:
            self._restart_nats(f"nats died (exit code {code})")
        elif self._nats.needs_restart():
            self._restart_nats("nats has stopped writing, as after a full disk, or its folder was deleted")

    def _restart_nats(self, why: str) -> None:
        """Restart it, or try again at the next look: the services live without it for a while, and say that it is down."""
        try:
            self._nats.stop()
            self._nats.start()
        except SciStudioError as error:
            if not self._nats_is_down:
                self._reporter.warn(f"{why}, and cannot be restarted yet: {error.message} {error.hint}")
            self._nats_is_down = True
        else:
            self._reporter.warn(f"{why}; it is restarted.")
            self._nats_is_down = False

    def _mind_run_dir(self) -> None:
        if not self._logs.is_dir():
            raise RunDirectoryGone(self._run_dir)

    def _stop(self, supervisor: Supervisor) -> None:
        supervisor.stop(list(reversed(SERVICES)), grace_s=SERVICE_GRACE_S)
        supervisor.stop(["worker"], grace_s=WORKER_GRACE_S)
        self._nats.stop()
        supervisor.close()


def _last_words(log: Path) -> str:
    """The last plain line of a log: what a service says when it cannot serve."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip() and not line.startswith("{")]
    return lines[-1].removeprefix("scistudio ") if lines else ""
