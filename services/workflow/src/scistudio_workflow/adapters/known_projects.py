"""The list of known projects, in SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scistudio_platform.db import Base, Database, new_metadata
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column


class TableBase(Base):
    """Base of this service's tables."""

    __abstract__ = True
    metadata = new_metadata()


class ProjectRow(TableBase):
    """A project that was opened at some time. ``open_in`` names the run directory of the installation that holds or held it open."""

    __tablename__ = "project"

    id: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    description: Mapped[str]
    opened_at: Mapped[datetime]
    open_in: Mapped[str | None]


@dataclass(frozen=True)
class KnownProject:
    """A known project."""

    id: str
    path: str
    name: str
    description: str
    opened_at: datetime


class KnownProjects:
    """Reads and writes the list."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> list[KnownProject]:
        """Return every known project, the most recently opened first."""
        async with self._database.reading() as session:
            rows = await session.scalars(select(ProjectRow).order_by(ProjectRow.opened_at.desc(), ProjectRow.id))
            return [_known(row) for row in rows]

    async def find(self, project_id: str) -> KnownProject | None:
        """Return the project of that id."""
        async with self._database.reading() as session:
            row = await session.get(ProjectRow, project_id)
            return None if row is None else _known(row)

    async def left_open(self, composition: str) -> list[KnownProject]:
        """Return what this installation held open when it ended."""
        async with self._database.reading() as session:
            rows = await session.scalars(select(ProjectRow).where(ProjectRow.open_in == composition).order_by(ProjectRow.opened_at))
            return [_known(row) for row in rows]

    async def remember(self, project: KnownProject, composition: str) -> None:
        """Note that a project was opened; what was known under its id or path before is replaced."""
        async with self._database.transaction() as session:
            await session.execute(delete(ProjectRow).where((ProjectRow.path == project.path) | (ProjectRow.id == project.id)))
            session.add(_row(project, composition))

    async def note_closed(self, project_id: str) -> None:
        """Note that a project was closed on purpose."""
        async with self._database.transaction() as session:
            await session.execute(update(ProjectRow).where(ProjectRow.id == project_id).values(open_in=None))

    async def forget(self, project_id: str) -> bool:
        """Take a project off the list; say whether it was there."""
        async with self._database.transaction() as session:
            return await _delete(session, project_id)


async def _delete(session: AsyncSession, project_id: str) -> bool:
    row = await session.get(ProjectRow, project_id)
    if row is not None:
        await session.delete(row)
    return row is not None


def _known(row: ProjectRow) -> KnownProject:
    return KnownProject(row.id, row.path, row.name, row.description, row.opened_at)


def _row(project: KnownProject, composition: str) -> ProjectRow:
    return ProjectRow(
        id=project.id,
        path=project.path,
        name=project.name,
        description=project.description,
        opened_at=project.opened_at,
        open_in=composition,
    )
