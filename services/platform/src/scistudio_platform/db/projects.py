"""The databases of a service that owns data per project."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from scistudio_platform.db.database import Database
from scistudio_platform.settings import ServiceSettings

OnOpen = Callable[[str, Database], Awaitable[None]]


class ProjectDatabases:
    """A part that opens, migrates, keeps and closes them: ``<project>/.scistudio/<service>.db``, or one PostgreSQL schema for all.

    Parameters
    ----------
    settings : ServiceSettings
        ``database_url`` decides which.
    service : str
        Names file and schema.
    migrations : str or Path
        As of ``Database``.
    durable : bool
        As of ``Database``.
    on_open : callable, optional
        Awaited with the project's id and its database when that is opened, before ``get`` returns it.
    """

    def __init__(
        self, settings: ServiceSettings, *, service: str, migrations: str | Path, durable: bool = False, on_open: OnOpen | None = None
    ) -> None:
        self._url = settings.database_url
        self._service = service
        self._migrations = migrations
        self._durable = durable
        self._on_open = on_open
        self._shared: Database | None = None
        self._opened: dict[str, Database] = {}
        self._opening = asyncio.Lock()

    async def start(self) -> None:
        """Open the shared database, where there is one."""
        if self._url is not None:
            shared = self._database(self._url)
            await shared.start()
            self._shared = shared

    async def stop(self) -> None:
        """Close all."""
        databases = self.opened()
        self._opened.clear()
        for database in databases:
            await database.stop()

    async def get(self, project_id: str, project_dir: Path) -> Database:
        """Return the project's database, opened and at its newest revision; that of its new folder when the project was moved."""
        if (database := self._current(project_id, project_dir)) is not None:
            return database
        async with self._opening:
            if (database := self._current(project_id, project_dir)) is not None:
                return database
            await self.close(project_id)
            return await self._open(project_id, project_dir)

    async def close(self, project_id: str) -> None:
        """Close the project's database, if it is open: its folder may be moved or deleted then."""
        database = self._opened.pop(project_id, None)
        if database is not None and database is not self._shared:
            await database.stop()

    def opened(self) -> Sequence[Database]:
        """Return every database that is open, each once."""
        databases = dict.fromkeys(self._opened.values())
        return [*databases] if self._shared is None else [self._shared]

    def _current(self, project_id: str, project_dir: Path) -> Database | None:
        database = self._opened.get(project_id)
        return database if database is self._shared or (database is not None and database.path == self._file(project_dir)) else None

    def _file(self, project_dir: Path) -> Path:
        return project_dir / ".scistudio" / f"{self._service}.db"

    async def _open(self, project_id: str, project_dir: Path) -> Database:
        database = self._shared
        if database is None:
            database = self._database(self._file(project_dir))
            await database.start()
        self._opened[project_id] = database
        if self._on_open is not None:
            try:
                await self._on_open(project_id, database)
            except BaseException:
                await self.close(project_id)
                raise
        return database

    def _database(self, place: str | Path) -> Database:
        return Database(place, schema=self._service, migrations=self._migrations, durable=self._durable)
