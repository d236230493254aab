"""What must happen after a decision. Announcements are stored with the state; the rest is done after the commit."""

from __future__ import annotations

from dataclasses import dataclass

from scistudio_platform.ids import ExecutionId, NodeId

from scistudio_scheduler.domain.records import Ending, NodeRun
from scistudio_scheduler.domain.states import RunState


@dataclass(frozen=True, slots=True)
class Announce:
    """A node has changed; ``record`` is what it was then."""

    node: NodeId
    record: NodeRun


@dataclass(frozen=True, slots=True)
class AnnounceRun:
    """The run has entered ``state``."""

    state: RunState
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """An execution has ended: what lineage keeps of it."""

    node: NodeId
    record: NodeRun
    ending: Ending


@dataclass(frozen=True, slots=True)
class Start:
    """Hand an execution to the runner and follow it."""

    node: NodeId
    execution_id: ExecutionId


@dataclass(frozen=True, slots=True)
class Stop:
    """Ask the runner to end an execution's process tree."""

    node: NodeId
    execution_id: ExecutionId


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Tell the runner that an execution's result is stored."""

    execution_id: ExecutionId


Effect = Announce | AnnounceRun | Record | Start | Stop | Acknowledge
