"""A ruling tried out: it is made, looked at and rolled back, so what is shown is what would be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.tournament.scheme import Finished, NeedsAttention, Seated

from ..models import Entry, Tournament
from ..vault import Vault
from . import formats, history, rounds, rulings, standings
from .arbiters import lock_judged
from .principal import Principal
from .ruling_case import Ask

Facts = dict[str, Any]


def dry_run(
    session: Session, vault: Vault, actor: Principal, tournament_id: str, ask: Ask
) -> Facts:
    """What a ruling would change: `standings` rows that differ, and the coming `seating`.

    Raises what `rulings.make` raises.
    """
    tournament = lock_judged(session, actor, tournament_id)
    before = _rows(session, tournament), _seating(session, vault, tournament)
    savepoint = session.begin_nested()
    try:
        rulings.make(session, actor, tournament_id, ask)
        after = _rows(session, tournament), _seating(session, vault, tournament)
    finally:
        savepoint.rollback()
    return {
        "standings": _differences(session, tournament_id, before[0], after[0]),
        "seating": {"before": before[1], "after": after[1], "changed": before[1] != after[1]},
    }


def _rows(session: Session, tournament: Tournament) -> dict[str, Facts]:
    """Position, rank, points and tie-breaks by entry."""
    made = [row.to_json() for row in standings.compute(session, tournament)]
    kept = ("rank", "points", "tie_breaks")
    return {
        str(row["entry"]): {"position": place, **{name: row[name] for name in kept}}
        for place, row in enumerate(made, 1)
    }


def _seating(session: Session, vault: Vault, tournament: Tournament) -> Facts | None:
    """The round to come as it would be drawn now; None where there is none to come."""
    number = history.last_number(session, tournament.id) + 1
    total = formats.last_round(tournament)
    over = total is not None and number > total
    if tournament.status not in rulings.GOING_ON or over:
        return None
    match rounds.draw_next(session, vault, tournament.id).decision:
        case Seated(drawn):
            tables = [list(table) for table in drawn.tables]
            return {"round": number, "tables": tables, "byes": list(drawn.byes), "cause": None}
        case Finished(cause) | NeedsAttention(cause):
            return {"round": number, "tables": [], "byes": [], "cause": cause}


def _differences(
    session: Session,
    tournament_id: str,
    before: Mapping[str, Facts],
    after: Mapping[str, Facts],
) -> Sequence[Facts]:
    """Entries whose row is another one afterwards, in the order of the standings after it."""
    query = select(Entry.id, Entry.name).where(Entry.tournament_id == tournament_id)
    names = {row.id: row.name for row in session.execute(query)}
    return [
        {"entry_id": entry, "name": names[entry], "before": before.get(entry), "after": row}
        for entry, row in after.items()
        if before.get(entry) != row
    ]
