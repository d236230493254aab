"""Fixtures with a real PostgreSQL, from Debian's package."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scistudio_platform.testing import short_dir

SUPERUSER = "postgres"


@dataclass
class PostgresServer:
    """A server of our own, on a Unix socket alone."""

    base: Path
    programs: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def as_user(self, *command: str) -> list[str]:
        """Return the command as PostgreSQL wants to be run: not as root, and never longer than the tests."""
        user = ["--reuid", SUPERUSER, "--regid", SUPERUSER, "--clear-groups"] if os.getuid() == 0 else []
        return ["setpriv", *user, "--pdeathsig", "INT", *command]

    def new_database(self) -> str:
        """Make a database and return its URL."""
        name = f"test_{next(self.numbers)}"
        subprocess.run([self.programs / "createdb", "-h", self.base, "-U", SUPERUSER, name], check=True, capture_output=True)
        return f"postgresql://{SUPERUSER}@/{name}?host={self.base}"


def find_programs() -> Path:
    """Return the folder of the newest PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.fail("PostgreSQL is not installed: `make setup-system`, or `apt-get install postgresql`.", pytrace=False)
    return found[-1].parent


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Start one PostgreSQL for all tests of a process."""
    server = PostgresServer(short_dir(), find_programs())
    if os.getuid() == 0:
        shutil.chown(server.base, SUPERUSER, SUPERUSER)
    data = str(server.base / "data")
    initdb = server.as_user(str(server.programs / "initdb"), "-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync")
    subprocess.run(initdb, check=True, capture_output=True, cwd="/")
    options = ["-D", data, "-k", str(server.base), "-c", "listen_addresses=", "-c", "fsync=off"]
    with (server.base / "log").open("wb") as log:
        process = subprocess.Popen(server.as_user(str(server.programs / "postgres"), *options), stdout=log, stderr=log, cwd="/")
    subprocess.run(
        ["timeout", "30", "sh", "-c", f"until {server.programs}/pg_isready -q -h {server.base}; do sleep 0.05; done"], check=True
    )
    yield server
    process.send_signal(signal.SIGQUIT)  # at once: nothing is kept
    process.wait(30)
    shutil.rmtree(server.base)


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> str:
    """Give the URL of a new, empty database: ``make_settings(cls, database_url=postgres)``."""
    return postgres_server.new_database()
