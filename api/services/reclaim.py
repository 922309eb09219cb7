"""What was fixed when a match was claimed has changed: it is given back, and claimed anew.

Secrets, addresses and who plays a seat are read at the claim alone. So a rotation, a pause or a
retirement recalls the running matches that seat the agent: with the next block their workers give
them back, the sweep finds them, and the next claim reads how things are now. Nobody is fenced off:
what was decided meanwhile would be lost, and an owner could have what he regrets played again.
"""

from __future__ import annotations

from sqlalchemy import String, cast, or_, update
from sqlalchemy.orm import Session

from ..models import Entry, Match, MatchStatus
from .limits import Policy, take
from .match_hold import RECALLED
from .own_seats import agents_at, running_matches

HOURLY = Policy("reclaim", 12, 3600)


def reclaim(session: Session, agent_id: str, *, for_good: bool = False) -> None:
    """Recall the running matches of an agent. Call it before the agent is locked, as workers do.

    So often an hour: an owner who changed his mind on and on would hold up the others. What is done
    `for_good`, a retirement, is done once and always counts.
    """
    if not take(session, HOURLY, agent_id, 1).granted and not for_good:
        return
    for match_id in sorted(_running(session, agent_id)):
        if agent_id in agents_at(session, match_id).values():
            _recall(session, match_id)


def _running(session: Session, agent_id: str) -> set[str]:
    """Running matches where the agent sits, or did before a substitute."""
    ever = or_(Entry.agent_id == agent_id, cast(Entry.substitutions, String).contains(agent_id))
    return set(session.scalars(running_matches(agent_id, ever)))


def _recall(session: Session, match_id: str) -> None:
    session.execute(
        update(Match)
        .where(Match.id == match_id, Match.status == MatchStatus.RUNNING)
        .values(owner=RECALLED)
        .execution_options(synchronize_session=False)
    )
