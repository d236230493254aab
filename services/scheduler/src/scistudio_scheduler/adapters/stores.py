"""The store of each project's runs."""

from __future__ import annotations

from pathlib import Path

from scistudio_platform.db import ProjectDatabases
from scistudio_platform.ids import ProjectId

from scistudio_scheduler.adapters.store import RunStore
from scistudio_scheduler.adapters.workflow import WorkflowClient


class Stores:
    """Finds the database of a project: a file in its folder, or a schema for all."""

    def __init__(self, databases: ProjectDatabases, workflow: WorkflowClient) -> None:
        self._databases, self._workflow = databases, workflow

    async def of(self, project: ProjectId, folder: Path | None = None) -> RunStore:
        """Return the store of a project; the workflow service is asked where it lies unless ``folder`` says it."""
        folder = folder or await self._workflow.folder(project)
        return RunStore(await self._databases.get(project, folder))

    async def close(self, project: ProjectId) -> None:
        """Give up the database of a project that was closed."""
        await self._databases.close(project)
