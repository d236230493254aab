"""Runs in SQL, each change with its events in one transaction. Rows never leave the adapters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from scistudio_platform.db import Database, Outbox
from scistudio_platform.events.model import EventData, Scope
from scistudio_platform.ids import NodeId, ProjectId, RunId
from scistudio_platform.logging import get_logger
from sqlalchemy import and_, bindparam, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from scistudio_scheduler.adapters.rows import node_values, plan_values, run_values, to_run
from scistudio_scheduler.adapters.tables import NodeRow, RunRow
from scistudio_scheduler.domain.run import Run
from scistudio_scheduler.domain.states import RunState
from scistudio_scheduler.errors import InvalidPageToken, NodeNotFound, RunNotFound

Announcement = tuple[EventData, Scope]
KEYS = ("run_id", "node_id")
CHANGING = [column.name for column in NodeRow.__table__.columns if column.name not in (*KEYS, "position")]
UPDATE_NODE = (
    update(NodeRow.__table__)  # type: ignore[arg-type]  # the table itself: no unit of work between us and the statement
    .where(NodeRow.run_id == bindparam("run_id_"), NodeRow.node_id == bindparam("node_id_"))
    .values({name: bindparam(name) for name in CHANGING})
)

logger = get_logger("scheduler")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a list."""

    id: str
    project_id: str
    workflow_id: str
    workflow_path: str
    state: RunState
    created_at: datetime
    ended_at: datetime | None
    reason: str
    triggered_by: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some runs, and the token that asks for the next ones; empty at the end."""

    runs: list[RunSummary]
    next_token: str


class RunStore:
    """The runs of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def insert(self, run: Run, events: Sequence[Announcement]) -> bool:
        """Store a new run with its first events. False: there is one of that id, and nothing was changed."""
        nodes = [node_values(run, node) | {"position": position} for position, node in enumerate(run.nodes)]
        try:
            async with self._database.transaction() as session:
                await session.execute(insert(RunRow).values(run_values(run) | plan_values(run)))
                if nodes:
                    await session.execute(insert(NodeRow), nodes)
                _announce(session, events)
        except IntegrityError:
            return False
        return True

    async def save(self, before: Run, after: Run, events: Sequence[Announcement]) -> None:
        """Store what differs between two moments of a run, with its events."""
        rows = [_update_values(after, node) for node, record in after.nodes.items() if record is not before.nodes[node]]
        run = run_values(after)
        is_run_changed = run != run_values(before)
        if not (rows or is_run_changed or events):
            return
        async with self._database.transaction() as session:
            if rows:
                await (await session.connection()).execute(UPDATE_NODE, rows)
            if is_run_changed:
                await session.execute(update(RunRow).where(RunRow.id == after.id).values(run))
            _announce(session, events)

    async def settle(self, run: Run) -> None:
        """Note that nothing of an ended run is left at the runner."""
        async with self._database.transaction() as session:
            await session.execute(update(RunRow).where(RunRow.id == run.id).values(settled=True))

    async def get(self, project: ProjectId, run_id: RunId) -> Run:
        """Return a run without the references of its outputs; their summaries are there."""
        async with self._database.reading() as session:
            row = await session.get(RunRow, run_id)
            if row is None or row.project_id != project:
                raise RunNotFound(run_id)
            return await _load(session, row, with_outputs=False)

    async def owner(self, run_id: RunId) -> ProjectId | None:
        """Return the project that has a run of that id."""
        async with self._database.reading() as session:
            owner = await session.scalar(select(RunRow.project_id).where(RunRow.id == run_id))
        return None if owner is None else ProjectId(owner)

    async def unsettled(self, project: ProjectId) -> list[Run]:
        """Return the runs that must be taken up again, oldest first. One that cannot be read keeps no other from it."""
        runs = []
        async with self._database.reading() as session:
            query = select(RunRow).where(RunRow.project_id == project, ~RunRow.settled).order_by(RunRow.created_at, RunRow.id)
            for row in await session.scalars(query):
                try:
                    runs.append(await _load(session, row, with_outputs=True))
                except (ValidationError, ValueError, TypeError, KeyError):
                    logger.exception("a stored run cannot be read and is left alone", run=row.id)
        return runs

    async def output(self, project: ProjectId, run_id: RunId, node: NodeId) -> tuple[str, dict[str, str], str]:
        """Return a node's state, its outputs as wire JSON by port, and the execution that made them."""
        columns = (NodeRow.state, NodeRow.outputs, NodeRow.execution_id, RunRow.project_id)
        query = select(*columns).join(RunRow, RunRow.id == NodeRow.run_id).where(NodeRow.run_id == run_id, NodeRow.node_id == node)
        async with self._database.reading() as session:
            row = (await session.execute(query)).first()
        if row is None or row.project_id != project:
            raise NodeNotFound(run_id, node)
        return row.state, row.outputs, row.execution_id

    async def page(self, project: ProjectId, *, workflow: str, limit: int, token: str) -> Page:
        """Return runs of a project, newest first, of one workflow if it is named."""
        query = select(*_SUMMARY).where(RunRow.project_id == project).order_by(RunRow.created_at.desc(), RunRow.id.desc()).limit(limit + 1)
        if workflow:
            query = query.where(RunRow.workflow_id == workflow)
        if token:
            moment, last = _from_token(token)
            query = query.where(or_(RunRow.created_at < moment, and_(RunRow.created_at == moment, RunRow.id < last)))
        async with self._database.reading() as session:
            rows = (await session.execute(query)).all()
        runs = [RunSummary(**{**row._mapping, "state": RunState(row.state)}) for row in rows[:limit]]
        return Page(runs, _to_token(runs[-1]) if len(rows) > limit else "")


_SUMMARY = tuple(getattr(RunRow, name) for name in RunSummary.__slots__)


async def _load(session: AsyncSession, row: RunRow, *, with_outputs: bool) -> Run:
    query = select(NodeRow).where(NodeRow.run_id == row.id).order_by(NodeRow.position)
    if not with_outputs:
        query = query.options(defer(NodeRow.outputs))
    return to_run(row, await session.scalars(query), with_outputs=with_outputs)


def _announce(session: AsyncSession, events: Sequence[Announcement]) -> None:
    outbox = Outbox(session)
    for data, scope in events:
        outbox.add(data, scope)


def _update_values(run: Run, node: NodeId) -> dict[str, Any]:
    values = node_values(run, node)
    return {name: values[name] for name in CHANGING} | {f"{key}_": values[key] for key in KEYS}


def _to_token(run: RunSummary) -> str:
    return f"{run.created_at.isoformat()}~{run.id}"


def _from_token(token: str) -> tuple[datetime, str]:
    moment, separator, last = token.partition("~")
    try:
        when = datetime.fromisoformat(moment)
    except ValueError:
        raise InvalidPageToken from None
    if not separator or when.tzinfo is None:
        raise InvalidPageToken
    return when, last
