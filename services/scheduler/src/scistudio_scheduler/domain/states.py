"""The states of blocks and runs, and which may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class BlockState(StrEnum):
    """What one node of a run is doing."""

    IDLE = "idle"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class RunState(StrEnum):
    """What a run is doing. Queued: none of its blocks has been handed to the runner."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    COMPLETED_WITH_FAILURES = "completed_with_failures"
    FAILED = "failed"
    CANCELLED = "cancelled"


IDLE, READY, RUNNING, PAUSED = BlockState.IDLE, BlockState.READY, BlockState.RUNNING, BlockState.PAUSED
DONE, ERROR, CANCELLED, SKIPPED = BlockState.DONE, BlockState.ERROR, BlockState.CANCELLED, BlockState.SKIPPED

TRANSITIONS: Mapping[BlockState, frozenset[BlockState]] = {
    IDLE: frozenset({READY, SKIPPED, ERROR}),
    READY: frozenset({RUNNING, SKIPPED, ERROR}),
    RUNNING: frozenset({DONE, PAUSED, ERROR, CANCELLED}),
    PAUSED: frozenset({RUNNING, ERROR, CANCELLED}),
}  # the rest is terminal: a rerun is a new run
TERMINAL = frozenset(BlockState) - TRANSITIONS.keys()
WAITING = frozenset({IDLE, READY})
ENDED = frozenset({RunState.COMPLETED, RunState.COMPLETED_WITH_FAILURES, RunState.FAILED, RunState.CANCELLED})
