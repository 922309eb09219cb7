"""All results of a round in one answer."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ..models import Entry, Match, Result, Table, Tournament
from . import pseudonyms, rounds, shared_cards
from .principal import Principal

RESULT_COLUMNS = (
    Result.match_id,
    Result.seat,
    Result.entry_id,
    Entry.name,
    Result.agent_id,
    Result.house_bot,
    Result.stand_in,
    Result.points,
    Result.penalty,
    Result.deals,
    Result.places,
)


def of_round(session: Session, actor: Principal, tournament_id: str, number: int) -> dict[str, Any]:
    """The matches of a round by table, each with what its seats took from it, by seat.

    A match that has not finished has no results, nor one whose cards others have yet to play. Who
    played is kept where pseudonyms are.
    """
    found = rounds.find(session, actor, tournament_id, number)
    matches = session.execute(
        select(Match.id, Table.number.label("table"), Match.status, Match.finished_at)
        .join(Table, Table.id == Match.table_id)
        .where(Match.round_id == found.id)
        .order_by(Table.number, Match.id)
    )
    tournament = session.get_one(Tournament, tournament_id)
    kept = shared_cards.keeps(actor, tournament)
    results = _results(session, found.id, kept=kept)
    if pseudonyms.hidden(session, actor, tournament, found.id):
        results = {match_id: _masked(rows) for match_id, rows in results.items()}
    return {
        "tournament_id": tournament_id,
        "round": number,
        "status": found.status,
        "matches": [{**row._mapping, "results": results.get(row.id, [])} for row in matches],
    }


def _masked(rows: list[Row[Any]]) -> list[dict[str, Any]]:
    nobody = {"agent_id": None, "house_bot": None, "stand_in": False}
    return [seat | nobody for seat in pseudonyms.masked([dict(row._mapping) for row in rows])]


def _results(session: Session, round_id: str, *, kept: bool) -> dict[str, list[Any]]:
    """By match; kept: without those of cards that others have yet to play."""
    query = (
        select(*RESULT_COLUMNS)
        .join(Entry, Entry.id == Result.entry_id)
        .join(Match, Match.id == Result.match_id)
        .where(Match.round_id == round_id)
        .order_by(Result.match_id, Result.seat)
    )
    rows: list[Any] = list(session.execute(query.where(~shared_cards.in_play()) if kept else query))
    return {match: list(found) for match, found in groupby(rows, lambda row: row.match_id)}
