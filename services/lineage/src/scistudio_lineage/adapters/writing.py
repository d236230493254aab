"""Rows for what happened. Each statement may come twice and in any order, and leaves the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from scistudio_platform.events.block import BlockExecuted, BlockStateChanged
from scistudio_platform.events.model import Event
from scistudio_platform.events.run import RunStarted
from sqlalchemy import case
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from scistudio_lineage.adapters.tables import ExecutionRow, ObjectRow, PortRow, RunRow
from scistudio_lineage.domain.objects import Place

INPUT, OUTPUT = "input", "output"
_RUNS, _EXECUTIONS, _OBJECTS, _PORTS = (row.__table__ for row in (RunRow, ExecutionRow, ObjectRow, PortRow))
_STARTED = ("workflow_id", "workflow_path", "workflow_text", "commit", "dirty", "triggered_by", "nodes", "edges", "started_at")


class Writer:
    """Writes within one transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._dialect: Any = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql

    async def run_started(self, event: Event, data: RunStarted) -> None:
        """Record what a run is; its state is left alone where it is known already."""
        values = _new_run(event, "queued") | {
            "workflow_id": data.workflow_id,
            "workflow_path": data.workflow_path,
            "workflow_text": data.workflow_text,
            "commit": data.commit or "",
            "dirty": data.dirty,
            "triggered_by": data.triggered_by,
            "nodes": [node.model_dump() for node in data.nodes],
            "edges": [edge.model_dump() for edge in data.edges],
        }
        insert = self._dialect.insert(_RUNS)
        await self._session.execute(insert.on_conflict_do_update(index_elements=["id"], set_=_taken(insert, _STARTED)), values)

    async def run_state(self, event: Event, state: str, reason: str, *, is_final: bool) -> None:
        """Record a run's state, unless a later one is known."""
        ended_at = event.time if is_final else None
        insert = self._dialect.insert(_RUNS)
        update = insert.on_conflict_do_update(
            index_elements=["id"],
            set_=_taken(insert, ("state", "state_at", "reason", "ended_at")),
            where=_RUNS.c.ended_at.is_(None) & (insert.excluded.state_at >= _RUNS.c.state_at),
        )
        await self._session.execute(update, _new_run(event, state) | {"reason": reason, "ended_at": ended_at})

    async def execution(self, event: Event, data: BlockExecuted) -> None:
        """Record an execution; the reason of its end comes with another event."""
        values = _new_execution(event) | {
            "block_type": data.block_type,
            "block_version": data.block_version,
            "config": data.config,
            "state": data.state,
            "started_at": data.started_at,
            "ended_at": data.ended_at,
            "duration_s": data.duration_s,
            "cpu_time_s": data.cpu_time_s,
            "peak_memory_bytes": data.peak_memory_bytes,
            "error": data.error.model_dump() if data.error else None,
            "environment": data.environment,
            "warnings": data.warnings,
            "seed": data.seed,
        }
        insert = self._dialect.insert(_EXECUTIONS)
        kept = [name for name in values if name not in ("id", "reason")]
        await self._session.execute(insert.on_conflict_do_update(index_elements=["id"], set_=_taken(insert, kept)), values)

    async def node_ended(self, event: Event, data: BlockStateChanged) -> None:
        """Record why a node ended, which is all there is about one that never ran."""
        values = _new_execution(event) | {
            "state": data.state,
            "reason": data.reason,
            "ended_at": data.ended_at,
            "error": data.error.model_dump() if data.error else None,
        }
        insert = self._dialect.insert(_EXECUTIONS)
        await self._session.execute(insert.on_conflict_do_update(index_elements=["id"], set_=_taken(insert, ("reason",))), values)

    async def ports(self, event: Event, direction: str, found: Iterable[Place], *, not_made: frozenset[str]) -> None:
        """Record the objects on an execution's ports. It has made its outputs, but those in ``not_made``."""
        execution, project = _execution_id(event), event.scope.project
        objects: dict[str, dict[str, Any]] = {}
        edges: list[dict[str, Any]] = []
        for place in found:
            made_by = execution if direction == OUTPUT and place.object_id not in not_made else ""
            objects.setdefault(place.object_id, _object(project, place, made_by))
            edges.append(_edge(project, execution, direction, place))
        if objects:
            await self._objects(list(objects.values()))
            await self._session.execute(self._dialect.insert(_PORTS).on_conflict_do_nothing(), edges)

    async def _objects(self, values: list[dict[str, Any]]) -> None:
        """An object may be known from where it was used before it is known from where it was made."""
        insert = self._dialect.insert(_OBJECTS)
        first = case((_OBJECTS.c.made_by == "", insert.excluded.made_by), else_=_OBJECTS.c.made_by)
        await self._session.execute(insert.on_conflict_do_update(index_elements=["project_id", "id"], set_={"made_by": first}), values)


def _taken(insert: Any, names: Iterable[str]) -> Mapping[str, Any]:
    """Take the new values of these columns."""
    return {name: insert.excluded[name] for name in names}


def _new_run(event: Event, state: str) -> dict[str, Any]:
    return {
        "id": event.scope.run,
        "project_id": event.scope.project,
        "workflow_id": event.scope.workflow or "",
        "workflow_path": "",
        "workflow_text": "",
        "commit": "",
        "dirty": False,
        "triggered_by": "",
        "nodes": [],
        "edges": [],
        "state": state,
        "state_at": event.time,
        "reason": "",
        "started_at": event.time,
        "ended_at": None,
    }


def _execution_id(event: Event) -> str:
    """Return the execution's id, or one for a node of a run that never had an execution."""
    return event.scope.execution or f"{event.scope.run}:{event.scope.node}"


def _new_execution(event: Event) -> dict[str, Any]:
    nothing: dict[str, datetime | float | int | None] = dict.fromkeys(
        ("started_at", "ended_at", "duration_s", "cpu_time_s", "peak_memory_bytes", "seed")
    )
    return {
        "id": _execution_id(event),
        "run_id": event.scope.run,
        "project_id": event.scope.project,
        "node_id": event.scope.node,
        "block_type": "",
        "block_version": "",
        "config": {},
        "reason": "",
        "error": None,
        "environment": {},
        "warnings": [],
        **nothing,
    }


def _object(project: str, place: Place, made_by: str) -> dict[str, Any]:
    return {
        "project_id": project,
        "id": place.object_id,
        "type_name": place.type_name,
        "content_hash": place.content_hash,
        "reference": dict(place.reference),
        "made_by": made_by,
    }


def _edge(project: str, execution: str, direction: str, place: Place) -> dict[str, Any]:
    return {
        "execution_id": execution,
        "direction": direction,
        "port": place.port,
        "position": place.position,
        "slot": place.slot,
        "project_id": project,
        "object_id": place.object_id,
    }
