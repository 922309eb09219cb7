"""Who plays a seat: a stranger's agent, called or fetching, or a house bot of the server.

Decided once, when a match is first claimed, and kept with it as its line-up: whoever begins a match
is its player to the end, be it that its entry withdraws or gets a substitute meanwhile. For an
entry that is not there a stand-in plays, and what that makes belongs to nobody. Of an agent that
version plays which was the live one when the round was opened, unless it was retired meanwhile.

Where badges are required, whoever takes another's place must have been checked as well: if it was
not, the server plays on. A badge that runs out or is taken away during a match throws nobody out
of that match: it was good when its player was settled.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session, aliased

from ..models import (
    Agent,
    AgentStatus,
    AgentVersion,
    Entry,
    EntryStatus,
    NoShow,
    PracticeSeat,
    Seat,
    Tournament,
    VersionStatus,
)
from ..vault import Vault
from . import shadow_calls
from .signing_secrets import SecretUnreadable, signing_secrets

_log = logging.getLogger(__name__)

SERVER_PLAYS = "autoplay"
"""The house bot that goes on for an agent which is no longer active (rules.md 6)."""

Player = Mapping[str, Any]
"""One seat of a line-up: `agent_id` and the number of its `version`, or `house_bot`; `stand_in`."""


@dataclass(frozen=True)
class ShadowPlan:
    """A version that is asked as well, without effect, `left` times yet."""

    version_id: str
    url: str
    secrets: tuple[str, ...] = field(repr=False)
    left: int


@dataclass(frozen=True)
class SeatPlan:
    """One seat of a match: either `house_bot`, or `agent_id`.

    An agent that is called has a `url` and signing `secrets`, none where those cannot be opened:
    then the match cannot be played. A pull agent has neither. `version` is the number of the one
    that plays.
    """

    entry_id: str | None
    name: str
    house_bot: str | None
    agent_id: str | None
    url: str | None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    stand_in: bool = False
    version: int | None = None
    shadow: ShadowPlan | None = None


def lineup(session: Session, tournament: Tournament, table_id: str) -> list[Player]:
    """Who is there to play the five seats of a table now."""
    rows = session.execute(
        select(Entry, Agent, AgentVersion)
        .join(Seat, Seat.entry_id == Entry.id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .outerjoin(AgentVersion, _plays(Seat.agent_version_id))
        .where(Seat.table_id == table_id)
        .order_by(Seat.seat)
    )
    return [_player(tournament, entry, agent, pinned) for entry, agent, pinned in rows]


def seat_plans(
    session: Session,
    vault: Vault,
    table_id: str,
    players: Sequence[Player],
    *,
    hurried: bool = False,
    badge_required: bool = False,
) -> tuple[SeatPlan, ...]:
    """The five seats of a table, as `players` fill them; hurried: without asking any agent."""
    rows = session.execute(
        select(Entry.id, Entry.name)
        .join(Seat, Seat.entry_id == Entry.id)
        .where(Seat.table_id == table_id)
        .order_by(Seat.seat)
    ).all()
    callable_ = {} if hurried else _versions(session, players, badge_required)
    plans = [
        _plan(vault, row.id, row.name, player, callable_)
        for row, player in zip(rows, players, strict=True)
    ]
    return _with_shadows(session, vault, plans)


def practice_plans(session: Session, vault: Vault, match_id: str) -> tuple[SeatPlan, ...]:
    """The five seats of a practice match; the server plays for who must not be called any more."""
    rows = session.execute(
        select(PracticeSeat, Agent, AgentVersion)
        .outerjoin(Agent, Agent.id == PracticeSeat.agent_id)
        .outerjoin(AgentVersion, _plays(PracticeSeat.agent_version_id))
        .where(PracticeSeat.match_id == match_id)
        .order_by(PracticeSeat.seat)
    ).all()
    plans = [_practice_plan(vault, seat, agent, pinned) for seat, agent, pinned in rows]
    return _with_shadows(session, vault, plans)


def _with_shadows(
    session: Session, vault: Vault, plans: Sequence[SeatPlan]
) -> tuple[SeatPlan, ...]:
    """Whoever is called, and has a shadow, plays with it."""
    called = [plan.agent_id for plan in plans if plan.agent_id and plan.url]
    found = shadow_calls.of_agents(session, called) if called else {}
    return tuple(_with_shadow(vault, plan, found.get(plan.agent_id or "")) for plan in plans)


def _with_shadow(vault: Vault, plan: SeatPlan, version: AgentVersion | None) -> SeatPlan:
    if version is None or version.url is None or version.number == plan.version:
        return plan
    secrets = _secrets(vault, version)
    if not secrets:
        return plan
    shadow = ShadowPlan(version.id, version.url, secrets, shadow_calls.left(version))
    return replace(plan, shadow=shadow)


def _plays(version_id: Any) -> ColumnElement[bool]:
    """The version of a seat's agent that plays: the seat's own, or the live one."""
    pinned = aliased(AgentVersion)
    usable = (
        select(pinned.number)
        .where(
            pinned.id == version_id,
            pinned.agent_id == Agent.id,
            pinned.status != VersionStatus.RETIRED,
        )
        .scalar_subquery()
    )
    return and_(
        AgentVersion.agent_id == Agent.id,
        AgentVersion.number == func.coalesce(usable, Agent.current),
    )


def _practice_plan(
    vault: Vault, seat: PracticeSeat, agent: Agent | None, version: AgentVersion | None
) -> SeatPlan:
    if agent is None or version is None or agent.status != AgentStatus.ACTIVE:
        return SeatPlan(None, seat.name, seat.house_bot or SERVER_PLAYS, None, None)
    return _agents_plan(vault, None, seat.name, version)


def _player(
    tournament: Tournament, entry: Entry, agent: Agent | None, version: AgentVersion | None
) -> Player:
    there = entry.status == EntryStatus.ENTERED
    if (
        there
        and agent is not None
        and version is not None
        and _may_play(tournament, agent, version)
    ):
        played = {"agent_id": agent.id, "version": version.number}
        return {**played, "house_bot": None, "stand_in": False}
    if there and agent is None:
        return {"agent_id": None, "house_bot": entry.house_bot, "stand_in": False}
    bot = tournament.house_bot if tournament.no_show == NoShow.HOUSE_BOT else SERVER_PLAYS
    return {"agent_id": None, "house_bot": bot, "stand_in": True}


def _may_play(tournament: Tournament, agent: Agent, version: AgentVersion) -> bool:
    return agent.status == AgentStatus.ACTIVE and _admitted(version, tournament.badge_required)


def _admitted(version: AgentVersion, badge_required: bool) -> bool:
    """Whoever retires what was checked does not get in with what was not."""
    return not badge_required or version.badge_until is not None


def _plan(
    vault: Vault, entry_id: str, name: str, player: Player, versions: Mapping[str, AgentVersion]
) -> SeatPlan:
    if player["agent_id"] is None:
        bot = player["house_bot"] or SERVER_PLAYS
        return SeatPlan(entry_id, name, bot, None, None, stand_in=player["stand_in"])
    version = versions.get(player["agent_id"])
    if version is None:
        return SeatPlan(entry_id, name, SERVER_PLAYS, None, None)
    return _agents_plan(vault, entry_id, name, version)


def _agents_plan(vault: Vault, entry_id: str | None, name: str, version: AgentVersion) -> SeatPlan:
    secrets = () if version.url is None else _secrets(vault, version)
    agent_id, number = version.agent_id, version.number
    return SeatPlan(entry_id, name, None, agent_id, version.url, secrets, version=number)


def _secrets(vault: Vault, version: AgentVersion) -> tuple[str, ...]:
    """Those that sign its calls; none where they cannot be opened, which is logged."""
    try:
        return signing_secrets(vault, version)
    except SecretUnreadable:
        agent_id, number = version.agent_id, version.number
        _log.error("agent %s, version %s: its secret cannot be opened", agent_id, number)
        return ()


def _versions(
    session: Session, players: Sequence[Player], badge_required: bool
) -> dict[str, AgentVersion]:
    """agent id -> the version that plays, of those agents that are active.

    It is the line-up's; once that is retired the live one, if it may take its place.
    """
    wanted = {player["agent_id"]: player.get("version") for player in players}
    rows = session.execute(
        select(Agent.current, AgentVersion)
        .join(AgentVersion, AgentVersion.agent_id == Agent.id)
        .where(Agent.id.in_(wanted.keys() - {None}), Agent.status == AgentStatus.ACTIVE)
        .where(AgentVersion.status != VersionStatus.RETIRED)
    ).all()
    live = {
        version.agent_id: version
        for current, version in rows
        if version.number == current and _admitted(version, badge_required)
    }
    return live | {v.agent_id: v for _, v in rows if v.number == wanted[v.agent_id]}
