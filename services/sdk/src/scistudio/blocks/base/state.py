"""States of a block during a run, and how a block is executed."""

from __future__ import annotations

from enum import StrEnum


class BlockState(StrEnum):
    """Where a block stands in a run. The engine owns the state; a block never sets it."""

    IDLE = "idle"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class ExecutionMode(StrEnum):
    """How the engine runs a block."""

    AUTO = "auto"
    INTERACTIVE = "interactive"
    EXTERNAL = "external"
