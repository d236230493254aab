"""Times: aware, UTC, microseconds."""

from __future__ import annotations

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


def to_timestamp(moment: datetime | None) -> Timestamp | None:
    """Return the protobuf form; None stays None, which leaves a message's field unset."""
    if moment is None:
        return None
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def from_timestamp(timestamp: Timestamp) -> datetime | None:
    """Return the aware datetime, or None for a field that was not set."""
    if not timestamp.seconds and not timestamp.nanos:
        return None
    return timestamp.ToDatetime(tzinfo=UTC)
