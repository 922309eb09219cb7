"""What rulings and appeals call by ids, in words for people.

Who sees a ruling or an appeal sees the ids in it. Names of entries, tables of matches and numbers
of rulings are everybody's who sees the tournament, so nothing is hidden here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ..models import Entry, Match, Round, Ruling, Table

Shown = Row[Any] | Mapping[str, Any]
"""A ruling or an appeal."""


class Place(NamedTuple):
    """Where a match is played."""

    round: int
    table: int


class Names(NamedTuple):
    """By ids: an entry's name, a match's place, a ruling's number."""

    entries: Mapping[str, str]
    matches: Mapping[str, Place]
    rulings: Mapping[str, int]


def of(session: Session, shown: Iterable[Shown]) -> Names:
    """Of all that these rulings and appeals call."""
    rows = [row._mapping if isinstance(row, Row) else row for row in shown]
    entries = _ids(rows, "entry_id")
    matches = _ids(rows, "match_id", "replay_id")
    rulings = _ids(rows, "ruling_id", "remedy_id", "undoes_id", "undone_by")
    named = select(Entry.id, Entry.name).where(Entry.id.in_(entries))
    placed = (
        select(Match.id, Round.number, Table.number)
        .join(Table, Table.id == Match.table_id)
        .join(Round, Round.id == Table.round_id)
        .where(Match.id.in_(matches))
    )
    numbered = select(Ruling.id, Ruling.number).where(Ruling.id.in_(rulings))
    return Names(
        {row.id: row.name for row in session.execute(named)},
        {match: Place(*place) for match, *place in session.execute(placed)},
        {row.id: row.number for row in session.execute(numbered)},
    )


def _ids(rows: Iterable[Mapping[Any, Any]], *names: str) -> set[str]:
    return {row[name] for row in rows for name in names if row.get(name) is not None}
