"""Lines of the standings as they are shown.

Revision ID: 0024
Revises: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """None is written down until its standings are made anew; readers put it together as before."""
    op.add_column("standings", sa.Column("shown", sa.Text(), nullable=True))


def downgrade() -> None:
    """They can be put together at any time."""
    with op.batch_alter_table("standings") as batch:
        batch.drop_column("shown")
