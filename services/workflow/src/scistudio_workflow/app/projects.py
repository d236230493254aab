"""Projects: known, open, made, forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from scistudio_platform.clock import utc_now
from scistudio_platform.errors import SciStudioError
from scistudio_platform.events.project import ProjectClosed, ProjectOpened
from scistudio_platform.logging import get_logger

from scistudio_workflow.adapters.announcements import Announcements
from scistudio_workflow.adapters.known_projects import KnownProject, KnownProjects
from scistudio_workflow.adapters.project_folder import create_project_folder, give_id, new_project_id, recognise
from scistudio_workflow.adapters.project_lock import ProjectLock
from scistudio_workflow.domain.project_file import ProjectFile
from scistudio_workflow.errors import ProjectNotFound, ProjectNotOpen

logger = get_logger("workflow")


@dataclass(frozen=True)
class _Held:
    """A project that is open here, with its lock."""

    project: KnownProject
    lock: ProjectLock


class Projects:
    """A part: after a restart of the service it holds open again what it held before.

    Parameters
    ----------
    known : KnownProjects
    announcements : Announcements
        Tells the other services what is opened and closed.
    url : str
        Where people reach this installation, for the lock files.
    composition : str
        What tells this installation from others of the same user: its run directory.
    """

    def __init__(self, known: KnownProjects, announcements: Announcements, *, url: str, composition: str) -> None:
        self._known, self._announcements, self._url, self._composition = known, announcements, url, composition
        self._held: dict[str, _Held] = {}
        self._changing = asyncio.Lock()

    async def start(self) -> None:
        """Open what was open; what cannot be opened any more is told in the log."""
        for project in await self._known.left_open(self._composition):
            try:
                await self.open(project.path)
            except SciStudioError as error:
                logger.warning("project is not open any more", project=project.id, path=project.path, reason=error.message)
                await self._known.note_closed(project.id)

    async def stop(self) -> None:
        """Give the locks back."""
        for held in self._held.values():
            held.lock.release()
        self._held.clear()

    def is_open(self, project_id: str) -> bool:
        """Say whether this installation holds the project open."""
        return project_id in self._held

    async def all(self, *, only_open: bool = False) -> list[KnownProject]:
        """Return the known projects, the most recently opened first."""
        return [project for project in await self._known.all() if not only_open or self.is_open(project.id)]

    async def get(self, project_id: str) -> KnownProject:
        """Return a known project, or raise ProjectNotFound."""
        project = await self._known.find(project_id)
        if project is None:
            raise ProjectNotFound(project_id)
        return project

    async def get_open(self, project_id: str) -> KnownProject:
        """Return a project that is open here, or raise ProjectNotFound or ProjectNotOpen."""
        if (held := self._held.get(project_id)) is not None:
            return held.project
        project = await self.get(project_id)
        raise ProjectNotOpen(project_id, project.path)

    async def create(self, parent: str, name: str, description: str) -> KnownProject:
        """Make a project folder and open it."""
        folder = await asyncio.to_thread(create_project_folder, parent, name, description)
        return await self.open(str(folder))

    async def open(self, path: str) -> KnownProject:
        """Open a project folder; one that is open already is answered as it is."""
        async with self._changing:
            folder, file = await asyncio.to_thread(recognise, path)
            held = next((held for held in self._held.values() if held.project.path == str(folder)), None)
            if held is not None:
                return held.project
            lock = ProjectLock(folder, self._url)
            await asyncio.to_thread(lock.take)
            try:
                project = await self._identified(folder, file)
                await self._known.remember(project, self._composition)
            except BaseException:
                lock.release()
                raise
            self._held[project.id] = _Held(project, lock)
        self._announcements.tell(project.id, ProjectOpened(path=project.path, name=project.name))
        return project

    async def _identified(self, folder: Path, file: ProjectFile) -> KnownProject:
        """The project with its own id: a folder without one, or a copy of another project, gets a new one."""
        project_id = file.id
        known = await self._known.find(project_id) if project_id else None
        if not project_id or (known is not None and await asyncio.to_thread(_is_another, known, folder)):
            project_id = new_project_id()
            await asyncio.to_thread(give_id, folder, project_id)
            if known is not None:
                logger.info("a copied project got an id of its own", project=project_id, path=str(folder), original=known.path)
        return KnownProject(project_id, str(folder), file.name or folder.name, file.description, utc_now())

    async def close(self, project_id: str) -> None:
        """Give a project's lock back; it stays known."""
        await self.get(project_id)
        self._close(project_id)
        await self._known.note_closed(project_id)

    async def forget(self, project_id: str) -> None:
        """Take a project off the list; its folder stays as it is."""
        if not await self._known.forget(project_id):
            raise ProjectNotFound(project_id)
        self._close(project_id)

    def _close(self, project_id: str) -> None:
        held = self._held.pop(project_id, None)
        if held is not None:
            held.lock.release()
            self._announcements.tell(project_id, ProjectClosed())


def _is_another(known: KnownProject, folder: Path) -> bool:
    """Whether a known project of the same id still lies elsewhere: then this folder is its copy, and has not been moved."""
    if known.path == str(folder):
        return False
    try:
        other, file = recognise(known.path)
        return file.id == known.id and not other.samefile(folder)
    except (SciStudioError, OSError):
        return False
