"""Connections to SQLite that spare trips to their thread.

aiosqlite does everything in a thread of the connection, and a trip there and back costs 0.1 ms or so: more than opening or closing a
cursor does. SQLAlchemy opens and closes one for each statement and rolls back after each commit, so a transaction of two statements
would make eleven trips; it makes four.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiosqlite

ROWS_AT_ONCE = 64


class SqliteConnection(aiosqlite.Connection):
    """Does at once what waits for neither disk nor lock. Only one thing at a time is asked of a connection, so threads never meet in it."""

    async def _execute(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        if self._connection is not None and _is_immediate(fn, self._connection):
            return fn(*args, **kwargs)
        return await super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]


def _is_immediate(fn: Any, connection: sqlite3.Connection) -> bool:
    owner, name = getattr(fn, "__self__", None), getattr(fn, "__name__", "")
    if owner is connection:
        return name == "cursor" or (name == "rollback" and not connection.in_transaction)
    return isinstance(owner, sqlite3.Cursor) and name == "close"


def connector(path: Path, *, timeout_s: float) -> Callable[[], Awaitable[aiosqlite.Connection]]:
    """Return what opens a connection, for ``create_async_engine(async_creator=...)``.

    Isolation level None: the driver begins nothing by itself.
    """

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)

    async def open_connection() -> aiosqlite.Connection:
        connection = SqliteConnection(connect, iter_chunk_size=ROWS_AT_ONCE)
        connection._thread.daemon = True  # as SQLAlchemy does: one that was not closed must not keep the process alive
        return await connection

    return open_connection
