"""One database: a SQLite file, or a service's schema in PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from scistudio_platform.db.engine import WRITES, postgres_engine, sqlite_engine
from scistudio_platform.db.errors import DatabaseClosed, DatabaseUnavailable, faults_of
from scistudio_platform.db.filesystem import MOUNTS
from scistudio_platform.db.migrate import Revisions, folder_of, needs_migration, turn, upgrade
from scistudio_platform.db.tables import OUTBOX

OUTBOX_ROWS = "scistudio_outbox_rows"
OutboxListener = Callable[["Database", Sequence[dict[str, Any]]], None]


class Database:
    """A part: opened and brought to its newest revision by ``start``.

    Parameters
    ----------
    url_or_path : str or Path
        A file for SQLite, made with its folder where missing; or the URL of a PostgreSQL database.
    schema : str
        The service's schema in PostgreSQL.
    migrations : str or Path
        The service's migrations: the name of the package, or its folder.
    durable : bool
        Whether a commit must survive a power cut; for what holds an outbox. (PostgreSQL always does.)
    mounts : Path
        Where the system lists what is mounted.
    """

    def __init__(
        self, url_or_path: str | Path, *, schema: str, migrations: str | Path, durable: bool = False, mounts: Path = MOUNTS
    ) -> None:
        self.path = url_or_path if isinstance(url_or_path, Path) else None
        self._url = str(url_or_path)
        self._schema = schema
        self._migrations = migrations
        self._durable = durable
        self._mounts = mounts
        self._engine: AsyncEngine | None = None
        self._writing: AsyncEngine | None = None
        # On SQLite writers queue here, in order, instead of polling for the file's lock.
        self._turn: asyncio.Lock | nullcontext[None] = nullcontext() if self.path is None else asyncio.Lock()
        self._listeners: list[OutboxListener] = []

    @property
    def name(self) -> str:
        """What people call it: the file, or the schema. Never the URL, which may hold a password."""
        return str(self.path) if self.path else f"schema {self._schema}"

    async def start(self) -> None:
        """Open it.

        Raises
        ------
        DatabaseUnavailable
            If it cannot be opened or made.
        DatabaseTooNew
            If a later version wrote it.
        """
        engine = self._new_engine()
        try:
            await self._migrate(engine)
        except BaseException:
            await engine.dispose()
            raise
        self._engine, self._writing = engine, engine.execution_options(**{WRITES: True})

    async def stop(self) -> None:
        """Close it."""
        engine, self._engine, self._writing = self._engine, None, None
        if engine is not None:
            await engine.dispose()

    def on_outbox(self, listener: OutboxListener) -> None:
        """Call ``listener`` with this database and the new rows after each commit that left events in the outbox, in that order."""
        if listener not in self._listeners:
            self._listeners.append(listener)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Give a session that commits at the end, with the events of its ``Outbox``, or rolls all back when the block raises.

        On SQLite one transaction writes at a time: keep it short, and never await another service inside.
        """
        async with self._turn, self._session(self._writing) as session:
            yield session
            rows = session.info.pop(OUTBOX_ROWS, None)
            if rows:
                await session.execute(insert(OUTBOX), rows)
            await session.commit()
            for listener in self._listeners if rows else ():  # before anything is awaited: in the order of the commits
                listener(self, rows)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Give a session that sees one consistent state and writes nothing; writers do not wait for it."""
        async with self._session(self._engine) as session:
            yield session

    @asynccontextmanager
    async def _session(self, engine: AsyncEngine | None) -> AsyncIterator[AsyncSession]:
        if engine is None:
            raise DatabaseClosed(self.name)
        async with AsyncExitStack() as stack:
            try:
                stack.enter_context(faults_of(self.name))
                session = await stack.enter_async_context(AsyncSession(engine, expire_on_commit=False))
                await session.connection()
            except OSError as error:  # asyncpg's way to say that nobody listens
                raise DatabaseUnavailable(self.name, str(error) or type(error).__name__) from error
            yield session

    def _new_engine(self, *, foreign_keys: bool = True) -> AsyncEngine:
        if self.path is None:
            return postgres_engine(self._url, self._schema)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseUnavailable(self.name, str(error)) from error
        return sqlite_engine(self.path, durable=self._durable, foreign_keys=foreign_keys, mounts=self._mounts)

    async def _migrate(self, opened: AsyncEngine) -> None:
        folder = folder_of(self._migrations)
        revisions = Revisions.read(folder)
        async with self._session(opened) as session:
            connection = await session.connection()
            if not await connection.run_sync(needs_migration, revisions, self.name):
                return
        # An engine of its own: rebuilding a table with foreign keys on would delete the rows that refer to it.
        engine = self._new_engine(foreign_keys=False).execution_options(**{WRITES: True})
        try:
            with faults_of(self.name):
                async with turn(), engine.begin() as connection:
                    await connection.run_sync(upgrade, folder, self._schema)
        finally:
            await engine.dispose()
