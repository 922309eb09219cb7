"""Records of finished matches, as outsiders re-check them (contract.md section 2).

Two things stay hidden until they can do no harm: a match's key until its tournament reveals its
secret, and a finished match's cards while another table has yet to play the same board.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, Select, select, tuple_
from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Match, MatchStatus, Round, Table, Tournament
from . import pseudonyms, shared_cards, tournaments
from .arbiters import judges
from .lifecycle import visible
from .own_seats import require_visible
from .paging import Page
from .principal import Principal

Record = dict[str, Any]


def of_match(session: Session, actor: Principal, match_id: str) -> Record:
    """The record of one match. Raises `Conflict` before it has ended."""
    match = require_visible(session, actor, match_id)
    if match.record is None:
        raise Conflict(
            f"The match is {match.status}; its record is there when it has finished.",
            code=f"match_{match.status}",
        )
    if shared_cards.are_in_play(session, match_id):
        raise Conflict("Another table has yet to play these cards.", code="board_in_play")
    shown = _shown(match.record, _revealed(session, match))
    return _masked(shown) if pseudonyms.hidden_match(session, actor, match) else shown


def of_tournament(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None = None,
    limit: int = 50,
) -> Page[Record]:
    """Records of a tournament by round and table; `after` is the place of the last one."""
    tournament = visible(session, actor, tournament_id)
    reveal = tournaments.revealed(tournament.status)
    rows = _rows(session, tournament_id, after, limit)
    last = (rows[-1].round, rows[-1].table, rows[-1].id) if len(rows) == limit else None
    known = None if judges(actor, tournament) else pseudonyms.last_shown(session, tournament)
    return Page([_named(row, reveal, known) for row in rows], last)


def _named(row: Any, reveal: bool, known: int | None) -> Record:
    """A record, without names if its round comes after `known`."""
    shown = _shown(row.record, reveal)
    return _masked(shown) if known is not None and row.round > known else shown


def _masked(record: Record) -> Record:
    return {**record, "seats": [pseudonyms.name_of(seat) for seat in range(len(record["seats"]))]}


def _revealed(session: Session, match: Match) -> bool:
    """A practice match shares its cards with no other."""
    if match.tournament_id is None:
        return True
    return tournaments.revealed(session.get_one(Tournament, match.tournament_id).status)


def _rows(
    session: Session, tournament_id: str, after: tuple[object, ...] | None, limit: int
) -> list[Row[Any]]:
    """Round by round, so that a page costs what its rounds cost, however many there are."""
    found: list[Row[Any]] = []
    for round_id in session.scalars(_rounds(tournament_id, after)).all():
        found += session.execute(_finished(round_id, after).limit(limit - len(found))).all()
        if len(found) == limit:
            break
    return found


def _rounds(tournament_id: str, after: tuple[object, ...] | None) -> Select[str]:
    query = select(Round.id).where(Round.tournament_id == tournament_id).order_by(Round.number)
    return query if after is None else query.where(Round.number >= after[0])


def _finished(round_id: str, after: tuple[object, ...] | None) -> Select[Any]:
    query = (
        select(Match.id, Match.record, Round.number.label("round"), Table.number.label("table"))
        .join(Round, Round.id == Match.round_id)
        .join(Table, Table.id == Match.table_id)
        .where(
            Match.round_id == round_id,
            Match.status == MatchStatus.FINISHED,
            ~shared_cards.in_play(),
        )
        .order_by(Table.number, Match.id)
    )
    if after is None:
        return query
    return query.where(tuple_(Round.number, Table.number, Match.id) > after)


def _shown(record: Record, reveal: bool) -> Record:
    """A stored record; its key only after the reveal."""
    return record if reveal else {**record, "draw": {**record["draw"], "key": None}}
