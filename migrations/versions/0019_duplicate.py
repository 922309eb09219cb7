"""Several matches a table, for duplicate; what everybody made of each hand; what ranks first.

Revision ID: 0019
Revises: 0018
"""

from __future__ import annotations

import secrets
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")
BLOCK = 200
ULID = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
COUNTED = ("scored", "abdicated")

matches = sa.table("matches", sa.column("id"), sa.column("record", JSON_VALUE))
results = sa.table(
    "results",
    sa.column("match_id"),
    sa.column("seat", sa.Integer()),
    sa.column("hands", JSON_VALUE),
)


def upgrade() -> None:
    """Every table has played one match so far; what was made of hands is in the records."""
    with op.batch_alter_table("matches") as batch:
        batch.add_column(
            sa.Column("sitting", sa.Integer(), nullable=False, server_default=sa.text("0"))
        )
        batch.drop_constraint("uq_matches_table_id", type_="unique")
        batch.create_unique_constraint(
            "uq_matches_table_id_board_sitting", ["table_id", "board", "sitting"]
        )
    with op.batch_alter_table("results") as batch:
        batch.add_column(
            sa.Column("hands", JSON_VALUE, nullable=False, server_default=sa.text("'[]'"))
        )
    with op.batch_alter_table("tournaments") as batch:
        batch.add_column(
            sa.Column("scoring", sa.String(length=20), nullable=False, server_default="points")
        )
    _tell_hands()


def downgrade() -> None:
    """One match a table."""
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("scoring")
    with op.batch_alter_table("results") as batch:
        batch.drop_column("hands")
    _one_match_a_table()
    with op.batch_alter_table("matches") as batch:
        batch.drop_constraint("uq_matches_table_id_board_sitting", type_="unique")
        batch.drop_column("sitting")
        batch.create_unique_constraint("uq_matches_table_id", ["table_id"])


def _tell_hands() -> None:
    """Block by block, in the order of ids."""
    connection, last = op.get_bind(), ""
    query = (
        sa.select(matches.c.id, matches.c.record)
        .where(matches.c.id > sa.bindparam("last"), matches.c.record.is_not(None))
        .order_by(matches.c.id)
        .limit(BLOCK)
    )
    setting = (
        results.update()
        .where(results.c.match_id == sa.bindparam("of"), results.c.seat == sa.bindparam("at"))
        .values(hands=sa.bindparam("made"))
    )
    while rows := connection.execute(query, {"last": last}).all():
        last = rows[-1].id
        made = [
            {"of": row.id, "at": seat, "made": _hands(row.record, seat)}
            for row in rows
            if isinstance(row.record, dict)
            for seat in range(5)
        ]
        if made:
            connection.execute(setting, made)


def _hands(record: dict[str, Any], seat: int) -> list[list[Any]]:
    return [
        [
            deal["number"],
            deal["attempt"],
            (seat - deal["first"]) % 5,
            deal["scores"][seat],
            deal["places"][seat] if deal.get("places") else None,
            _role(deal, seat),
            None,
        ]
        for deal in record.get("deals", ())
        if deal["result"] in COUNTED
    ]


def _role(deal: dict[str, Any], seat: int) -> str:
    if seat == deal["emperor"]:
        return "solo" if deal["solo"] else "emperor"
    return "guard" if seat == deal["guard"] else "rebel"


def _one_match_a_table() -> None:
    """The others get tables of their own, which say that they replay the first one's."""
    connection = op.get_bind()
    known = sa.MetaData()
    known.reflect(connection, only=("tables", "seats", "matches"))
    tables, seats, every = (known.tables[name] for name in ("tables", "seats", "matches"))
    query = sa.select(every.c.id, every.c.table_id, every.c.sitting).where(
        every.c.table_id.is_not(None)
    )
    rows = connection.execute(query.order_by(every.c.table_id, every.c.sitting, every.c.id))
    for table_id, found in groupby(rows.all(), lambda row: row.table_id):
        for row in list(found)[1:]:
            first = connection.execute(sa.select(tables).where(tables.c.id == table_id)).one()
            own = _further_table(connection, tables, first._asdict())
            sitting = connection.execute(sa.select(seats).where(seats.c.table_id == table_id))
            moved = [_moved(seat._asdict(), own, row.sitting) for seat in sitting]
            connection.execute(seats.insert(), moved)
            connection.execute(every.update().where(every.c.id == row.id).values(table_id=own))


def _further_table(connection: sa.Connection, tables: sa.Table, first: dict[str, Any]) -> str:
    """The id of a new table of the same round."""
    last = sa.select(sa.func.max(tables.c.number)).where(tables.c.round_id == first["round_id"])
    own = "".join(secrets.choice(ULID) for _ in range(25))
    made = {"number": connection.scalar(last) + 1, "replays": first["replays"] or first["number"]}
    connection.execute(tables.insert(), {**first, **made, "id": f"0{own}"})
    return f"0{own}"


def _moved(seat: dict[str, Any], table_id: str, sitting: int) -> dict[str, Any]:
    a, b = sitting // 5 + 1, sitting % 5
    return {**seat, "table_id": table_id, "seat": (a * seat["seat"] + b) % 5}
