"""What was fixed when a match was claimed has changed: it is given back, and claimed anew.

Secrets, addresses and who plays a seat are read at the claim alone. So a rotation, a pause or a
retirement recalls the running matches that seat the agent: their workers hear of it with the next
block, ask nobody anything more and give them back, the sweep finds them, and the next claim reads
how things are now. Nobody is fenced off: what was decided meanwhile would be lost, and an owner
could have what he regrets played again. Nor is the question that is open taken back, else he had
his bot's thinking for nothing: it ends by its answer or its time. Only for an agent that was
retired nobody waits: it is not asked again, so nobody gets that time.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import String, cast, or_, select, update
from sqlalchemy.orm import Session

from ..models import UNFINISHED, Agent, AgentStatus, Entry, Match, MatchStatus
from .limits import Policy, take
from .match_hold import RECALLED
from .own_seats import agents_at, running_matches
from .rows import lock_row

HOURLY = Policy("reclaim", 12, 3600)


def reclaim(session: Session, agent_id: str, *, for_good: bool = False) -> None:
    """Recall the running matches of an agent, and lock it; workers lock a match before, too.

    So call it before the agent is locked. Those that nobody plays are locked with the others:
    else they could be claimed while the agent's lock is waited for. Who claims one meanwhile, of a
    round that is opened just now, waits for the agent (matches.py) or is recalled with the others.

    So often an hour: an owner who changed his mind on and on would hold up the others. What is done
    `for_good`, a retirement, is done once and always counts.
    """
    if not take(session, HOURLY, agent_id, 1).granted and not for_good:
        return
    _lock_unfinished(session, agent_id)
    lock_row(session, Agent, agent_id)
    _recall_all(session, agent_id)


def retired_seats(session: Session, match_id: str) -> set[int]:
    """The seats of a match whose agents were retired."""
    agents = agents_at(session, match_id)
    retired = select(Agent.id).where(
        Agent.id.in_(agents.values()), Agent.status == AgentStatus.RETIRED
    )
    gone = set(session.scalars(retired))
    return {seat for seat, agent_id in agents.items() if agent_id in gone}


def _lock_unfinished(session: Session, agent_id: str) -> None:
    """One after the other by id, as whoever locks several does."""
    unfinished = _seating(session, agent_id, UNFINISHED)
    if unfinished:
        found = select(Match.id).where(Match.id.in_(unfinished)).order_by(Match.id)
        session.scalars(found.with_for_update(key_share=True)).all()


def _recall_all(session: Session, agent_id: str) -> None:
    for match_id in sorted(_seating(session, agent_id, (MatchStatus.RUNNING,))):
        if agent_id in agents_at(session, match_id).values():
            _recall(session, match_id)


def _seating(session: Session, agent_id: str, statuses: Collection[MatchStatus]) -> set[str]:
    """Matches where the agent sits, or did before a substitute."""
    ever = or_(Entry.agent_id == agent_id, cast(Entry.substitutions, String).contains(agent_id))
    return set(session.scalars(running_matches(agent_id, ever, statuses)))


def _recall(session: Session, match_id: str) -> None:
    session.execute(
        update(Match)
        .where(Match.id == match_id, Match.status == MatchStatus.RUNNING)
        .values(owner=RECALLED)
        .execution_options(synchronize_session=False)
    )
