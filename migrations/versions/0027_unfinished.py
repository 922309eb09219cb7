"""Whether a tournament has unfinished matches is asked every second, however many have ended.

Revision ID: 0027
Revises: 0026
"""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The index by tournament has the status as well."""
    op.create_index("ix_matches_tournament_id_status", "matches", ["tournament_id", "status"])
    op.drop_index("ix_matches_tournament_id", "matches")


def downgrade() -> None:
    """By tournament alone."""
    op.create_index("ix_matches_tournament_id", "matches", ["tournament_id"])
    op.drop_index("ix_matches_tournament_id_status", "matches")
