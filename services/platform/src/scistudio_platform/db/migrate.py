"""Bringing a database to its newest revision.

Each service brings a folder ``migrations/versions`` of Alembic scripts and nothing else: the environment is ours. Alembic is imported
only when there is something to do. The lock is the transaction itself: BEGIN IMMEDIATE on SQLite, an advisory lock on PostgreSQL;
whoever comes second finds the work done, and a migration that is cut off leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, MetaData, inspect, text

from scistudio_platform.db.errors import DatabaseTooNew

if TYPE_CHECKING:
    from alembic.config import Config

_ASSIGNED = re.compile(r"^(revision|down_revision)\b[^=\n]*=\s*(.+)$", re.MULTILINE)
_ALEMBIC = Path(__file__).parent / "alembic"
# Alembic keeps what it works on in globals: services that share a loop migrate their databases one after another.
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def turn() -> asyncio.Lock:
    """Return the lock under which ``upgrade`` runs in this event loop, whatever the database."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())


@dataclass(frozen=True, slots=True)
class Revisions:
    """The revisions that the scripts of a service make, read from their text."""

    known: frozenset[str]
    head: str

    @classmethod
    def read(cls, folder: Path) -> Revisions:
        """Read ``folder/versions``."""
        parents: dict[str, str] = {}
        for script in sorted((folder / "versions").glob("*.py")):
            assigned = {name: value.strip().strip("\"'") for name, value in _ASSIGNED.findall(script.read_text())}
            if "revision" in assigned:
                parents[assigned["revision"]] = assigned.get("down_revision", "None")
        heads = parents.keys() - set(parents.values())
        if len(heads) != 1:
            raise ValueError(f"{folder / 'versions'} must have one newest revision, not {sorted(heads)}")
        return cls(frozenset(parents), heads.pop())


def folder_of(migrations: str | Path) -> Path:
    """Return the folder of a migrations package, without importing it."""
    if isinstance(migrations, Path):
        return migrations
    spec = find_spec(migrations)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"there is no package {migrations}")
    return Path(next(iter(spec.submodule_search_locations)))


def needs_migration(connection: Connection, revisions: Revisions, name: str) -> bool:
    """Whether the database is older than the code.

    Raises
    ------
    DatabaseTooNew
        If it is newer.
    """
    if not inspect(connection).has_table("alembic_version"):
        return True
    current = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if current is not None and current not in revisions.known:
        raise DatabaseTooNew(name, current)
    return current != revisions.head


def configuration(folder: Path, connection: Connection, metadata: MetaData | None = None) -> Config:
    """Return what Alembic's commands take."""
    from alembic.config import Config

    def option(path: Path) -> str:
        return str(path).replace("%", "%%")

    config = Config()
    config.set_main_option("script_location", option(_ALEMBIC))
    config.set_main_option("version_locations", option(folder / "versions"))
    config.set_main_option("path_separator", "newline")  # the default splits paths at blanks
    attributes: dict[str, Any] = {"connection": connection, "metadata": metadata}
    config.attributes.update(attributes)
    return config


def upgrade(connection: Connection, folder: Path, schema: str) -> None:
    """Bring the database behind ``connection``, which is in a writing transaction, to the newest revision."""
    from alembic import command

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"scistudio-migrate-{schema}"})
        connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
    command.upgrade(configuration(folder, connection), "head")
