"""The tables of lineage. No row refers to another by a constraint: events may come in any order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scistudio_platform.db import Base, new_metadata
from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column


class TableBase(Base):
    """The base of this service's tables; the ids of seen events are one of them."""

    __abstract__ = True
    metadata = new_metadata(seen_events=True)


class RunRow(TableBase):
    """A run. What only ``run.started`` tells is empty until that has come. ``state_at``: when ``state`` was entered."""

    __tablename__ = "runs"
    __table_args__ = (Index(None, "project_id", "started_at"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    project_id: Mapped[str]
    workflow_id: Mapped[str]
    workflow_path: Mapped[str]
    workflow_text: Mapped[str]
    commit: Mapped[str]
    dirty: Mapped[bool]
    triggered_by: Mapped[str]
    nodes: Mapped[list[Any]]
    edges: Mapped[list[Any]]
    state: Mapped[str]
    state_at: Mapped[datetime]
    reason: Mapped[str]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class ExecutionRow(TableBase):
    """One attempt at a node; also a node that was skipped, under an id of its own."""

    __tablename__ = "executions"

    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(String(36), index=True)
    project_id: Mapped[str]
    node_id: Mapped[str]
    block_type: Mapped[str]
    block_version: Mapped[str]
    config: Mapped[dict[str, Any]]
    state: Mapped[str]
    reason: Mapped[str]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    duration_s: Mapped[float | None]
    cpu_time_s: Mapped[float | None]
    peak_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    error: Mapped[dict[str, Any] | None]
    environment: Mapped[dict[str, Any]]
    warnings: Mapped[list[Any]]
    seed: Mapped[int | None] = mapped_column(BigInteger)


class ObjectRow(TableBase):
    """A data object by its identity. ``made_by`` is empty for what came from outside, or whose maker is not recorded yet."""

    __tablename__ = "objects"

    project_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    type_name: Mapped[str]
    content_hash: Mapped[str] = mapped_column(index=True)
    reference: Mapped[dict[str, Any]]
    made_by: Mapped[str]


class PortRow(TableBase):
    """An object on a port of an execution: an edge of the lineage graph. ``slot`` leads to it inside a composite."""

    __tablename__ = "ports"
    __table_args__ = (Index(None, "project_id", "object_id", "direction"),)

    execution_id: Mapped[str] = mapped_column(primary_key=True)
    direction: Mapped[str] = mapped_column(primary_key=True)
    port: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    slot: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str]
    object_id: Mapped[str]
