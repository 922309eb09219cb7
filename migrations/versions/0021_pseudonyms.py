"""Tournaments whose tables show no names while a round runs.

Revision ID: 0021
Revises: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Names were shown so far."""
    op.add_column(
        "tournaments",
        sa.Column("pseudonyms", sa.Boolean(), nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    """They always are."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("pseudonyms")
