"""The outbox: events stored in the transaction that they tell of, and published from there.

``OUTBOX`` becomes part of a service's metadata by ``new_metadata(outbox=True)``, and of its migrations by the functions below.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, LargeBinary, PrimaryKeyConstraint, String, UniqueConstraint, false
from sqlalchemy.ext.asyncio import AsyncSession

from scistudio_platform.db.base import JsonType, RowNumber, UtcDateTime
from scistudio_platform.db.database import OUTBOX_ROWS
from scistudio_platform.errors import Kind, SciStudioError
from scistudio_platform.events.model import Event, EventData, Scope, encode, subject_of
from scistudio_platform.telemetry import inject

# nats-server takes 8 MB as we configure it, headers included.
EVENT_LIMIT_BYTES = 8 * 1024 * 1024 - 16 * 1024


class EventTooLarge(SciStudioError):
    """An event that the bus would not take."""

    kind, code = Kind.EXHAUSTED, "event.too_large"

    def __init__(self, event: Event, size_bytes: int) -> None:
        super().__init__(
            f"The event {event.type} has {size_bytes} bytes; at most {EVENT_LIMIT_BYTES} can be published.",
            subject=f"event/{event.id}",
            hint="Leave large values in storage and name where they lie.",
        )


class Outbox:
    """The events of one transaction: ``Outbox(session).add(...)`` inside ``Database.transaction``."""

    def __init__(self, session: AsyncSession) -> None:
        self._rows: list[dict[str, Any]] = session.info.setdefault(OUTBOX_ROWS, [])

    def add(self, data: EventData, scope: Scope) -> Event:
        """Store an event with this transaction. Events leave in the order in which they were added.

        Raises
        ------
        EventTooLarge
            If the bus would not take it.
        """
        event = Event(scope=scope, data=data, trace_context=dict(inject({})))
        payload = encode(event)
        if len(payload) > EVENT_LIMIT_BYTES:
            raise EventTooLarge(event, len(payload))
        self._rows.append(
            {
                "id": event.id,
                "subject": subject_of(event),
                "payload": payload,
                "headers": event.trace_context,
                "created_at": event.time,
            }
        )
        return event


def create_outbox(op: Any) -> None:
    """Make the table, in a migration: ``create_outbox(op)``. What it makes never changes; a change is a function of its own."""
    op.create_table(
        "outbox",
        Column("position", RowNumber, autoincrement=True),
        Column("id", String(36), nullable=False),
        Column("subject", String, nullable=False),
        Column("payload", LargeBinary, nullable=False),
        Column("headers", JsonType, nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("replay", Boolean, nullable=False, server_default=false()),
        Column("epoch", String(36)),
        Column("seq", BigInteger),
        PrimaryKeyConstraint("position", name="pk_outbox"),
        UniqueConstraint("id", name="uq_outbox_id"),
    )
    op.create_index("ix_outbox_epoch_position", "outbox", ["epoch", "position"])


def create_seen_events(op: Any) -> None:
    """Make the table of seen events, in a migration."""
    op.create_table("seen_events", Column("id", String(36)), PrimaryKeyConstraint("id", name="pk_seen_events"))
