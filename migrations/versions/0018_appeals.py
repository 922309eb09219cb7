"""Appeals, and how long after a match or a ruling they may be made.

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

REFERENCES = (
    ("tournament_id", "tournaments", False),
    ("entry_id", "entries", False),
    ("author_id", "accounts", True),
    ("match_id", "matches", True),
    ("ruling_id", "rulings", True),
    ("decided_by_id", "accounts", True),
    ("remedy_id", "rulings", True),
)


def upgrade() -> None:
    """There are none so far; in tournaments that there are none can be made."""
    window = sa.Column("appeal_window_s", sa.Integer(), server_default="0", nullable=False)
    op.add_column("tournaments", window)
    op.create_table(
        "appeals",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("statement", sa.String(length=1000), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decision", sa.String(length=500), nullable=True),
        *(
            sa.Column(name, sa.String(length=26), nullable=nullable)
            for name, _, nullable in REFERENCES
        ),
        *(
            sa.ForeignKeyConstraint([name], [f"{table}.id"], name=f"fk_appeals_{name}_{table}")
            for name, table, _ in REFERENCES
        ),
        sa.PrimaryKeyConstraint("id", name="pk_appeals"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_appeals_tournament_id_number"),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("appeals")
    op.drop_column("tournaments", "appeal_window_s")
