"""What a terminal needs to know of a run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Protocol

ENDED = frozenset({"completed", "completed_with_failures", "failed", "cancelled"})
BLOCK_ENDED = frozenset({"done", "error", "cancelled", "skipped"})


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of a run, now."""

    id: str
    block_type: str
    state: str
    duration_s: float | None = None
    error: str = ""
    error_code: str = ""
    hint: str = ""
    traceback: str = ""
    reason: str = ""
    progress: float = 0.0
    progress_message: str = ""
    outputs: tuple[tuple[str, str, int], ...] = ()  # port, type, number of items
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """A run, now."""

    id: str
    workflow: str
    state: str
    reason: str = ""
    nodes: tuple[NodeView, ...] = field(default=())

    @property
    def ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.state in ENDED


@dataclass(frozen=True, slots=True)
class LogLineView:
    """A line that a block printed, numbered from 1 within its node."""

    node: str
    line: int
    text: str
    level: str = "info"


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem of a workflow."""

    severity: str
    code: str
    message: str
    node: str = ""
    port: str = ""
    hint: str = ""
    line: int = 0


class Backend(Protocol):
    """What runs and validates: the services in this process, or those behind a gateway."""

    async def validate(self, workflow: str) -> list[ProblemView]:
        """Every problem of a workflow, errors first."""

    async def start(self, workflow: str) -> RunSnapshot:
        """Start a run."""

    async def snapshot(self, run_id: str) -> RunSnapshot:
        """The run, now."""

    async def cancel(self, run_id: str, reason: str) -> None:
        """Ask the run to stop."""

    async def settle(self, run_id: str) -> None:
        """Let lineage take in the end of a run before what runs it goes away; bounded, since its events are kept in any case."""

    def changes(self, run_id: str) -> AsyncIterator[None]:
        """Something of the run changed: ask for a snapshot. Never ends by itself."""

    def log_lines(self, run_id: str) -> AsyncIterator[LogLineView]:
        """Lines from now on, as they are printed; some may be missed, which their numbers show."""

    async def log_page(self, run_id: str) -> list[LogLineView]:
        """The latest lines of all blocks."""

    async def objects(self, run_id: str, node: str, port: str) -> list[dict[str, Any]]:
        """Descriptions of the items on an output port."""
