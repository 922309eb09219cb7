"""An agent's matches, for its owner: of tournaments and practice, with what it took from each.

They tell nothing that the tournaments' own lists do not: matches of a round whose names are hidden
are not there until it has ended, and points wait as those of the match itself do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import CompoundSelect, Row, or_, select, union_all
from sqlalchemy.orm import Session

from ..models import Entry, Match, MatchStatus, PracticeSeat, Result, Seat, Tournament
from . import agents, pseudonyms, shared_cards
from .paging import Page, page_of
from .principal import Principal
from .tables import matches_shown


class Took(NamedTuple):
    """What an agent took from a match."""

    points: int | None
    penalty: int | None


UNTOLD: Final = Took(None, None)
"""It has not finished, somebody else played, or nobody may know yet."""


def search(
    session: Session,
    actor: Principal,
    agent_id: str,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[dict[str, Any]]:
    """Those in which an entry of the agent's or the agent itself has a seat, the newest first.

    Raises `NotFound` for agents of others.
    """
    agents.find(session, actor, agent_id)
    told = or_(Match.tournament_id.is_(None), ~pseudonyms.in_hidden_round())
    query = matches_shown().where(Match.id.in_(_seated(agent_id)), told)
    page: Page[Row[Any]] = page_of(session, query, [Match.id], after, limit, descending=True)
    ids = [row.id for row in page.items]
    of = _tournaments(session, page.items)
    took = _scored(session, agent_id, ids) | _practised(session, agent_id, ids)
    took |= dict.fromkeys(_waiting(session, actor, ids, of.values()), UNTOLD)
    shown = [{**_shown(row, of), **took.get(row.id, UNTOLD)._asdict()} for row in page.items]
    return Page(shown, page.after)


def _seated(agent_id: str) -> CompoundSelect[str]:
    entered = (
        select(Match.id)
        .join(Seat, Seat.table_id == Match.table_id)
        .join(Entry, Entry.id == Seat.entry_id)
        .where(Entry.agent_id == agent_id)
    )
    practised = select(PracticeSeat.match_id).where(PracticeSeat.agent_id == agent_id)
    return union_all(entered, practised)


def _tournaments(session: Session, rows: Sequence[Row[Any]]) -> Mapping[str, Tournament]:
    wanted = {row.tournament_id for row in rows}
    found = session.scalars(select(Tournament).where(Tournament.id.in_(wanted)))
    return {tournament.id: tournament for tournament in found}


def _shown(row: Row[Any], of: Mapping[str, Tournament]) -> dict[str, Any]:
    name = None if row.tournament_id is None else of[row.tournament_id].name
    return {**row._mapping, "tournament": name}


def _scored(session: Session, agent_id: str, ids: Sequence[str]) -> dict[str, Took]:
    """By match of a tournament that has finished, where it was this agent who played."""
    played = select(Result.match_id, Result.points, Result.penalty).where(
        Result.match_id.in_(ids), Result.agent_id == agent_id
    )
    return {row.match_id: Took(row.points, row.penalty) for row in session.execute(played)}


def _practised(session: Session, agent_id: str, ids: Sequence[str]) -> dict[str, Took]:
    """By practice match that has finished; of all its seats, where it has several."""
    seats = (
        select(Match.id, PracticeSeat.seat, Match.record["totals"], Match.record["penalties"])
        .join(PracticeSeat, PracticeSeat.match_id == Match.id)
        .where(
            Match.id.in_(ids),
            PracticeSeat.agent_id == agent_id,
            Match.status == MatchStatus.FINISHED,
        )
    )
    points, penalty = Counter[str](), Counter[str]()
    for match_id, seat, totals, penalties in session.execute(seats):
        points[match_id] += totals[seat]
        penalty[match_id] += penalties[seat]
    return {match_id: Took(points[match_id], penalty[match_id]) for match_id in points}


def _waiting(
    session: Session, actor: Principal, ids: Sequence[str], of: Iterable[Tournament]
) -> Sequence[str]:
    """Matches with cards that others have yet to play, which the caller may not know of."""
    keeping = [tournament.id for tournament in of if shared_cards.keeps(actor, tournament)]
    return session.scalars(
        select(Match.id).where(
            Match.id.in_(ids), Match.tournament_id.in_(keeping), shared_cards.in_play()
        )
    ).all()
