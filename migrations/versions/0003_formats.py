"""Formats with options: fill-ins are told from entered house bots, rounds keep who sat out.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")

COLUMNS = (
    ("tournaments", "format_options", JSON_VALUE, sa.text("'{}'")),
    ("entries", "fills", sa.Boolean(), sa.false()),
    ("rounds", "byes", JSON_VALUE, sa.text("'[]'")),
    ("rounds", "out", JSON_VALUE, sa.text("'[]'")),
)


def upgrade() -> None:
    """Columns with a default, so that rows that are there stay whole."""
    for table, name, kind, default in COLUMNS:
        op.add_column(table, sa.Column(name, kind, nullable=False, server_default=default))


def downgrade() -> None:
    """Drop them again."""
    for table, name, _, _ in reversed(COLUMNS):
        op.drop_column(table, name)
