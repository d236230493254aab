"""Events of blocks within runs, published by the scheduler; progress is passed on from the runner."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from scistudio_platform.events.model import EventData

BlockState = Literal["idle", "ready", "running", "paused", "done", "error", "cancelled", "skipped"]


class ErrorInfo(BaseModel):
    """An error a person can act on, as in ``ErrorDetail``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    code: str
    message: str
    subject: str = ""
    hint: str = ""


class OutputSummary(BaseModel):
    """What a port carries, without the references."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    port: str
    type_name: str
    n_items: int


class BlockStateChanged(EventData):
    """A block entered ``state``. ``error`` is set only when that state is ``error``."""

    TYPE: ClassVar[str] = "block.state_changed"

    state: BlockState
    error: ErrorInfo | None = None
    reason: str = ""
    outputs: list[OutputSummary] = Field(default_factory=list)
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None


class BlockExecuted(EventData):
    """All facts about one execution that ended, for lineage. ``inputs`` and ``outputs`` map ports to the SDK's wire form."""

    TYPE: ClassVar[str] = "block.executed"

    block_type: str
    block_version: str = ""
    config: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)
    state: BlockState
    error: ErrorInfo | None = None
    environment: dict[str, Any] = Field(default_factory=dict)
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    duration_s: float | None = None
    cpu_time_s: float | None = None
    peak_memory_bytes: int | None = None
    warnings: list[str] = Field(default_factory=list)
    seed: int | None = None


class BlockProgressed(EventData):
    """How far a running block is: a fraction from 0 to 1, or None where it cannot tell. Transient: nothing keeps it."""

    TYPE: ClassVar[str] = "block.progressed"

    fraction: float | None = Field(None, ge=0, le=1)
    message: str = ""
