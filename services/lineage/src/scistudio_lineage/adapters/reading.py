"""Reading lineage. Rows become records here and never leave."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from scistudio_lineage.adapters.tables import ExecutionRow, ObjectRow, PortRow, RunRow
from scistudio_lineage.adapters.writing import INPUT, OUTPUT
from scistudio_lineage.domain.records import ExecutionRecord, ObjectRecord, Page, PortObject, RunRecord
from scistudio_lineage.errors import InvalidPageToken, RunNotRecorded

CHUNK = 500
_RUN = [getattr(RunRow, name) for name in RunRecord.__slots__ if name != "workflow_text"]
_EXECUTION = [getattr(ExecutionRow, name) for name in ExecutionRecord.__slots__ if name not in ("inputs", "outputs")]
_OBJECT = [getattr(ObjectRow, name) for name in ObjectRecord.__slots__]


class Reader:
    """Answers about one project within one consistent state."""

    def __init__(self, session: AsyncSession, project: str) -> None:
        self._session, self._project = session, project

    async def page(self, *, workflow: str, limit: int, token: str) -> Page:
        """Return runs, newest first."""
        query = (
            select(*_RUN).where(RunRow.project_id == self._project).order_by(RunRow.started_at.desc(), RunRow.id.desc()).limit(limit + 1)
        )
        if workflow:
            query = query.where(RunRow.workflow_id == workflow)
        if token:
            moment, last = _from_token(token)
            query = query.where(or_(RunRow.started_at < moment, and_(RunRow.started_at == moment, RunRow.id < last)))
        runs = [RunRecord(**row._mapping) for row in await self._session.execute(query)]
        shown = runs[:limit]
        return Page(shown, f"{shown[-1].started_at.isoformat()}~{shown[-1].id}" if len(runs) > limit else "")

    async def run(self, run_id: str) -> tuple[RunRecord, dict[str, str]]:
        """Return a run with its workflow's text, and the block types of its nodes."""
        query = select(*_RUN, RunRow.workflow_text, RunRow.nodes).where(RunRow.id == run_id, RunRow.project_id == self._project)
        row = (await self._session.execute(query)).first()
        if row is None:
            raise RunNotRecorded(run_id)
        values = dict(row._mapping)
        return RunRecord(**{name: values[name] for name in RunRecord.__slots__}), {node["id"]: node["block_type"] for node in row.nodes}

    async def executions_of_run(self, run_id: str) -> list[ExecutionRecord]:
        """Return the executions of a run in the order of their start; what never started comes last."""
        query = select(*_EXECUTION).where(ExecutionRow.run_id == run_id, ExecutionRow.project_id == self._project)
        found = [ExecutionRecord(**row._mapping) for row in await self._session.execute(query)]
        found.sort(key=lambda execution: (execution.started_at is None, execution.started_at, execution.id))
        await self._fill_ports(found)
        return found

    async def executions(self, ids: Iterable[str]) -> list[ExecutionRecord]:
        """Return executions by id."""
        query = select(*_EXECUTION).where(ExecutionRow.project_id == self._project)
        found = [ExecutionRecord(**row._mapping) async for row in self._among(query, ExecutionRow.id, ids)]
        await self._fill_ports(found)
        return found

    async def objects(self, ids: Iterable[str]) -> list[ObjectRecord]:
        """Return objects by id, in the order of ``ids``."""
        wanted = list(dict.fromkeys(ids))
        query = select(*_OBJECT).where(ObjectRow.project_id == self._project)
        found = {row.id: ObjectRecord(**row._mapping) async for row in self._among(query, ObjectRow.id, wanted)}
        return [found[object_id] for object_id in wanted if object_id in found]

    async def makers(self, objects: Iterable[str]) -> set[str]:
        """Return the executions that made some of ``objects``."""
        query = select(ObjectRow.made_by).where(ObjectRow.project_id == self._project, ObjectRow.made_by != "")
        return {row.made_by async for row in self._among(query, ObjectRow.id, objects)}

    async def users(self, objects: Iterable[str]) -> set[str]:
        """Return the executions that took some of ``objects``."""
        query = select(PortRow.execution_id).where(PortRow.project_id == self._project, PortRow.direction == INPUT)
        return {row.execution_id async for row in self._among(query, PortRow.object_id, objects)}

    async def on_ports(self, executions: Iterable[str], direction: str) -> list[str]:
        """Return the objects on one side of ``executions``, slots of composites included, each once."""
        query = (
            select(PortRow.object_id).where(PortRow.direction == direction).order_by(PortRow.execution_id, PortRow.port, PortRow.position)
        )
        return list(dict.fromkeys([row.object_id async for row in self._among(query, PortRow.execution_id, executions)]))

    async def _fill_ports(self, executions: Sequence[ExecutionRecord]) -> None:
        by_id = {execution.id: execution for execution in executions}
        query = (
            select(PortRow.execution_id, PortRow.direction, PortRow.port, PortRow.position, PortRow.object_id)
            .where(PortRow.slot == "")
            .order_by(PortRow.execution_id, PortRow.port, PortRow.position)
        )
        async for row in self._among(query, PortRow.execution_id, by_id):
            execution = by_id[row.execution_id]
            side = execution.outputs if row.direction == OUTPUT else execution.inputs
            side.append(PortObject(row.port, row.position, row.object_id))

    async def _among(self, query: Select[*tuple[Any, ...]], column: Any, ids: Iterable[str]) -> AsyncIterator[Any]:
        """Run ``query`` for some ids at a time: a statement takes only so many values."""
        wanted = sorted(ids)
        for start in range(0, len(wanted), CHUNK):
            for row in await self._session.execute(query.where(column.in_(wanted[start : start + CHUNK]))):
                yield row


def _from_token(token: str) -> tuple[datetime, str]:
    moment, separator, last = token.partition("~")
    try:
        when = datetime.fromisoformat(moment)
    except ValueError:
        raise InvalidPageToken from None
    if not separator or when.tzinfo is None:
        raise InvalidPageToken
    return when, last
