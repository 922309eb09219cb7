"""Agents that leave one match after the other are paused.

Revision ID: 0026
Revises: 0025
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Everybody begins at none."""
    op.add_column(
        "agents", sa.Column("desertions", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )


def downgrade() -> None:
    """They are not counted."""
    with op.batch_alter_table("agents") as batch:
        batch.drop_column("desertions")
