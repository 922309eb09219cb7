"""When the API answered, so that agents that fetch are not charged for what it missed.

Revision ID: 0034
Revises: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A table that API processes write into."""
    op.create_table(
        "doors",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("since", sa.Float(precision=53), nullable=False),
        sa.Column("seen", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_doors"),
    )


def downgrade() -> None:
    """Nothing is known then, and nothing excused."""
    op.drop_table("doors")
