"""Make runs, executions, objects, ports and the memory of seen events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from scistudio_platform.db.base import JsonType, UtcDateTime
from scistudio_platform.db.outbox import create_seen_events

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("workflow_id", sa.String(), nullable=False),
        sa.Column("workflow_path", sa.String(), nullable=False),
        sa.Column("workflow_text", sa.String(), nullable=False),
        sa.Column("commit", sa.String(), nullable=False),
        sa.Column("dirty", sa.Boolean(), nullable=False),
        sa.Column("triggered_by", sa.String(), nullable=False),
        sa.Column("nodes", JsonType, nullable=False),
        sa.Column("edges", JsonType, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("state_at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_project_id_started_at"), "runs", ["project_id", "started_at"])
    op.create_table(
        "executions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("node_id", sa.String(), nullable=False),
        sa.Column("block_type", sa.String(), nullable=False),
        sa.Column("block_version", sa.String(), nullable=False),
        sa.Column("config", JsonType, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("started_at", UtcDateTime()),
        sa.Column("ended_at", UtcDateTime()),
        sa.Column("duration_s", sa.Double()),
        sa.Column("cpu_time_s", sa.Double()),
        sa.Column("peak_memory_bytes", sa.BigInteger()),
        sa.Column("error", JsonType),
        sa.Column("environment", JsonType, nullable=False),
        sa.Column("warnings", JsonType, nullable=False),
        sa.Column("seed", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executions")),
    )
    op.create_index(op.f("ix_executions_run_id"), "executions", ["run_id"])
    op.create_table(
        "objects",
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("type_name", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("reference", JsonType, nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_objects")),
    )
    op.create_index(op.f("ix_objects_content_hash"), "objects", ["content_hash"])
    op.create_table(
        "ports",
        sa.Column("execution_id", sa.String(), nullable=False),
        sa.Column("direction", sa.String(), nullable=False),
        sa.Column("port", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slot", sa.String(), nullable=False),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("execution_id", "direction", "port", "position", "slot", name=op.f("pk_ports")),
    )
    op.create_index(op.f("ix_ports_project_id_object_id_direction"), "ports", ["project_id", "object_id", "direction"])
    create_seen_events(op)


def downgrade() -> None:
    for table in ("seen_events", "ports", "objects", "executions", "runs"):
        op.drop_table(table)
