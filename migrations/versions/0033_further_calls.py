"""Requests to agents that no decision tells of: notices, questions that were put again.

Revision ID: 0033
Revises: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

ID = sa.String(length=26)


def upgrade() -> None:
    """A table that is empty for matches of before."""
    op.create_table(
        "further_calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=True),
        sa.Column("request", ID, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(length=20), nullable=True),
        sa.Column("charged_to", sa.String(length=10), nullable=True),
        sa.Column("detail", sa.String(length=300), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name="fk_further_calls_match_id_matches"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_further_calls"),
    )
    op.create_index("ix_further_calls_match_id_id", "further_calls", ["match_id", "id"])


def downgrade() -> None:
    """They are forgotten."""
    op.drop_table("further_calls")
