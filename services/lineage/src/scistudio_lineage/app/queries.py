"""Answering what happened."""

from __future__ import annotations

from dataclasses import replace

from scistudio_lineage.adapters.projects import Projects
from scistudio_lineage.adapters.reading import Reader
from scistudio_lineage.adapters.writing import INPUT, OUTPUT
from scistudio_lineage.domain.records import History, Page, RunRecord
from scistudio_lineage.errors import ObjectNotRecorded

DEFAULT_PAGE, LONGEST_PAGE = 50, 500


class Queries:
    """What the other services may ask for."""

    def __init__(self, projects: Projects, *, trace_limit: int) -> None:
        self._projects, self._trace_limit = projects, trace_limit

    async def page(self, project: str, *, workflow: str, limit: int, token: str) -> Page:
        """Return runs of a project, newest first."""
        size = min(limit, LONGEST_PAGE) if limit > 0 else DEFAULT_PAGE
        database = await self._projects.database(project)
        async with database.reading() as session:
            return await Reader(session, project).page(workflow=workflow, limit=size, token=token)

    async def run(self, project: str, run_id: str) -> tuple[RunRecord, History]:
        """Return a run, its executions and the objects on their ports."""
        database = await self._projects.database(project)
        async with database.reading() as session:
            reader = Reader(session, project)
            run, types = await reader.run(run_id)
            found = await reader.executions_of_run(run_id)
            executions = [replace(item, block_type=item.block_type or types.get(item.node_id, "")) for item in found]
            ids = [place.object_id for item in executions for place in (*item.inputs, *item.outputs)]
            return run, History(await reader.objects(ids), executions)

    async def trace(self, project: str, object_id: str, *, upwards: bool) -> History:
        """Follow an object to what it was made from, or to what was made from it, the nearest first."""
        database = await self._projects.database(project)
        async with database.reading() as session:
            reader = Reader(session, project)
            if not await reader.objects([object_id]):
                raise ObjectNotRecorded(object_id)
            objects, executions = await self._walk(reader, object_id, upwards=upwards)
            return History(await reader.objects(objects), await reader.executions(executions))

    async def _walk(self, reader: Reader, object_id: str, *, upwards: bool) -> tuple[list[str], set[str]]:
        """Step from objects to executions to objects. What was seen is not visited again, so even a cycle would end."""
        objects, executions = {object_id: None}, set[str]()
        frontier = [object_id]
        while frontier and len(objects) < self._trace_limit:
            found = await (reader.makers(frontier) if upwards else reader.users(frontier))
            fresh = found - executions
            executions |= fresh
            beyond = await reader.on_ports(fresh, INPUT if upwards else OUTPUT)
            frontier = [item for item in beyond if item not in objects][: self._trace_limit - len(objects)]
            objects |= dict.fromkeys(frontier)
        return list(objects), executions
