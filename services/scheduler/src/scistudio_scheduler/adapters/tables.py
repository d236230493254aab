"""The scheduler's tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scistudio_platform.db import Base, new_metadata
from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column


class TableBase(Base):
    """The base of this service's tables; the outbox is one of them."""

    __abstract__ = True
    metadata = new_metadata(outbox=True)


class RunRow(TableBase):
    """A run. ``plan`` is written once; ``settled``: it has ended and nothing of it is left at the runner."""

    __tablename__ = "runs"
    __table_args__ = (Index(None, "project_id", "created_at"), Index(None, "settled"))

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    project_id: Mapped[str]
    workflow_id: Mapped[str]
    workflow_path: Mapped[str]
    triggered_by: Mapped[str]
    state: Mapped[str]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    reason: Mapped[str]
    cancel_reason: Mapped[str | None]
    failure: Mapped[dict[str, Any] | None]
    settled: Mapped[bool]
    plan: Mapped[dict[str, Any]]


class NodeRow(TableBase):
    """A node of a run. ``outputs`` holds wire JSON as text by port, ``summaries`` what is in it."""

    __tablename__ = "nodes"

    run_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    node_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    state: Mapped[str]
    execution_id: Mapped[str]
    attempt: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    error: Mapped[dict[str, Any] | None]
    traceback: Mapped[str]
    reason: Mapped[str]
    outputs: Mapped[dict[str, Any]]
    summaries: Mapped[list[Any]]
    warnings: Mapped[list[Any]]
    stopping: Mapped[bool]
