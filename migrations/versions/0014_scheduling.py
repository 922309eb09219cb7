"""Series of tournaments, rounds on demand, deadlines of rounds.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
ID, TIME = sa.String(length=26), sa.DateTime(timezone=True)

COLUMNS = {
    "tournaments": (
        ("advance", sa.String(length=20), False, "automatic"),
        ("round_limit_s", sa.Integer(), True, None),
        ("overdue", sa.String(length=20), False, "autoplay"),
        ("series_id", ID, True, None),
        ("series_start", TIME, True, None),
        ("stopped_at", TIME, True, None),
    ),
    "rounds": (("deadline_at", TIME, True, None), ("overran_at", TIME, True, None)),
    "matches": (("hurried", sa.Boolean(), False, sa.false()),),
}
REFERENCE, ONCE = "fk_tournaments_series_id_series", "uq_tournaments_series_id_series_start"


def upgrade() -> None:
    """Tournaments that are there go on as before: by themselves, without deadlines."""
    op.create_table(
        "series",
        sa.Column("id", ID, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("organizer_id", ID, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("cron", sa.String(length=100), nullable=False),
        sa.Column("time_zone", sa.String(length=60), nullable=False),
        sa.Column("lead_s", sa.Integer(), nullable=False),
        sa.Column("settings", JSON_VALUE, nullable=False),
        sa.Column("until", TIME, nullable=True),
        sa.Column("next_at", TIME, nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("status_reason", sa.String(length=500), nullable=True),
        sa.ForeignKeyConstraint(
            ["organizer_id"], ["accounts.id"], name="fk_series_organizer_id_accounts"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_series"),
    )
    op.create_index("ix_series_organizer_id", "series", ["organizer_id"])
    op.create_index("ix_series_status_next_at", "series", ["status", "next_at"])
    for table, columns in COLUMNS.items():
        with op.batch_alter_table(table) as batch:
            for name, kind, nullable, default in columns:
                batch.add_column(sa.Column(name, kind, nullable=nullable, server_default=default))
    with op.batch_alter_table("tournaments") as batch:
        batch.create_foreign_key(REFERENCE, "series", ["series_id"], ["id"])
        batch.create_unique_constraint(ONCE, ["series_id", "series_start"])


def downgrade() -> None:
    """Forget the series; their tournaments stay."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_constraint(ONCE, type_="unique")
        batch.drop_constraint(REFERENCE, type_="foreignkey")
    for table, columns in reversed(COLUMNS.items()):
        with op.batch_alter_table(table) as batch:
            for name, *_ in reversed(columns):
                batch.drop_column(name)
    op.drop_table("series")
