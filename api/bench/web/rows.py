"""How the peers ask for the rows: those columns of the entries alone that are shown."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import load_only

from baohuang.engine.titles import title
from baohuang.engine.tournament.standings import LUCK

from ...models import Entry, Interval, Standing
from ...services import standing_texts

SHOWN = 50

FIRST_PAGE = (
    select(Standing, Entry, Interval)
    .join(Entry, Entry.id == Standing.entry_id)
    .outerjoin(Interval, Interval.entry_id == Standing.entry_id)
    .where(Standing.tournament_id == bindparam("tournament_id"))
    .order_by(Standing.position)
    .limit(SHOWN)
    .options(load_only(Entry.name, Entry.status), load_only(Standing.row))
)

FIRST_ROWS = (
    select(
        Standing.row,
        Standing.position,
        Entry.name,
        Entry.status,
        *(getattr(Interval, name) for name in standing_texts.SURE),
    )
    .join(Entry, Entry.id == Standing.entry_id)
    .outerjoin(Interval, Interval.entry_id == Standing.entry_id)
    .where(Standing.tournament_id == bindparam("tournament_id"))
    .order_by(Standing.position)
    .limit(SHOWN)
)

_ABSENT = dict.fromkeys(LUCK)


def as_dict(standing: Standing, entry: Entry, interval: Interval | None) -> dict[str, Any]:
    """One line of the standings."""
    sure = [getattr(interval, name, None) for name in standing_texts.SURE]
    return line(standing.row, standing.position, entry.name, entry.status, *sure)


def line(row: dict[str, Any], position: int, name: str, status: str, *sure: Any) -> dict[str, Any]:
    """What is stored of a line, and what is shown beside it."""
    called = title(row["points"])
    known = {**_ABSENT, **row}
    known["position"] = position
    known["entry_id"] = known.pop("entry")
    known["name"] = name
    known["status"] = status
    known["title"] = {"name": called.name, "english": called.english}
    known["interval"] = (
        None if sure[0] is None else dict(zip(standing_texts.SURE, sure, strict=True))
    )
    return known
