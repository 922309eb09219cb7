"""The fairness certificate of a tournament, from its rounds as they were drawn."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import luck
from baohuang.engine.tournament.fairness import MATRIX
from baohuang.engine.tournament.fairness import certificate as certify

from ..models import Entry, Result, Tournament
from . import formats, history, pseudonyms
from .lifecycle import visible
from .principal import Principal


def tag(session: Session, actor: Principal, tournament_id: str) -> str:
    """What changes whenever the certificate does: the start of its ETag."""
    tournament = visible(session, actor, tournament_id)
    drawn = history.last_number(session, tournament_id)
    known = pseudonyms.last_shown(session, tournament)
    return f"{tournament.version}.{drawn}.{known}.{tournament.results_count}"


def certificate(session: Session, actor: Principal, tournament_id: str) -> dict[str, Any]:
    """The certificate of the rounds drawn so far, `entries` with their names."""
    tournament = visible(session, actor, tournament_id)
    field = history.field(session, tournament_id)
    drawn = history.rounds(session, tournament_id, pseudonyms.last_shown(session, tournament))
    made = certify(
        history.took_part(field.entrants, len(drawn)),
        drawn,
        house=field.house,
        replays=luck.replays(formats.scheme(tournament)[1]),
    )
    names = _names(session, tournament_id)
    return {
        **made.to_json(),
        "entries": [{"entry_id": entry, "name": names[entry]} for entry in made.entries],
        "dealt_first": _dealt_first(session, tournament, made.entries),
        "apart": [{"entry_ids": [x, y], "meetings": times} for x, y, times in made.apart],
    }


def _names(session: Session, tournament_id: str) -> dict[str, str]:
    query = select(Entry.id, Entry.name).where(Entry.tournament_id == tournament_id)
    return {row.id: row.name for row in session.execute(query)}


def _dealt_first(
    session: Session, tournament: Tournament, entries: tuple[str, ...]
) -> list[int] | None:
    """Deals in which each really was: after the first of a match it follows the emperor."""
    if len(entries) > MATRIX:
        return None
    counts = dict.fromkeys(entries, 0)
    query = select(Result.entry_id, Result.hands).where(Result.tournament_id == tournament.id)
    known = pseudonyms.last_shown(session, tournament)
    if known is not None:
        query = query.where(Result.round_number <= known)
    for entry, hands in session.execute(query):
        counts[entry] = counts.get(entry, 0) + sum(packet == 0 for _, _, packet, *_ in hands)
    return [counts[entry] for entry in entries]
