"""Engines: how a connection to SQLite or PostgreSQL is set up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scistudio_platform.db.base import read_json, write_json
from scistudio_platform.db.filesystem import MOUNTS, file_system_of, is_network
from scistudio_platform.db.sqlite import connector
from scistudio_platform.logging import get_logger

BUSY_TIMEOUT_MS = 10_000
WRITES = "scistudio_writes"


def sqlite_engine(path: Path, *, durable: bool, foreign_keys: bool = True, mounts: Path = MOUNTS) -> AsyncEngine:
    """Return an engine for a file. ``durable``: a commit survives a power cut, for 0.3 ms or so each."""
    network = is_network(kind := file_system_of(path.parent, mounts))
    if network:
        get_logger("db").warning(
            "database on a network file system: slower, and for one computer at a time; PostgreSQL (SCISTUDIO_DATABASE_URL) suits better",
            path=str(path),
            file_system=kind,
        )
    pragmas = {
        "journal_mode": "DELETE" if network else "WAL",
        "synchronous": "FULL" if durable or network else "NORMAL",
        "busy_timeout": BUSY_TIMEOUT_MS,
        "foreign_keys": "ON" if foreign_keys else "OFF",
    }
    url = URL.create("sqlite+aiosqlite", database=str(path))
    # The driver begins nothing by itself; `_begin` does, since it must be IMMEDIATE for a writer.
    engine = create_async_engine(
        url,
        async_creator=connector(path, timeout_s=BUSY_TIMEOUT_MS / 1000),
        pool_size=3,
        max_overflow=20,
        json_serializer=write_json,
        json_deserializer=read_json,
    )

    def set_up(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        for name, value in pragmas.items():
            cursor.execute(f"PRAGMA {name}={value}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", set_up)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    """Take the write lock at once where something will be written: asked for later it may be refused without a wait."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get(WRITES) else "BEGIN")


def postgres_engine(url: str, schema: str) -> AsyncEngine:
    """Return an engine whose unqualified names are those of ``schema``."""
    return create_async_engine(
        make_url(url).set(drivername="postgresql+asyncpg"),
        connect_args={"server_settings": {"search_path": schema, "application_name": f"scistudio-{schema}"}},
        pool_size=5,
        max_overflow=10,
        pool_pre_ping=True,
        json_serializer=write_json,
        json_deserializer=read_json,
    )
