"""Standings as they were published, and how sure they are.

Revision ID: 0020
Revises: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
ID = sa.String(length=26)
COUNTS = ("intervals_due", "intervals_done")


def upgrade() -> None:
    """What has ended is published as it stands; intervals are worked out by the next timer."""
    with op.batch_alter_table("tournaments") as batch:
        for name in COUNTS:
            batch.add_column(
                sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0"))
            )
    op.create_table(
        "frozen_standings",
        sa.Column("tournament_id", ID, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("entry_id", ID, nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("row", JSON_VALUE, nullable=False),
        _references("frozen_standings", "tournament_id", "tournaments"),
        _references("frozen_standings", "entry_id", "entries"),
        sa.PrimaryKeyConstraint("tournament_id", "round", "position", name="pk_frozen_standings"),
    )
    op.create_table(
        "intervals",
        sa.Column("tournament_id", ID, nullable=False),
        sa.Column("entry_id", ID, nullable=False),
        sa.Column("as_of", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Float(53), nullable=False) for name in ("mean", "low", "high")),
        sa.Column("first", sa.Float(53), nullable=True),
        *(sa.Column(name, sa.Integer(), nullable=True) for name in ("rank_low", "rank_high")),
        _references("intervals", "tournament_id", "tournaments"),
        _references("intervals", "entry_id", "entries"),
        sa.PrimaryKeyConstraint("tournament_id", "entry_id", name="pk_intervals"),
    )
    _begin()


def downgrade() -> None:
    """Both can be worked out again, but for what was ruled since."""
    op.drop_table("intervals")
    op.drop_table("frozen_standings")
    with op.batch_alter_table("tournaments") as batch:
        for name in reversed(COUNTS):
            batch.drop_column(name)


def _references(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}")


def _begin() -> None:
    """Of each tournament the last closed round, by the standings that are stored."""
    tournaments = sa.table("tournaments", sa.column("id"), sa.column("intervals_due", sa.Integer()))
    rounds = sa.table("rounds", *map(sa.column, ("tournament_id", "number", "status")))
    columns = ("tournament_id", "position", "entry_id", "rank", "row")
    standings = sa.table("standings", *map(sa.column, columns))
    frozen = sa.table("frozen_standings", *map(sa.column, (*columns, "round")))
    closed = (
        sa.select(rounds.c.tournament_id, sa.func.max(rounds.c.number).label("last"))
        .where(rounds.c.status == "finished")
        .group_by(rounds.c.tournament_id)
        .subquery()
    )
    known = sa.select(*(standings.c[name] for name in columns), closed.c.last).join_from(
        standings, closed, standings.c.tournament_id == closed.c.tournament_id
    )
    op.execute(frozen.insert().from_select([*columns, "round"], known))
    due = tournaments.c.id.in_(sa.select(closed.c.tournament_id))
    op.execute(tournaments.update().where(due).values(intervals_due=1))
