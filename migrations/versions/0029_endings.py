"""A tournament's end can wait for appeals or its organizer, and be asked for.

Revision ID: 0029
Revises: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """All that are there end at once after their last round, as before."""
    ending = sa.Column("ending", sa.String(20), nullable=False, server_default="at_once")
    op.add_column("tournaments", ending)
    op.add_column("tournaments", sa.Column("last_round", sa.Integer(), nullable=True))
    op.add_column(
        "tournaments", sa.Column("finishes_at", sa.DateTime(timezone=True), nullable=True)
    )


def downgrade() -> None:
    """What is held open waits for its organizer, who can cancel it."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("finishes_at")
        batch.drop_column("last_round")
        batch.drop_column("ending")
