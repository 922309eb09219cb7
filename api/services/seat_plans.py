"""Who plays a seat: a stranger's agent, called or fetching, or a house bot of the server.

Worked out anew at every claim. An entry that withdrew, or whose agent is no longer active, is
played by the server (rules.md 6) - but a match that it had begun is finished by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ..models import Agent, AgentStatus, Entry, PracticeSeat, Seat
from ..vault import Vault
from .signing_secrets import signing_secrets

SERVER_PLAYS = "autoplay"
"""The house bot that answers for an absent seat."""

Sitting = Row[tuple[Seat, Entry, Agent | None]]


@dataclass(frozen=True)
class SeatPlan:
    """One seat of a match: either `house_bot`, or `agent_id`.

    An agent that is called has a `url` and signing `secrets`; a pull agent has neither.
    """

    entry_id: str | None
    name: str
    house_bot: str | None
    agent_id: str | None
    url: str | None
    secrets: tuple[str, ...] = field(default=(), repr=False)


def seat_plans(
    session: Session, vault: Vault, table_id: str, started_at: datetime
) -> tuple[SeatPlan, ...]:
    """The five seats of a table, for a match that began at `started_at`."""
    rows = session.execute(
        select(Seat, Entry, Agent)
        .join(Entry, Entry.id == Seat.entry_id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .where(Seat.table_id == table_id)
        .order_by(Seat.seat)
    ).all()
    return tuple(_plan(vault, entry, agent, started_at) for _, entry, agent in rows)


def practice_plans(session: Session, vault: Vault, match_id: str) -> tuple[SeatPlan, ...]:
    """The five seats of a practice match; the server plays for who must not be called any more."""
    rows = session.execute(
        select(PracticeSeat, Agent)
        .outerjoin(Agent, Agent.id == PracticeSeat.agent_id)
        .where(PracticeSeat.match_id == match_id)
        .order_by(PracticeSeat.seat)
    ).all()
    return tuple(_practice_plan(vault, seat, agent) for seat, agent in rows)


def _practice_plan(vault: Vault, seat: PracticeSeat, agent: Agent | None) -> SeatPlan:
    if agent is None or agent.status != AgentStatus.ACTIVE:
        return SeatPlan(None, seat.name, seat.house_bot or SERVER_PLAYS, None, None)
    return SeatPlan(None, seat.name, None, agent.id, agent.url, _secrets(vault, agent))


def _plan(vault: Vault, entry: Entry, agent: Agent | None, started_at: datetime) -> SeatPlan:
    if agent is None:
        return _house(entry, entry.house_bot or SERVER_PLAYS)
    if _absent(entry, agent, started_at):
        return _house(entry, SERVER_PLAYS)
    return SeatPlan(entry.id, entry.name, None, agent.id, agent.url, _secrets(vault, agent))


def _secrets(vault: Vault, agent: Agent) -> tuple[str, ...]:
    return () if agent.url is None else signing_secrets(vault, agent)


def _house(entry: Entry, bot: str) -> SeatPlan:
    return SeatPlan(entry.id, entry.name, bot, None, None)


def _absent(entry: Entry, agent: Agent, started_at: datetime) -> bool:
    withdrew = entry.withdrawn_at is not None and entry.withdrawn_at <= started_at
    return withdrew or agent.status != AgentStatus.ACTIVE
