"""What hands are worth in a tournament, by a model that is fixed before it.

Revision ID: 0022
Revises: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """No tournament so far has par."""
    with op.batch_alter_table("tournaments") as batch:
        batch.add_column(sa.Column("par", JSON_VALUE, nullable=True))


def downgrade() -> None:
    """Without it points alone rank."""
    tournaments = sa.table("tournaments", sa.column("scoring"))
    above = tournaments.c.scoring == "adjusted"
    op.execute(tournaments.update().where(above).values(scoring="points"))
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("par")
