"""Tables and matches as spectators see them, and the faults that owners and organizers see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, case, select
from sqlalchemy.orm import Bundle, Session

from ..errors import Forbidden
from ..models import (
    Entry,
    Fault,
    Match,
    MatchStatus,
    Practice,
    Result,
    Round,
    Seat,
    Table,
    Tournament,
)
from . import match_log, pseudonyms, rounds, shared_cards, tournaments, uncounted
from .arbiters import judges
from .lifecycle import visible
from .own_seats import judged, own_seats, require_visible
from .paging import Page, page_of
from .principal import Principal
from .sittings import SEAT

MATCH_COLUMNS = (
    Match.id,
    Match.version,
    Match.tournament_id,
    Round.number.label("round"),
    Table.number.label("table"),
    Match.deals,
    Match.status,
    Match.attempts,
    Match.error,
    Match.hurried,
    Match.started_at,
    Match.finished_at,
    case((Tournament.status.in_(tournaments.REVEALED), Match.board), else_=None).label("board"),
    case((Tournament.status.in_(tournaments.REVEALED), Match.sitting), else_=None).label("sitting"),
)
"""Which matches share cards is told with the keys."""


def search_tables(
    session: Session,
    actor: Principal,
    tournament_id: str,
    number: int,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[dict[str, Any]]:
    """The tables of a round with their five seats and their matches, table 1 first."""
    found = rounds.find(session, actor, tournament_id, number)
    query: Select[Any] = select(Bundle("table", Table.id, Table.number)).where(
        Table.round_id == found.id
    )
    page: Page[Row[Any]] = page_of(session, query, [Table.number], after, limit)
    ids = [row.id for row in page.items]
    seats, matches = _seats(session, ids), _matches_at(session, ids)
    tournament = session.get_one(Tournament, tournament_id)
    if pseudonyms.hidden(session, actor, tournament, found.id):
        seats = {table_id: [] for table_id in ids}
    shown = [
        {**row._mapping, **_play(matches[row.id]), "seats": seats[row.id]} for row in page.items
    ]
    return Page(shown, page.after)


def _play(matches: Sequence[Any]) -> dict[str, Any]:
    """Of a table: its first match, and a state for all."""
    states = {row.status for row in matches}
    return {"match_id": matches[0].id, "status": _state(states), "matches": matches}


def _state(states: set[str]) -> str:
    """Of several matches: failed if one did, running until the last one has ended."""
    if len(states) == 1 or MatchStatus.FAILED in states:
        return min(states & {MatchStatus.FAILED} or states)
    ended = states <= {MatchStatus.FINISHED, MatchStatus.CANCELLED}
    return MatchStatus.FINISHED if ended else MatchStatus.RUNNING


def _matches_at(session: Session, table_ids: Sequence[str]) -> dict[str, list[Row[Any]]]:
    rows: Sequence[Any] = session.execute(
        select(Match.table_id, Match.id, Match.status)
        .where(Match.table_id.in_(table_ids))
        .order_by(Match.table_id, Match.id)
    ).all()
    return {table: list(found) for table, found in groupby(rows, lambda row: row.table_id)}


def search_matches(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    **wanted: Any,
) -> Page[Row[Any]]:
    """The matches of a tournament, in the order of their making.

    `wanted`: what `_FILTERS` knows; None asks for nothing.
    """
    tournament = visible(session, actor, tournament_id)
    given = {name: value for name, value in wanted.items() if value is not None}
    query = matches_shown()
    if not _OF_A_TOURNAMENT & given.keys():
        query = query.where(Match.tournament_id == tournament_id)
    for name, value in given.items():
        query = query.where(_FILTERS[name](tournament_id, value))
    seated = "entry_id" in given or "agent_id" in given
    if seated and not judges(actor, tournament):
        query = query.where(~pseudonyms.in_hidden_round())  # or it would tell who sits where
    return page_of(session, query, [Match.id], after, limit)


def _in_round(tournament_id: str, number: int) -> ColumnElement[bool]:
    found = select(Round.id).where(Round.tournament_id == tournament_id, Round.number == number)
    return Match.round_id == found.scalar_subquery()


def _seated(tournament_id: str, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    seats = select(Seat.table_id).join(Entry, Entry.id == Seat.entry_id)
    return Match.table_id.in_(seats.where(Entry.tournament_id == tournament_id, condition))


_FILTERS: Mapping[str, Callable[[str, Any], ColumnElement[bool]]] = {
    "round": _in_round,
    "status": lambda _, value: Match.status == value,
    "entry_id": lambda of, value: _seated(of, Entry.id == value),
    "agent_id": lambda of, value: _seated(of, Entry.agent_id == value),
    "finished_after": lambda _, value: Match.finished_at >= value,
    "finished_before": lambda _, value: Match.finished_at < value,
}
_OF_A_TOURNAMENT = {"round", "entry_id", "agent_id"}
"""They find few by an index of their own, and no match of another tournament."""


def search_practices(
    session: Session, actor: Principal, after: tuple[object, ...] | None, limit: int
) -> Page[Row[Any]]:
    """The caller's own practice matches, the newest first."""
    own = Practice.owner_id == actor.account_id
    query = matches_shown().join(Practice, Practice.match_id == Match.id).where(own)
    return page_of(session, query, [Match.id], after, limit, descending=True)


