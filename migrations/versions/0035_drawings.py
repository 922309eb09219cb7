"""By which version of the drawing each round was drawn, for archives that are drawn again.

Revision ID: 0035
Revises: 0034
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rounds that are there were drawn before versions were told: by the first."""
    drawing = sa.Column("drawing", sa.Integer(), nullable=False, server_default=sa.text("1"))
    op.add_column("rounds", drawing)


def downgrade() -> None:
    """Nobody asks which version drew a round."""
    with op.batch_alter_table("rounds") as batch:
        batch.drop_column("drawing")
