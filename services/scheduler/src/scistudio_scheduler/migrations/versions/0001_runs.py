"""Make runs, nodes and the outbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from scistudio_platform.db.base import JsonType, UtcDateTime
from scistudio_platform.db.outbox import create_outbox

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("workflow_id", sa.String(), nullable=False),
        sa.Column("workflow_path", sa.String(), nullable=False),
        sa.Column("triggered_by", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime()),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("cancel_reason", sa.String()),
        sa.Column("failure", JsonType),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("plan", JsonType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_project_id_created_at"), "runs", ["project_id", "created_at"])
    op.create_index(op.f("ix_runs_settled"), "runs", ["settled"])
    op.create_table(
        "nodes",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("node_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("execution_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("started_at", UtcDateTime()),
        sa.Column("ended_at", UtcDateTime()),
        sa.Column("error", JsonType),
        sa.Column("traceback", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("outputs", JsonType, nullable=False),
        sa.Column("summaries", JsonType, nullable=False),
        sa.Column("warnings", JsonType, nullable=False),
        sa.Column("stopping", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "node_id", name=op.f("pk_nodes")),
    )
    create_outbox(op)


def downgrade() -> None:
    for table in ("outbox", "nodes", "runs"):
        op.drop_table(table)
