"""How much of each limit on requests is used up.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One row a caller and limit."""
    op.create_table(
        "rate_windows",
        sa.Column("bucket", sa.String(64), nullable=False),
        sa.Column("ends", sa.Float(precision=53), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", name="pk_rate_windows"),
    )
    op.create_index("ix_rate_windows_ends", "rate_windows", ["ends"])


def downgrade() -> None:
    """Forget them."""
    op.drop_table("rate_windows")
