"""Deals of a match that gave nobody points, and why: scores of 0 alone do not say it.

Nothing is stored for it, it is in the record; records are read only where a deal is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, TypedDict

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from baohuang.engine.match import MAX_ATTEMPTS

from ..models import Match, MatchStatus, Result, Round, Table, Tournament
from . import shared_cards
from .principal import Principal

REFUSED: Final = "refused"  # nobody took the throne, in as many shuffles as there may be
AUTOPLAY: Final = "autoplay"  # the server played all five seats
DISSOLVED: Final = "dissolved"  # a seat on autoplay ended the match before it (rules.md 8)


class Uncounted(TypedDict):
    """A deal, counted from 1, and one of the reasons above."""

    deal: int
    why: str


class AtTable(TypedDict):
    """Of one match of a round; `deals`: how many it was to have."""

    table: int
    match_id: str
    deals: int
    uncounted: list[Uncounted]


def of_matches(session: Session, match_ids: Collection[str]) -> dict[str, list[Uncounted]]:
    """match id -> its deals that do not count; matches without any, or not finished, are not in."""
    fewer = select(Result.match_id).where(Result.match_id == Match.id, Result.deals < Match.deals)
    query = select(Match.id, Match.deals, Match.record).where(
        Match.id.in_(match_ids),
        Match.status == MatchStatus.FINISHED,
        or_(Match.tournament_id.is_(None), fewer.exists()),
    )
    found = {row.id: in_record(row.record, row.deals) for row in session.execute(query)}
    return {match_id: deals for match_id, deals in found.items() if deals}


def in_record(record: Mapping[str, Any] | None, deals: int) -> list[Uncounted]:
    """The same of one record of a match that was to have so many deals."""
    if record is None:
        return []
    void = [
        Uncounted(deal=deal["number"], why=_why(deal))
        for deal in record["deals"]
        if deal["result"] == "uncounted"
    ]
    last = max((deal["number"] for deal in record["deals"]), default=0)
    return void + [Uncounted(deal=each, why=DISSOLVED) for each in range(last + 1, deals + 1)]


def _why(deal: Mapping[str, Any]) -> str:
    refused = deal["attempt"] >= MAX_ATTEMPTS and deal["emperor"] is None
    return REFUSED if refused else AUTOPLAY


def at_tables(
    session: Session, actor: Principal, tournament_id: str, number: int, tables: Collection[int]
) -> list[AtTable]:
    """Of some tables of a round, table by table; what the caller may not know yet is left out."""
    query = (
        select(Table.number, Match.id, Match.deals)
        .join(Match, Match.table_id == Table.id)
        .join(Round, Round.id == Table.round_id)
        .where(
            Round.tournament_id == tournament_id, Round.number == number, Table.number.in_(tables)
        )
        .order_by(Table.number, Match.id)
    )
    if shared_cards.keeps(actor, session.get_one(Tournament, tournament_id)):
        query = query.where(~shared_cards.in_play())
    rows = session.execute(query).all()
    found = of_matches(session, [row.id for row in rows])
    return [
        AtTable(table=row.number, match_id=row.id, deals=row.deals, uncounted=found[row.id])
        for row in rows
        if row.id in found
    ]
