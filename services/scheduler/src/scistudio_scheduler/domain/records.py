"""What is known of one node of a run, and how an execution ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from scistudio_platform.ids import ExecutionId

from scistudio_scheduler.domain.outputs import Output
from scistudio_scheduler.domain.states import BlockState

NO_EXECUTION = ExecutionId("")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a block or a run could not go on, for a person: as ``SciStudioError``."""

    code: str
    message: str
    subject: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One node of a run. ``outputs`` holds wire JSON by port, ``summaries`` says what is in it; ``stopping``: its end was asked for."""

    state: BlockState = BlockState.IDLE
    execution_id: ExecutionId = NO_EXECUTION
    attempt: int = 0
    seed: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error: Fault | None = None
    traceback: str = ""
    reason: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summaries: tuple[Output, ...] = ()
    warnings: tuple[str, ...] = ()
    stopping: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How an execution ended, as the runner tells it."""

    state: BlockState
    outputs: dict[str, str] = field(default_factory=dict)
    summaries: tuple[Output, ...] = ()
    error: Fault | None = None
    traceback: str = ""
    warnings: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    environment_json: str = "{}"
    duration_s: float = 0.0
    cpu_time_s: float = 0.0
    peak_memory_bytes: int = 0
