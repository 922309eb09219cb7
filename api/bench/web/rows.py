"""How the peers ask for the rows: those columns of the entries alone that are shown."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import load_only

from ...models import Entry, Standing
from ...schemas.standings import StandingSchema

SHOWN = 50

FIRST_PAGE = (
    select(Standing, Entry)
    .join(Entry, Entry.id == Standing.entry_id)
    .where(Standing.tournament_id == bindparam("tournament_id"))
    .order_by(Standing.position)
    .limit(SHOWN)
    .options(load_only(Entry.name, Entry.status))
)

FIRST_ROWS = (
    select(Standing.row, Standing.position, Entry.name, Entry.status)
    .join(Entry, Entry.id == Standing.entry_id)
    .where(Standing.tournament_id == bindparam("tournament_id"))
    .order_by(Standing.position)
    .limit(SHOWN)
)


_ABSENT = dict.fromkeys(StandingSchema().dump_fields)


def as_dict(standing: Standing, entry: Entry) -> dict[str, Any]:
    """One line of the standings."""
    return line(dict(standing.row), standing.position, entry.name, entry.status)


def line(row: dict[str, Any], position: int, name: str, status: str) -> dict[str, Any]:
    """What is stored of a line, and what is shown beside it."""
    entry_id = row.pop("entry")
    known = {"position": position, "entry_id": entry_id, "name": name, "status": status}
    return {**_ABSENT, **row, **known}
