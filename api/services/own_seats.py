"""Which seats of a match are whose: an agent's owner sees more of his own seats than others do."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, CompoundSelect, select, union_all
from sqlalchemy.orm import Session

from ..models import Agent, Entry, Match, MatchStatus, PracticeSeat, Seat, Tournament
from . import practices
from .arbiters import judges
from .lifecycle import visible
from .principal import Principal
from .rows import get_row
from .sittings import SEAT


def own_seats(session: Session, actor: Principal, match_id: str) -> set[int]:
    """The seats that agents of the caller play."""
    agents = agents_at(session, match_id)
    own = select(Agent.id).where(Agent.id.in_(agents.values()), Agent.owner_id == actor.account_id)
    mine = set(session.scalars(own))
    return {seat for seat, agent_id in agents.items() if agent_id in mine}


def judged(session: Session, actor: Principal, match: Match) -> bool:
    """Whether the caller judges the match's tournament; nobody but admins does in practice."""
    if match.tournament_id is None:
        return actor.may("admin")
    return judges(actor, session.get_one(Tournament, match.tournament_id))


def require_visible(session: Session, actor: Principal, match_id: str) -> Match:
    """A match that the caller may see. Raises `NotFound`."""
    match = get_row(session, Match, match_id)
    if match.tournament_id is None:
        practices.require_visible(session, actor, match_id)
    else:
        visible(session, actor, match.tournament_id)
    return match


def plays_now(session: Session, agent_id: str) -> bool:
    """Whether a match with the agent is being played."""
    found = running_matches(agent_id, Entry.agent_id == agent_id)
    return session.execute(found.limit(1)).first() is not None


def running_matches(
    agent_id: str,
    enters: ColumnElement[bool],
    statuses: Collection[MatchStatus] = (MatchStatus.RUNNING,),
) -> CompoundSelect[str]:
    """Ids of matches that are played (or have one of `statuses`): practice of the agent, and where
    an entry sits that `enters` names.
    """
    running = select(Match.id).where(Match.status.in_(statuses))
    seated = running.join(Seat, Seat.table_id == Match.table_id).join(
        Entry, Entry.id == Seat.entry_id
    )
    practising = running.join(PracticeSeat, PracticeSeat.match_id == Match.id)
    return union_all(seated.where(enters), practising.where(PracticeSeat.agent_id == agent_id))


def agent_at(session: Session, match_id: str, seat: int) -> Agent | None:
    """The agent that plays there; None if a house bot does."""
    agent_id = agents_at(session, match_id).get(seat)
    return None if agent_id is None else session.get_one(Agent, agent_id)


def agents_at(session: Session, match_id: str) -> dict[int, str]:
    """seat -> the agent that plays it; one that was replaced afterwards has played what it has."""
    lineup = session.scalar(select(Match.lineup).where(Match.id == match_id))
    if lineup is not None:
        found = ((seat, player["agent_id"]) for seat, player in enumerate(lineup))
        return {seat: agent_id for seat, agent_id in found if agent_id is not None}
    entered = (
        select(SEAT.label("seat"), Entry.agent_id)
        .join(Match, Match.table_id == Seat.table_id)
        .join(Entry, Entry.id == Seat.entry_id)
        .where(Match.id == match_id, Entry.agent_id.is_not(None))
    )
    practice = select(PracticeSeat.seat, PracticeSeat.agent_id).where(
        PracticeSeat.match_id == match_id, PracticeSeat.agent_id.is_not(None)
    )
    rows = session.execute(union_all(entered, practice))
    return {row.seat: row.agent_id for row in rows}
