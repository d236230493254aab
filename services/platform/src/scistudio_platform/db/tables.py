"""The tables of the event helpers: the same in every service that has them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, MetaData, String, Table, UniqueConstraint, false

from scistudio_platform.db.base import JsonType, RowNumber, UtcDateTime

_METADATA = MetaData(naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "pk": "pk_%(table_name)s"})

# Events that wait for the bus, and those that it has, with the cursor under which it acknowledged them. `position` is their order.
OUTBOX = Table(
    "outbox",
    _METADATA,
    Column("position", RowNumber, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False),
    Column("subject", String, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("headers", JsonType, nullable=False),
    Column("created_at", UtcDateTime(), nullable=False),
    Column("replay", Boolean, nullable=False, server_default=false()),
    Column("epoch", String(36)),
    Column("seq", BigInteger),
    UniqueConstraint("id", name="uq_outbox_id"),
    Index(None, "epoch", "position"),
)

# Ids of events that a consumer has dealt with.
SEEN_EVENTS = Table(
    "seen_events",
    _METADATA,
    Column("id", String(36), primary_key=True),
)
