"""How many entries a tournament needs to start by itself.

Revision ID: 0031
Revises: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One, as before."""
    least = sa.Column("min_entries", sa.Integer(), nullable=False, server_default=sa.text("1"))
    op.add_column("tournaments", least)


def downgrade() -> None:
    """One is always enough."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("min_entries")
