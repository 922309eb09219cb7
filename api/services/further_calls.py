"""Requests to an agent that no decision tells of, for its owner: notices, and questions that were
asked again because the first try failed through us.

As with decisions (calls.py) no body is stored: it follows from the match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.match import DESERT
from baohuang.engine.match import Match as Referee

from ..errors import NotFound
from ..models import FurtherCall, Match
from ..remote.wire import MatchIds, deal_end_body, match_end_body, request_id
from ..vault import Vault
from . import calls, match_log
from .match_terms import Terms, terms
from .paging import Page, page_of
from .principal import Principal


@dataclass(frozen=True)
class Further:
    """The row of the list, and the request as it was sent."""

    row: Row[Any]
    body: bytes


def search(
    session: Session,
    actor: Principal,
    match_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    seat: int | None = None,
) -> Page[Row[Any]]:
    """Those to the caller's agents in a match, as they ended; who judges it sees all.

    Raises `NotFound`, `Forbidden`.
    """
    query = _further(match_id, calls.shown_seats(session, actor, match_id))
    if seat is not None:
        query = query.where(FurtherCall.seat == seat)
    return page_of(session, query, [FurtherCall.id], after, limit)


def find(session: Session, vault: Vault, actor: Principal, match_id: str, call_id: str) -> Further:
    """One of them with its request, worked out anew. Raises `NotFound`, `Forbidden`."""
    seats = calls.own_seats_at(session, actor, match_id)
    row: Any = session.scalars(_further(match_id, seats).where(FurtherCall.id == call_id)).first()
    if row is None:
        raise NotFound("Nothing else was sent to an agent of yours under this id.")
    match, on = session.get_one(Match, match_id), terms(session, vault, match_id)
    if row.kind == "decide":
        return Further(row, calls.body_at(session, match, on, row))
    return Further(row, _notice(session, match, on, row))


def _further(match_id: str, seats: set[int]) -> Select[Any]:
    columns = (
        FurtherCall.id, FurtherCall.kind, FurtherCall.seat, FurtherCall.seq, FurtherCall.request,
        FurtherCall.asked_at, FurtherCall.ms, FurtherCall.fault, FurtherCall.charged_to,
        FurtherCall.detail,
    )  # fmt: skip
    return select(Bundle("further", *columns)).where(
        FurtherCall.match_id == match_id, FurtherCall.seat.in_(seats)
    )


def _notice(session: Session, match: Match, on: Terms, row: Any) -> bytes:
    """Its body: of the moment of the match that has its request id."""
    ids = MatchIds(match.id, on.tournament_id, on.round, on.table)
    referee = Referee(on.rules, on.key, match.deals)
    for ended in _followed(referee, match_log.load(session, match.id)):
        for deal in ended:
            request = request_id(
                "deal_end", ids.match, f"{deal['number']}/{deal['attempt']}", row.seat
            )
            if request == row.request:
                return deal_end_body(request, ids, row.seat, deal, referee.totals)
    if row.kind != "match_end" or not referee.over:
        raise NotFound("What was told is not written down yet.")
    return match_end_body(row.request, ids, row.seat, referee.totals, referee.penalties)


def _followed(
    referee: Referee, log: tuple[match_log.LogEntry, ...]
) -> Iterator[list[dict[str, Any]]]:
    """Play it again; the deals that ended with each answer, and the desertion that it brought."""
    done = 0
    for at, (seat, answer, auto) in enumerate(log):
        if answer == DESERT:
            referee.desert(seat)
        else:
            referee.answer(answer, auto)
        if log[at + 1 : at + 2] and log[at + 1][1] == DESERT:
            continue
        yield referee.deals_done[done:]
        done = len(referee.deals_done)
