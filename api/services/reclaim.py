"""What was fixed when a match was claimed has changed: whoever plays it begins anew from its log.

Secrets, addresses and who plays a seat are read at the claim alone. So a rotation, a pause or a
retirement fences off the workers of the running matches that seat the agent; the sweep finds those
matches, and the next claim reads how things are now.
"""

from __future__ import annotations

from sqlalchemy import String, cast, or_, select, update
from sqlalchemy.orm import Session

from ..models import Entry, Match, MatchStatus, PracticeSeat, Seat
from . import match_events
from .limits import Policy, take
from .own_seats import agents_at

HOURLY = Policy("reclaim", 12, 3600)


def reclaim(session: Session, agent_id: str) -> None:
    """Free the running matches of an agent. Call it before the agent is locked, as workers do.

    So often an hour: an owner who changed his mind on and on would hold up the others.
    """
    if not take(session, HOURLY, agent_id, 1).granted:
        return
    for match_id in sorted(_running(session, agent_id)):
        if agent_id in agents_at(session, match_id).values():
            _free(session, match_id)


def _running(session: Session, agent_id: str) -> set[str]:
    """Running matches where the agent sits, or did before a substitute."""
    ever = or_(Entry.agent_id == agent_id, cast(Entry.substitutions, String).contains(agent_id))
    running = select(Match.id).where(Match.status == MatchStatus.RUNNING)
    seated = running.join(Seat, Seat.table_id == Match.table_id).join(
        Entry, Entry.id == Seat.entry_id
    )
    practising = running.join(PracticeSeat, PracticeSeat.match_id == Match.id)
    return {
        *session.scalars(seated.where(ever)),
        *session.scalars(practising.where(PracticeSeat.agent_id == agent_id)),
    }


def _free(session: Session, match_id: str) -> None:
    freed = session.scalar(
        update(Match)
        .where(Match.id == match_id, Match.status == MatchStatus.RUNNING)
        .values(
            status=MatchStatus.QUEUED,
            owner=None,
            lease_until=None,
            epoch=Match.epoch + 1,
            version=Match.version + 1,
        )
        .returning(Match.id)
        .execution_options(synchronize_session=False)
    )
    if freed is not None:
        match_events.interrupted(session, match_id)
