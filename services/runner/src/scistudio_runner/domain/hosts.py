"""Worker hosts as the runner knows them, and which of them gets the next execution."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from scistudio_proto.runner.v1 import runner_pb2 as pb

Send = Callable[[pb.ConnectResponse], None]


@dataclass(slots=True)
class Host:
    """One worker host. ``send`` is None while it is away."""

    id: str
    slots: int
    labels: dict[str, str]
    connected_at: datetime
    send: Send | None = None
    executions: set[str] = field(default_factory=set)

    @property
    def n_free(self) -> int:
        """Executions it can take now."""
        return self.slots - len(self.executions) if self.send is not None else 0


def choose(hosts: Iterable[Host]) -> Host | None:
    """Return the host with the most free slots, None when all are full or away."""
    best = max(hosts, key=lambda host: host.n_free, default=None)
    return best if best is not None and best.n_free > 0 else None


def why_waiting(hosts: Iterable[Host]) -> str:
    """Return why nothing can be placed now."""
    connected = [host for host in hosts if host.send is not None]
    return "waiting for a free slot" if connected else "no worker host is connected"
