"""Events, the journals that number them, and how late the public hears of them.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WAITING = sa.text("seq IS NULL")


def upgrade() -> None:
    """Tournaments that are there have told nothing so far; their events begin at 1."""
    op.add_column(
        "tournaments",
        sa.Column("spectator_delay_s", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
    op.create_table(
        "events",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("match_id", sa.String(length=26), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("view", sa.String(length=10), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("public_seq", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("payload", JSON_VALUE, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.UniqueConstraint("tournament_id", "seq", name="uq_events_tournament_id_seq"),
        sa.UniqueConstraint(
            "tournament_id", "public_seq", name="uq_events_tournament_id_public_seq"
        ),
    )
    op.create_index("ix_events_match_id_seq", "events", ["match_id", "seq"])
    op.create_index(
        "ix_events_waiting",
        "events",
        ["tournament_id"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )
    op.create_table(
        "journals",
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("public_seq", sa.BigInteger(), nullable=False),
        sa.Column("purged_seq", sa.BigInteger(), nullable=False),
        sa.Column("purged_public_seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", name="pk_journals"),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("journals")
    op.drop_index("ix_events_waiting", "events")
    op.drop_index("ix_events_match_id_seq", "events")
    op.drop_table("events")
    op.drop_column("tournaments", "spectator_delay_s")