def find_match(session: Session, actor: Principal, match_id: str) -> dict[str, Any]:
    """One match with its seats; each shows its points once the match has finished.

    Where others have yet to play the same cards, points wait for them.
    """
    match = require_visible(session, actor, match_id)
    found: Row[Any] = session.scalars(matches_shown().where(Match.id == match_id)).one()
    seats = _played(session, match)
    void: list[uncounted.Uncounted] | None = None
    if _keeps_points(session, actor, match):
        seats = [{**seat, "points": None, "penalty": None} for seat in seats]
    elif match.status == MatchStatus.FINISHED:
        void = uncounted.of_matches(session, [match.id]).get(match.id, [])
    if pseudonyms.hidden_match(session, actor, match):
        seats = pseudonyms.masked(seats)
    return {**found._mapping, "seats": seats, "uncounted": void}


def _keeps_points(session: Session, actor: Principal, match: Match) -> bool:
    if match.tournament_id is None:
        return False
    tournament = session.get_one(Tournament, match.tournament_id)
    return shared_cards.keeps(actor, tournament) and shared_cards.are_in_play(session, match.id)


def _played(session: Session, match: Match) -> list[dict[str, Any]]:
    """The five seats, with points once there are any."""
    if match.tournament_id is None:
        return _practice_seats(session, match)
    rows = session.execute(
        select(SEAT.label("seat"), Seat.entry_id, Entry.name, Result.points, Result.penalty)
        .join(Entry, Entry.id == Seat.entry_id)
        .join(Match, Match.table_id == Seat.table_id)
        .outerjoin(Result, and_(Result.match_id == Match.id, Result.seat == SEAT))
        .where(Match.id == match.id)
        .order_by(SEAT)
    )
    players = match.lineup or [None] * 5
    return [{**row._mapping, "player": _who_plays(players[row.seat])} for row in rows]


def _who_plays(player: dict[str, Any] | None) -> dict[str, Any] | None:
    """A seat of a line-up; before there were versions, none was written down."""
    return None if player is None else {"version": None, **player}


def _practice_seats(session: Session, match: Match) -> list[dict[str, Any]]:
    record = match.record or {"totals": [None] * 5, "penalties": [None] * 5}
    names = match_log.names(session, match.id)
    return [
        {
            "seat": seat,
            "entry_id": None,
            "name": name,
            "player": None,
            "points": points,
            "penalty": penalty,
        }
        for seat, (name, points, penalty) in enumerate(
            zip(names, record["totals"], record["penalties"], strict=True)
        )
    ]


def search_faults(
    session: Session,
    actor: Principal,
    match_id: str,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[Fault]:
    """The faults of a match: all for who judges it, for an agent's owner those of the agent."""
    match = require_visible(session, actor, match_id)
    query = select(Fault).where(Fault.match_id == match_id)
    if not judged(session, actor, match):
        mine = own_seats(session, actor, match_id)
        if not mine:
            raise Forbidden("Only its judges and the players' owners may see this.")
        query = query.where(Fault.seat.in_(mine))
    return page_of(session, query, [Fault.seq], after, limit)


def matches_shown() -> Select[Any]:
    """Every match, in the columns that lists show."""
    return (
        select(Bundle("match", *MATCH_COLUMNS))
        .outerjoin(Tournament, Tournament.id == Match.tournament_id)
        .outerjoin(Round, Round.id == Match.round_id)
        .outerjoin(Table, Table.id == Match.table_id)
    )


def _seats(session: Session, table_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    rows: Sequence[Any] = session.execute(
        select(Seat.table_id, Seat.seat, Seat.entry_id, Entry.name)
        .join(Entry, Entry.id == Seat.entry_id)
        .where(Seat.table_id.in_(table_ids))
        .order_by(Seat.table_id, Seat.seat)
    ).all()
    return {
        table: [{"seat": row.seat, "entry_id": row.entry_id, "name": row.name} for row in seats]
        for table, seats in groupby(rows, lambda row: row.table_id)
    }
