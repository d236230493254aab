"""Workflows as people ask for them: listed, read, and checked, as a file or a text, as a draft or as what is to run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from scistudio_platform.errors import Kind, SciStudioError

from scistudio_workflow.app.catalogs import Catalogs
from scistudio_workflow.app.projects import Projects
from scistudio_workflow.app.workflow_folder import Summary, WorkflowFile, WorkflowFolder, from_text
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.model import Mode, Problem, warning


class Workflows:
    """Reads and checks the workflows of known projects."""

    def __init__(self, projects: Projects, catalogs: Catalogs) -> None:
        self._projects, self._catalogs = projects, catalogs

    async def all(self, project_id: str) -> list[Summary]:
        """Return what the project's folders of workflows hold."""
        return await asyncio.to_thread((await self._folder(project_id)).summaries)

    async def get(self, project_id: str, reference: str) -> WorkflowFile:
        """Return the workflow of a run identity or a path."""
        return await asyncio.to_thread((await self._folder(project_id)).open, reference)

    async def validate_file(self, project_id: str, reference: str, mode: Mode) -> list[Problem]:
        """Return the problems of a workflow file."""
        folder = await self._folder(project_id)
        return await self._problems(folder, await asyncio.to_thread(folder.open, reference), mode)

    async def validate_text(self, project_id: str, text: str, mode: Mode) -> list[Problem]:
        """Return the problems of a text that may become a workflow file of the project."""
        folder = await self._folder(project_id)
        return await self._problems(folder, await asyncio.to_thread(from_text, text), mode)

    async def _folder(self, project_id: str) -> WorkflowFolder:
        return WorkflowFolder(Path((await self._projects.get(project_id)).path))

    async def _problems(self, folder: WorkflowFolder, file: WorkflowFile, mode: Mode) -> list[Problem]:
        catalog, trouble = await self._catalog(folder.root, mode)
        graph = await asyncio.to_thread(folder.flattened, file)
        return await asyncio.to_thread(folder.problems, file, graph, catalog, mode) + trouble

    async def _catalog(self, root: Path, mode: Mode) -> tuple[Catalog | None, list[Problem]]:
        """The catalog; without a worker a draft is checked without it, and told so."""
        try:
            return (await self._catalogs.get(root)).catalog, []
        except SciStudioError as error:
            if mode is Mode.STRICT or error.kind not in (Kind.UNAVAILABLE, Kind.TIMEOUT):
                raise
            message = f"Blocks and types could not be read, so that ports and settings are not checked: {error.message}"
            return None, [warning("catalog.unavailable", message, hint=error.hint)]
