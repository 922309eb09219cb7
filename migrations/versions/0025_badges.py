"""Versions of agents are checked and have badges, which tournaments may require.

Revision ID: 0025
Revises: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
VERSION = (
    ("check_at", sa.Float(precision=53)),
    ("checked_at", TIME),
    ("findings", sa.JSON().with_variant(JSONB(), "postgresql")),
    ("badge_until", TIME),
)


def upgrade() -> None:
    """Nobody has been checked so far."""
    for name, kind in VERSION:
        op.add_column("agent_versions", sa.Column(name, kind, nullable=True))
    op.create_index("ix_agent_versions_check_at", "agent_versions", ["check_at"])
    op.add_column(
        "tournaments",
        sa.Column("badge_required", sa.Boolean(), nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    """Everybody may enter."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("badge_required")
    op.drop_index("ix_agent_versions_check_at", "agent_versions")
    with op.batch_alter_table("agent_versions") as batch:
        for name, _ in reversed(VERSION):
            batch.drop_column(name)
