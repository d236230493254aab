"""The streams: the one place that says which there are, what they take and how long they keep it.

The sequence numbers of a stream mean something only together with its *epoch*, which is made with the stream and kept in its
metadata. A stream that came back without its last messages gives their numbers out again, so it gets a further epoch; the metadata
lists all that its numbers had, the current one last.
"""

from __future__ import annotations

from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import StorageType, StreamConfig, StreamInfo
from nats.js.errors import BadRequestError, NotFoundError

from scistudio_platform.ids import new_id

EPOCHS = "scistudio.epochs"
_DAY_S = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpec:
    """How a stream is declared. The oldest messages go when one of the limits is reached."""

    name: str
    subjects: str
    storage: StorageType
    max_age_s: int
    max_bytes: int
    duplicate_window_s: int = 120

    @property
    def limits(self) -> dict[str, object]:
        """What is ours to set; the rest of an existing stream's configuration (replicas, placement) is its operator's."""
        return {
            "subjects": [self.subjects],
            "max_age": float(self.max_age_s),
            "max_bytes": self.max_bytes,
            "duplicate_window": float(self.duplicate_window_s),
        }


# States: what clients and durable consumers must not lose.
EVENTS = StreamSpec(name="EVENTS", subjects="scistudio.events.>", storage=StorageType.FILE, max_age_s=7 * _DAY_S, max_bytes=1 << 30)
# Logs and progress: many, and no harm when they go. In memory, so that they cost no disk.
LOGS = StreamSpec(name="LOGS", subjects="scistudio.logs.>", storage=StorageType.MEMORY, max_age_s=3600, max_bytes=32 << 20)
# What a consumer could not read, for a person to look at.
PARKED = StreamSpec(name="PARKED", subjects="scistudio.parked.>", storage=StorageType.FILE, max_age_s=30 * _DAY_S, max_bytes=64 << 20)


@dataclass(frozen=True, slots=True)
class StreamState:
    """Where a stream is: its epochs, the current one last, and the numbers of the first message it has and the last it gave."""

    epochs: tuple[str, ...]
    first_seq: int
    last_seq: int

    @property
    def epoch(self) -> str:
        """The current epoch."""
        return self.epochs[-1]


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the stream of events: all up to and including ``seq`` has been seen. As text ``<epoch>:<seq>``."""

    epoch: str
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}:{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Cursor | None:
        """Read the text form; None for anything else."""
        epoch, _, seq = text.rpartition(":")
        return cls(epoch, int(seq)) if epoch and seq.isascii() and seq.isdecimal() else None


async def ensure(js: JetStreamContext, spec: StreamSpec) -> StreamState:
    """Make the stream, or bring its limits up to date, and return where it is."""
    try:
        info = await js.stream_info(spec.name)
    except NotFoundError:
        info = await _make(js, spec)
    if _drifted(info.config, spec):
        info = await js.update_stream(info.config, **spec.limits)
    return _state(info)


async def state_of(js: JetStreamContext, spec: StreamSpec) -> StreamState:
    """Return where the stream is. Raises ``NotFoundError`` when it is gone."""
    return _state(await js.stream_info(spec.name))


async def renew_epoch(js: JetStreamContext, spec: StreamSpec, expected: str) -> None:
    """Give the stream a further epoch, unless somebody has: its current one is no longer ``expected``."""
    info = await js.stream_info(spec.name)
    epochs = _state(info).epochs
    if epochs[-1] == expected:
        metadata = {**(info.config.metadata or {}), EPOCHS: ",".join([*epochs[-15:], new_id()])}
        await js.update_stream(info.config, metadata=metadata)


async def _make(js: JetStreamContext, spec: StreamSpec) -> StreamInfo:
    config = StreamConfig(name=spec.name, storage=spec.storage, metadata={EPOCHS: new_id()})
    try:
        return await js.add_stream(config, **spec.limits)
    except BadRequestError:  # another service made it between our two calls, with an epoch of its own
        return await js.stream_info(spec.name)


def _drifted(config: StreamConfig, spec: StreamSpec) -> bool:
    return any(getattr(config, name) != value for name, value in spec.limits.items())


def _state(info: StreamInfo) -> StreamState:
    created = info.created.isoformat() if info.created else ""
    epochs = (info.config.metadata or {}).get(EPOCHS) or created.replace(":", "")  # one made by hand has no epoch of ours
    return StreamState(tuple(epochs.split(",")), info.state.first_seq, info.state.last_seq)
