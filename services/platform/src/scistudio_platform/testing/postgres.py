"""Fixtures with a real PostgreSQL, from Debian's package."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scistudio_platform.testing import short_dir

SUPERUSER = "postgres"
EMPTY = """DO $$
DECLARE name text;
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END $$"""


@dataclass
class PostgresServer:
    """A server of our own, on a Unix socket alone."""

    base: Path
    programs: Path

    def as_user(self, *command: str) -> list[str]:
        """Return the command as PostgreSQL wants to be run: not as root, and never longer than the tests."""
        user = ["--reuid", SUPERUSER, "--regid", SUPERUSER, "--clear-groups"] if os.getuid() == 0 else []
        return ["setpriv", *user, "--pdeathsig", "INT", *command]

    @property
    def url(self) -> str:
        """The URL of its one database."""
        return f"postgresql://{SUPERUSER}@/{SUPERUSER}?host={self.base}"

    def drop_schemas(self) -> None:
        """Empty the database, whoever is still connected. A new one for each test would be a thousand files each time."""
        psql = [str(self.programs / "psql"), "-q", "-h", str(self.base), "-U", SUPERUSER, "-v", "ON_ERROR_STOP=1", "-c", EMPTY]
        subprocess.run(psql, check=True, capture_output=True)


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
def postgres(postgres_server: PostgresServer) -> Iterator[str]:
    """Give the URL of an empty database: ``make_settings(cls, database_url=postgres)``."""
    yield postgres_server.url
    postgres_server.drop_schemas()
