"""What a token makes, and what replaces that, ends with it. Tokens that are there are not bound.

Revision ID: 0028
Revises: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Null: it may be replaced by one that lives as long again."""
    op.add_column("tokens", sa.Column("ends_by", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("tokens", "ends_by")
