"""Which seats of a match are whose: an agent's owner sees more of his own seats than others do."""

from __future__ import annotations

from sqlalchemy import select, union
from sqlalchemy.orm import Session

from ..models import Agent, Entry, Match, PracticeSeat, Seat, Tournament
from . import practices
from .lifecycle import visible
from .principal import Principal
from .rows import get_row


def own_seats(session: Session, actor: Principal, match_id: str) -> set[int]:
    """The seats at which agents of the caller sit."""
    in_tournament = (
        select(Seat.seat)
        .join(Match, Match.table_id == Seat.table_id)
        .join(Entry, Entry.id == Seat.entry_id)
        .join(Agent, Agent.id == Entry.agent_id)
        .where(Match.id == match_id, Agent.owner_id == actor.account_id)
    )
    in_practice = (
        select(PracticeSeat.seat)
        .join(Agent, Agent.id == PracticeSeat.agent_id)
        .where(PracticeSeat.match_id == match_id, Agent.owner_id == actor.account_id)
    )
    return set(session.scalars(union(in_tournament, in_practice)))


def directs(session: Session, actor: Principal, match: Match) -> bool:
    """Whether the match is in a tournament of the caller's (or he may act for everybody)."""
    if match.tournament_id is None:
        return actor.may("admin")
    return actor.owns(session.get_one(Tournament, match.tournament_id).organizer_id)


def require_visible(session: Session, actor: Principal, match_id: str) -> Match:
    """A match that the caller may see. Raises `NotFound`."""
    match = get_row(session, Match, match_id)
    if match.tournament_id is None:
        practices.require_visible(session, actor, match_id)
    else:
        visible(session, actor, match.tournament_id)
    return match


def agent_at(session: Session, match_id: str, seat: int) -> Agent:
    """The agent that sits there."""
    practice = select(PracticeSeat.agent_id).where(
        PracticeSeat.match_id == match_id, PracticeSeat.seat == seat
    )
    entered = (
        select(Entry.agent_id)
        .join(Seat, Seat.entry_id == Entry.id)
        .join(Match, Match.table_id == Seat.table_id)
        .where(Match.id == match_id, Seat.seat == seat)
    )
    agent_id = session.scalar(practice) or session.scalar(entered)
    return session.get_one(Agent, agent_id)
