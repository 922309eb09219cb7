"""Rulings, and tables that are played again.

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")

REFERENCES = (
    ("tournament_id", "tournaments", False),
    ("author_id", "accounts", True),
    ("match_id", "matches", True),
    ("replay_id", "matches", True),
    ("entry_id", "entries", True),
    ("undoes_id", "rulings", True),
)


def upgrade() -> None:
    """There are no rulings so far."""
    op.add_column("tables", sa.Column("replays", sa.Integer(), nullable=True))
    op.create_table(
        "rulings",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.Column("after_round", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("points", sa.Integer(), nullable=True),
        sa.Column("details", JSON_VALUE, nullable=False),
        *(
            sa.Column(name, sa.String(length=26), nullable=nullable)
            for name, _, nullable in REFERENCES
        ),
        *(
            sa.ForeignKeyConstraint([name], [f"{table}.id"], name=f"fk_rulings_{name}_{table}")
            for name, table, _ in REFERENCES
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rulings"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_rulings_tournament_id_number"),
        sa.UniqueConstraint("undoes_id", name="uq_rulings_undoes_id"),
    )


def downgrade() -> None:
    """Forget them; what was replayed stays a table of its own."""
    op.drop_table("rulings")
    op.drop_column("tables", "replays")
