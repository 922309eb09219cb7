"""A page of a tournament's matches is read in their order, not sorted out of all of them.

Revision ID: 0032
Revises: 0031
"""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The indexes by tournament, and by its status, have the id as well."""
    op.create_index("ix_matches_tournament_id_id", "matches", ["tournament_id", "id"])
    by_status = ["tournament_id", "status", "id"]
    op.create_index("ix_matches_tournament_id_status_id", "matches", by_status)
    op.drop_index("ix_matches_tournament_id_status", "matches")


def downgrade() -> None:
    """By tournament and status alone."""
    op.create_index("ix_matches_tournament_id_status", "matches", ["tournament_id", "status"])
    op.drop_index("ix_matches_tournament_id_status_id", "matches")
    op.drop_index("ix_matches_tournament_id_id", "matches")
