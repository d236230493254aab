"""Events of runs, published by the scheduler."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from scistudio_platform.events.model import EventData

RunState = Literal["queued", "running", "paused", "completed", "completed_with_failures", "failed", "cancelled"]
FinalRunState = Literal["completed", "completed_with_failures", "failed", "cancelled"]


class RunNode(BaseModel):
    """A node of a run's flattened graph."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    block_type: str


class RunEdge(BaseModel):
    """An edge of a run's flattened graph."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source_node: str
    source_port: str
    target_node: str
    target_port: str


class RunStarted(EventData):
    """A run was accepted. ``workflow_text`` is the file as it was, ``commit`` and ``dirty`` what git said about it."""

    TYPE: ClassVar[str] = "run.started"

    workflow_id: str
    workflow_path: str = ""
    workflow_text: str = ""
    commit: str | None = None
    dirty: bool = False
    triggered_by: str = ""
    nodes: list[RunNode] = Field(default_factory=list)
    edges: list[RunEdge] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class RunStateChanged(EventData):
    """A run entered ``state``."""

    TYPE: ClassVar[str] = "run.state_changed"

    state: RunState
    reason: str = ""


class RunFinished(EventData):
    """A run ended; its last event."""

    TYPE: ClassVar[str] = "run.finished"

    state: FinalRunState
    reason: str = ""
