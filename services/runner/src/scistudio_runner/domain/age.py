"""Whether an execution may have been started by a runner before this one."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

PRECISION = timedelta(milliseconds=1)


def made_at(execution_id: str) -> datetime | None:
    """Return when an id was made: UUIDv7 carry their milliseconds. None for other ids."""
    try:
        parsed = uuid.UUID(execution_id)
    except ValueError:
        return None
    return datetime.fromtimestamp((parsed.int >> 80) / 1000, UTC) if parsed.version == 7 else None


def may_run_already(execution_id: str, runner_started_at: datetime) -> bool:
    """Whether an earlier runner can have handed the execution to a host; then hosts are waited for before it is started anew."""
    moment = made_at(execution_id)
    return moment is None or moment + PRECISION < runner_started_at
