"""The tables of the tests' sample service."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scistudio_platform.db.base import JsonType, UtcDateTime
from scistudio_platform.db.outbox import create_outbox, create_seen_events

revision = "0001"
down_revision = None


def upgrade() -> None:
    create_outbox(op)
    create_seen_events(op)
    op.create_table(
        "notes",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("made_at", UtcDateTime(), nullable=False),
        sa.Column("content", JsonType, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notes"),
    )
