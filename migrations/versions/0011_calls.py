"""Decisions keep how the call behind them went.

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

COLUMNS = (
    ("asked_at", sa.DateTime(timezone=True)),
    ("budget_ms", sa.Integer()),
    ("bank_ms", sa.Integer()),
    ("ms", sa.Integer()),
    ("charged_ms", sa.Integer()),
    ("note", sa.String(length=256)),
)


def upgrade() -> None:
    """Of what was decided before nothing is known."""
    for name, kind in COLUMNS:
        op.add_column("decisions", sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    """Forget it."""
    with op.batch_alter_table("decisions") as decisions:
        for name, _ in reversed(COLUMNS):
            decisions.drop_column(name)
