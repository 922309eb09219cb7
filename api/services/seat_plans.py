"""Who plays a seat: a stranger's agent, called or fetching, or a house bot of the server.

Decided once, when a match is first claimed, and kept with it as its line-up: whoever begins a match
is its player to the end, be it that its entry withdraws or gets a substitute meanwhile. For an
entry that is not there a stand-in plays, and what that makes belongs to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..models import (
    Agent,
    AgentStatus,
    Entry,
    EntryStatus,
    NoShow,
    PracticeSeat,
    Seat,
    Tournament,
)
from ..vault import Vault
from .signing_secrets import signing_secrets

SERVER_PLAYS = "autoplay"
"""The house bot that goes on for an agent which is no longer active (rules.md 6)."""

Player = Mapping[str, Any]
"""One seat of a line-up: `agent_id` or `house_bot`, the other null, and `stand_in`."""


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
    stand_in: bool = False


def lineup(session: Session, tournament: Tournament, table_id: str) -> list[Player]:
    """Who is there to play the five seats of a table now."""
    rows = session.execute(
        select(Entry, Agent)
        .join(Seat, Seat.entry_id == Entry.id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .where(Seat.table_id == table_id)
        .order_by(Seat.seat)
    )
    return [_player(tournament, entry, agent) for entry, agent in rows]


def seat_plans(
    session: Session,
    vault: Vault,
    table_id: str,
    players: Sequence[Player],
    *,
    hurried: bool = False,
) -> tuple[SeatPlan, ...]:
    """The five seats of a table, as `players` fill them; hurried: without asking any agent."""
    rows = session.execute(
        select(Entry.id, Entry.name)
        .join(Seat, Seat.entry_id == Entry.id)
        .where(Seat.table_id == table_id)
        .order_by(Seat.seat)
    ).all()
    ids = [player["agent_id"] for player in players if player["agent_id"] and not hurried]
    agents = {agent.id: agent for agent in session.scalars(select(Agent).where(Agent.id.in_(ids)))}
    return tuple(
        _plan(vault, row.id, row.name, player, agents)
        for row, player in zip(rows, players, strict=True)
    )


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


def _player(tournament: Tournament, entry: Entry, agent: Agent | None) -> Player:
    there = entry.status == EntryStatus.ENTERED
    if there and agent is not None and agent.status == AgentStatus.ACTIVE:
        return {"agent_id": agent.id, "house_bot": None, "stand_in": False}
    if there and agent is None:
        return {"agent_id": None, "house_bot": entry.house_bot, "stand_in": False}
    bot = tournament.house_bot if tournament.no_show == NoShow.HOUSE_BOT else SERVER_PLAYS
    return {"agent_id": None, "house_bot": bot, "stand_in": True}


def _plan(
    vault: Vault, entry_id: str, name: str, player: Player, agents: Mapping[str, Agent]
) -> SeatPlan:
    if player["agent_id"] is None:
        bot = player["house_bot"] or SERVER_PLAYS
        return SeatPlan(entry_id, name, bot, None, None, stand_in=player["stand_in"])
    agent = agents.get(player["agent_id"])
    if agent is None or agent.status != AgentStatus.ACTIVE:
        return SeatPlan(entry_id, name, SERVER_PLAYS, None, None)
    return SeatPlan(entry_id, name, None, agent.id, agent.url, _secrets(vault, agent))


def _secrets(vault: Vault, agent: Agent) -> tuple[str, ...]:
    return () if agent.url is None else signing_secrets(vault, agent)
