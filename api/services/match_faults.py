"""What went wrong last in an agent's matches, looked up when its owner asks: a match writes none of
it down with the agent, which would lock that for every fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Select, and_, select
from sqlalchemy.orm import Session

from ..models import Entry, Fault, PracticeSeat
from .own_seats import agents_at

SEARCHED = 50  # faults of its entries; older ones may be those of whom it replaced


def last_in_matches(session: Session, agent_id: str) -> Fault | None:
    """The newest fault of the agent's in tournaments (by entries that it has) and in practice.

    Nothing is checked here but that it was this agent who played: `agents.find` comes first.
    """
    found = [*_in_tournaments(session, agent_id), *session.scalars(_in_practice(agent_id))]
    return max(found, key=lambda fault: (fault.at, fault.match_id, fault.seq), default=None)


def _in_tournaments(session: Session, agent_id: str) -> Iterator[Fault]:
    """The newest one, if there is one."""
    entered = select(Entry.id).where(Entry.agent_id == agent_id)
    for fault in session.scalars(
        _newest(select(Fault).where(Fault.entry_id.in_(entered)), SEARCHED)
    ):
        if agents_at(session, fault.match_id).get(fault.seat) == agent_id:
            yield fault
            return


def _in_practice(agent_id: str) -> Select[Fault]:
    here = and_(PracticeSeat.match_id == Fault.match_id, PracticeSeat.seat == Fault.seat)
    return _newest(
        select(Fault).join(PracticeSeat, here).where(PracticeSeat.agent_id == agent_id), 1
    )


def _newest(faults: Select[Fault], limit: int) -> Select[Fault]:
    return faults.order_by(Fault.at.desc(), Fault.match_id.desc(), Fault.seq.desc()).limit(limit)
