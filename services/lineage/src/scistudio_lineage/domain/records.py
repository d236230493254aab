"""What lineage answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it was. ``workflow_text`` is empty in lists."""

    id: str
    project_id: str
    workflow_id: str
    state: str
    started_at: datetime
    ended_at: datetime | None
    commit: str
    dirty: bool
    triggered_by: str
    workflow_text: str = ""


@dataclass(frozen=True, slots=True)
class PortObject:
    """An object on a port of an execution."""

    port: str
    position: int
    object_id: str


@dataclass(frozen=True, slots=True)
class ExecutionRecord:
    """One attempt at a node, or a node that was skipped, with what came in and went out."""

    id: str
    run_id: str
    node_id: str
    block_type: str
    block_version: str
    config: dict[str, Any]
    state: str
    reason: str
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float | None
    error: dict[str, Any] | None
    environment: dict[str, Any]
    peak_memory_bytes: int | None
    inputs: list[PortObject] = field(default_factory=list)
    outputs: list[PortObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ObjectRecord:
    """A data object; ``made_by`` is an execution, or empty for what came from outside."""

    id: str
    type_name: str
    content_hash: str
    reference: dict[str, Any]
    made_by: str


@dataclass(frozen=True, slots=True)
class History:
    """Objects, and the executions between them."""

    objects: list[ObjectRecord]
    executions: list[ExecutionRecord]


@dataclass(frozen=True, slots=True)
class Page:
    """Some runs, newest first, and the token that asks for the next ones; empty at the end."""

    runs: list[RunRecord]
    next_token: str
