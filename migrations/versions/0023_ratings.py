"""Ratings across tournaments, one pool a rule set.

Revision ID: 0023
Revises: 0022
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
ID = sa.String(length=26)
ZERO = sa.text("0")


def upgrade() -> None:
    """What has ended counts; the next timer rates it."""
    with op.batch_alter_table("tournaments") as batch:
        batch.add_column(sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_table(
        "rating_pools",
        sa.Column("id", ID, nullable=False),
        sa.Column("rules_hash", sa.String(length=64), nullable=False),
        sa.Column("preset", sa.String(length=40), nullable=False),
        sa.Column("rules", JSON_VALUE, nullable=False),
        sa.Column("measure", sa.String(length=10), nullable=False),
        sa.Column("anchors", JSON_VALUE, nullable=False),
        *(_number(name) for name in ("tournaments", "deals", "agents")),
        *(_float(name) for name in ("noise", "spread")),
        *(_number(name, server_default=ZERO) for name in ("due", "done")),
        sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_rating_pools"),
        sa.UniqueConstraint("rules_hash", name="uq_rating_pools_rules_hash"),
    )
    op.create_index("ix_rating_pools_preset", "rating_pools", ["preset"])
    op.create_table(
        "rated_tournaments",
        sa.Column("tournament_id", ID, nullable=False),
        sa.Column("pool_id", ID, nullable=False),
        _number("version"),
        _references("rated_tournaments", "tournament_id", "tournaments"),
        _references("rated_tournaments", "pool_id", "rating_pools"),
        sa.PrimaryKeyConstraint("tournament_id", name="pk_rated_tournaments"),
    )
    op.create_index("ix_rated_tournaments_pool_id", "rated_tournaments", ["pool_id"])
    op.create_table(
        "ratings",
        sa.Column("pool_id", ID, nullable=False),
        _number("position"),
        sa.Column("agent_id", ID, nullable=True),
        sa.Column("house_bot", sa.String(length=30), nullable=True),
        _number("deals"),
        *(_float(name) for name in ("value", "sd")),
        sa.Column("roles", JSON_VALUE, nullable=False),
        _references("ratings", "pool_id", "rating_pools"),
        _references("ratings", "agent_id", "agents"),
        sa.PrimaryKeyConstraint("pool_id", "position", name="pk_ratings"),
    )
    op.create_index("ix_ratings_agent_id", "ratings", ["agent_id"])


def downgrade() -> None:
    """They can be worked out again."""
    for table in ("ratings", "rated_tournaments", "rating_pools"):
        op.drop_table(table)
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("rated")


def _number(name: str, **options: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False, **options)


def _float(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float(53), nullable=False)


def _references(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}")
