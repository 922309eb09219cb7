"""Who judges: the organizer of a tournament, arbiters in every one, admins.

Nobody is an arbiter in his own cause. The organizer and admins may be: theirs is the last word.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Forbidden
from ..models import Agent, Entry, EntryStatus, Match, Role, Seat, Tournament
from . import history
from .lifecycle import lock_visible
from .principal import Principal


def judges(actor: Principal, tournament: Tournament) -> bool:
    """Whether the caller sees what others may not: one of them, by a token that is for it.

    A bot of an arbiter's plays with a token of his, which says so (`agents:play`).
    """
    if actor.owns(tournament.organizer_id):
        return actor.may("tournaments:read")
    return actor.role == Role.ARBITER and actor.may("results:write")


def require_arbiter(actor: Principal, tournament: Tournament) -> None:
    """Raises `Forbidden` for everybody else. (The operation has asked for the scope.)"""
    if not (actor.owns(tournament.organizer_id) or actor.role == Role.ARBITER):
        raise Forbidden("Only the organizer and arbiters may do this.", code="not_arbiter")


def lock_judged(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """A tournament that the caller may judge, locked; raises `NotFound` or `Forbidden`."""
    tournament = lock_visible(session, actor, tournament_id)
    require_arbiter(actor, tournament)
    return tournament


def require_no_part(
    session: Session,
    actor: Principal,
    tournament: Tournament,
    *,
    match_id: str | None = None,
    entry_id: str | None = None,
) -> None:
    """Raises `Forbidden` for an arbiter whose own entry it is about, or sat at the match.

    Without a match and an entry it is about all that take part.
    """
    if actor.role != Role.ARBITER or actor.owns(tournament.organizer_id):
        return
    about = select(Entry.agent_id, Entry.substitutions).where(
        Entry.tournament_id == tournament.id, Entry.agent_id.is_not(None)
    )
    if match_id is not None:
        about = about.join(Seat, Seat.entry_id == Entry.id).join(
            Match, Match.table_id == Seat.table_id
        )
        about = about.where(Match.id == match_id)
    elif entry_id is not None:
        about = about.where(Entry.id == entry_id)
    else:
        about = about.where(Entry.status == EntryStatus.ENTERED)
    agents = {
        agent_id
        for now, changes in session.execute(about)
        for agent_id in history.players(now, changes)
    }
    if _owns_one(session, actor, agents):
        raise Forbidden("It is about an entry of yours; let another one decide.", code="own_entry")


def _owns_one(session: Session, actor: Principal, agents: Collection[str]) -> bool:
    own = select(Agent.id).where(Agent.id.in_(agents), Agent.owner_id == actor.account_id)
    return session.scalar(own.limit(1)) is not None
