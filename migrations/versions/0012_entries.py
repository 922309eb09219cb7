"""The life of an entry: waiting, checked in, late, gone and back; who played which match.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
EMPTY, ZERO = sa.text("'[]'"), sa.text("0")
TIME = sa.DateTime(timezone=True)

COLUMNS = {
    "tournaments": (
        ("waiting_list", sa.Integer(), False, ZERO),
        ("entries_per_owner", sa.Integer(), True, None),
        ("check_in_s", sa.Integer(), True, None),
        ("late_entry_round", sa.Integer(), False, ZERO),
        ("no_show", sa.String(length=20), False, "house_bot"),
        ("forbidden_pairs", JSON_VALUE, False, EMPTY),
    ),
    "entries": (
        ("seed", sa.Integer(), True, None),
        ("reason", sa.String(length=300), True, None),
        ("checked_in_at", TIME, True, None),
        ("joined", sa.Integer(), True, None),
        ("left", sa.Integer(), True, None),
        ("absent", JSON_VALUE, False, EMPTY),
        ("substitutions", JSON_VALUE, False, EMPTY),
    ),
    "matches": (("lineup", JSON_VALUE, True, None),),
    "results": (
        ("house_bot", sa.String(length=30), True, None),
        ("stand_in", sa.Boolean(), False, sa.false()),
    ),
}
AGENT = "fk_results_agent_id_agents"

tournaments = sa.table("tournaments", sa.column("id"), sa.column("entrants_hash"))
rounds = sa.table("rounds", sa.column("tournament_id"), sa.column("number", sa.Integer()))
entries = sa.table(
    "entries",
    *map(sa.column, ("id", "tournament_id", "agent_id", "house_bot", "status")),
    sa.column("joined", sa.Integer()),
    sa.column("left", sa.Integer()),
)
results = sa.table("results", *map(sa.column, ("entry_id", "agent_id", "house_bot")))


def upgrade() -> None:
    """Who took part so far did so from the first round on; who withdrew has left."""
    for table, columns in COLUMNS.items():
        with op.batch_alter_table(table) as batch:
            for name, kind, nullable, default in columns:
                batch.add_column(sa.Column(name, kind, nullable=nullable, server_default=default))
    with op.batch_alter_table("results") as batch:
        batch.add_column(sa.Column("agent_id", sa.String(length=26), nullable=True))
        batch.create_foreign_key(AGENT, "agents", ["agent_id"], ["id"])
    started = sa.select(tournaments.c.id).where(tournaments.c.entrants_hash.is_not(None))
    op.execute(entries.update().where(entries.c.tournament_id.in_(started)).values(joined=1))
    last = (
        sa.select(sa.func.coalesce(sa.func.max(rounds.c.number), 0) + 1)
        .where(rounds.c.tournament_id == entries.c.tournament_id)
        .scalar_subquery()
    )
    op.execute(entries.update().where(entries.c.status == "withdrawn").values(left=last))
    for name in ("agent_id", "house_bot"):
        of_entry = sa.select(entries.c[name]).where(entries.c.id == results.c.entry_id)
        op.execute(results.update().values({name: of_entry.scalar_subquery()}))


def downgrade() -> None:
    """Everybody is entered or withdrawn again."""
    with op.batch_alter_table("results") as batch:
        batch.drop_constraint(AGENT, type_="foreignkey")
        batch.drop_column("agent_id")
    for table, columns in reversed(COLUMNS.items()):
        with op.batch_alter_table(table) as batch:
            for name, *_ in reversed(columns):
                batch.drop_column(name)
    gone = entries.c.status.in_(("dropped", "disqualified"))
    op.execute(entries.update().where(gone).values(status="withdrawn"))
    op.execute(entries.update().where(entries.c.status != "withdrawn").values(status="entered"))
