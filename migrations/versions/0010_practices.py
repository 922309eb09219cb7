"""Practice matches belong to no tournament; agents may be open to anybody's.

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
ID = sa.String(length=26)
OF_A_TOURNAMENT = (
    ("tournament_id", ID), ("round_id", ID), ("table_id", ID), ("board", sa.String(length=120)),
)  # fmt: skip


def upgrade() -> None:
    """Matches that are there belong to their tournaments, as before."""
    with op.batch_alter_table("agents") as agents:
        agents.add_column(
            sa.Column("sparring", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    _require_tournament(required=False)
    op.create_table(
        "practices",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("rules", JSON_VALUE, nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("budget_ms", sa.Integer(), nullable=False),
        sa.Column("bank_ms", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_practices_match_id_matches"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name="fk_practices_owner_id_accounts"
        ),
        sa.PrimaryKeyConstraint("match_id", name="pk_practices"),
    )
    op.create_index("ix_practices_owner_id", "practices", ["owner_id"])
    op.create_table(
        "practice_seats",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", ID, nullable=True),
        sa.Column("house_bot", sa.String(length=30), nullable=True),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.CheckConstraint("seat BETWEEN 0 AND 4", name=op.f("ck_practice_seats_seat_range")),
        sa.CheckConstraint(
            "(agent_id IS NULL) <> (house_bot IS NULL)", name=op.f("ck_practice_seats_one_player")
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["practices.match_id"], name="fk_practice_seats_match_id_practices"
        ),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name="fk_practice_seats_agent_id_agents"
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_practice_seats"),
    )
    op.create_index("ix_practice_seats_agent_id", "practice_seats", ["agent_id"])


def downgrade() -> None:
    """Forget practice matches with all that is written of them."""
    op.drop_table("practice_seats")
    practice = "SELECT match_id FROM practices"
    for table in ("questions", "faults", "decisions"):
        op.execute(sa.text(f"DELETE FROM {table} WHERE match_id IN ({practice})"))  # noqa: S608
    op.execute(sa.text("CREATE TABLE gone AS SELECT match_id FROM practices"))
    op.drop_table("practices")
    op.execute(sa.text("DELETE FROM matches WHERE id IN (SELECT match_id FROM gone)"))
    op.drop_table("gone")
    _require_tournament(required=True)
    with op.batch_alter_table("agents") as agents:
        agents.drop_column("sparring")


def _require_tournament(*, required: bool) -> None:
    with op.batch_alter_table("matches") as matches:
        for name, kind in OF_A_TOURNAMENT:
            matches.alter_column(name, existing_type=kind, nullable=not required)
    with op.batch_alter_table("faults") as faults:
        faults.alter_column("entry_id", existing_type=ID, nullable=not required)
