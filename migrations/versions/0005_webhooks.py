"""Outgoing webhooks, how far each has been served, and its deliveries.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Nobody has one yet."""
    op.create_table(
        "webhooks",
        *_identified(),
        sa.Column("owner_id", sa.String(length=26), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=True),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("kinds", JSON_VALUE, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("status_reason", sa.String(length=300), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_at", sa.Float(precision=53), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Float(precision=53), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        _foreign_key("webhooks", "owner_id", "accounts"),
        _foreign_key("webhooks", "tournament_id", "tournaments"),
    )
    op.create_index("ix_webhooks_owner_id", "webhooks", ["owner_id"])
    op.create_index("ix_webhooks_status_next_at", "webhooks", ["status", "next_at"])
    op.create_table(
        "webhook_positions",
        sa.Column("webhook_id", sa.String(length=26), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("webhook_id", "tournament_id", name="pk_webhook_positions"),
        _foreign_key("webhook_positions", "webhook_id", "webhooks"),
        _foreign_key("webhook_positions", "tournament_id", "tournaments"),
    )
    op.create_table(
        "deliveries",
        *_identified(),
        sa.Column("webhook_id", sa.String(length=26), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.Float(precision=53), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_ms", sa.Integer(), nullable=True),
        sa.Column("fault", sa.String(length=20), nullable=True),
        sa.Column("detail", sa.String(length=300), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint(
            "webhook_id", "tournament_id", "seq", name="uq_deliveries_webhook_id_tournament_id_seq"
        ),
        _foreign_key("deliveries", "webhook_id", "webhooks"),
        _foreign_key("deliveries", "tournament_id", "tournaments"),
    )
    op.create_index(
        "ix_deliveries_webhook_id_status_next_at",
        "deliveries",
        ["webhook_id", "status", "next_at"],
    )
    op.create_index("ix_deliveries_webhook_id_id", "deliveries", ["webhook_id", "id"])


def downgrade() -> None:
    """Forget them."""
    for table in ("deliveries", "webhook_positions", "webhooks"):
        op.drop_table(table)


def _identified() -> tuple[sa.Column[str], sa.Column[object], sa.Column[int]]:
    return (
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
    )


def _foreign_key(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}_{target}")
