"""Which tables of a tournament have the same cards is asked at every checkpoint.

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """An index."""
    op.create_index("ix_matches_tournament_id_board", "matches", ["tournament_id", "board"])


def downgrade() -> None:
    """Without it."""
    op.drop_index("ix_matches_tournament_id_board", "matches")
