"""What the runner knows of one execution."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from scistudio_proto.common.v1.error_pb2 import ErrorDetail
from scistudio_proto.runner.v1 import runner_pb2 as pb


class Phase(Enum):
    """How far an execution is."""

    WAITING = auto()  # for a slot on a host
    PLACED = auto()  # on a host, which has it or will get it
    ENDED = auto()


@dataclass(slots=True)
class Record:
    """One execution.

    Attributes
    ----------
    spec : pb.Execution or None
        What was asked for; None for one that a host brought with it and nobody has asked for since this runner started.
    host_id : str
        Where it is placed.
    cancel_reason : str or None
        Why it shall end, when it shall.
    """

    id: str
    spec: pb.Execution | None = None
    phase: Phase = Phase.WAITING
    host_id: str = ""
    waiting: str = ""
    cancel_reason: str | None = None
    started: pb.Started | None = None
    progress: pb.Progress | None = None
    result: pb.Result | None = None
    unwritten: list[pb.Output] = field(default_factory=list)

    def forget_inputs(self) -> None:
        """Keep of the request only where it belongs: what was printed late still finds its file."""
        if self.spec is not None:
            spec = self.spec
            self.spec = pb.Execution(execution_id=spec.execution_id, run_id=spec.run_id, node_id=spec.node_id, project_dir=spec.project_dir)

    def so_far(self) -> list[pb.ExecuteResponse]:
        """Return what a new follower must hear: each kind of news once, in order."""
        news = []
        if self.phase is Phase.WAITING and self.waiting:
            news.append(pb.ExecuteResponse(waiting=self.waiting))
        if self.started is not None:
            news.append(pb.ExecuteResponse(started=self.started))
        if self.progress is not None and self.result is None:
            news.append(pb.ExecuteResponse(progress=self.progress))
        if self.result is not None:
            news.append(pb.ExecuteResponse(result=self.result))
        return news


def cancelled(record: Record) -> pb.Result:
    """Return the result of an execution that was cancelled before it began."""
    return pb.Result(execution_id=record.id, outcome=pb.OUTCOME_CANCELLED)


def lost(record: Record, away_s: float) -> pb.Result:
    """Return the result of an execution whose host has not come back."""
    subject = f"node/{record.spec.node_id}" if record.spec is not None else f"execution/{record.id}"
    error = ErrorDetail(
        code="worker.host_lost",
        message=f"The worker host {record.host_id} has been away for {away_s:.0f} s; what it was running is lost.",
        subject=subject,
        hint="Run the workflow again. If it happens again, see the worker host's log, and whether its machine runs out of memory.",
    )
    return pb.Result(execution_id=record.id, outcome=pb.OUTCOME_LOST, error=error, host_id=record.host_id)
