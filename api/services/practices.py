"""Practice matches: played at once, on demand, for an author who wants to see his agent play.

He may seat his own agents, those whose owners let anybody practise against them (`sparring`), and
house bots. Workers play them like any other match.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.bots import BOTS
from baohuang.engine.draw import KEY_BYTES
from baohuang.engine.rules import PRESETS, RuleSet

from ..errors import Conflict, Invalid, NotFound, TooMany
from ..models import (
    Account,
    Agent,
    AgentStatus,
    Match,
    MatchStatus,
    Practice,
    PracticeSeat,
    utc_now,
)
from ..vault import Vault
from . import rule_sets
from .limits import Policy, take
from .paging import Page, page_of
from .principal import Principal
from .rows import lock_row, missing

SEATS = 5
FILLS = "greedy"  # the house bot in seats that nobody was chosen for
AT_ONCE = 3  # unfinished practice matches of an account
FAIR_BUDGET_MS = (500, 10_000)  # where somebody else's agent plays
FAIR_BANK_MS = 60_000
VISITORS = 2  # unfinished ones that others play against a sparring agent
DAILY = Policy("practice", 200, 86_400)
LATER_S = 30
UNFINISHED = (MatchStatus.QUEUED, MatchStatus.RUNNING)

Choice = Mapping[str, str]
"""`{"agent_id": …}` or `{"house_bot": …}`."""


@dataclass(frozen=True)
class Wish:
    """What an author wants to be played."""

    rule_set: str
    overrides: Mapping[str, object] = field(default_factory=dict)
    deals: int = 5
    budget_ms: int = 2000
    bank_ms: int = 30_000
    seats: Sequence[Choice] = ()


def create(session: Session, vault: Vault, actor: Principal, wish: Wish) -> str:
    """A practice match that waits for a worker; its id.

    Raises `Invalid` for unknown rules and players, and for clocks that somebody else's agent need
    not put up with; `TooMany` beyond the limits.
    """
    rules = _rules(session, actor, wish)
    seats = _seats(session, actor, wish)
    _keep_limits(session, actor, seats)
    match = Match(deals=wish.deals)
    session.add(match)
    session.flush()
    session.add(
        Practice(
            match_id=match.id,
            owner_id=actor.account_id,
            rules=rules.to_json(),
            key=vault.seal(secrets.token_bytes(KEY_BYTES)),
            budget_ms=wish.budget_ms,
            bank_ms=wish.bank_ms,
        )
    )
    session.flush()
    session.add_all(
        PracticeSeat(match_id=match.id, seat=number, **seat) for number, seat in enumerate(seats)
    )
    session.flush()
    return match.id


def cancel(session: Session, actor: Principal, match_id: str) -> None:
    """End a practice match of the caller's, or one that his agent is to play.

    Whoever plays it is fenced off. Raises `Conflict`.
    """
    if _owner(session, match_id) is None:
        raise missing(Match)
    require_visible(session, actor, match_id)
    match = lock_row(session, Match, match_id)
    if match.status not in UNFINISHED:
        raise Conflict(f"The match is {match.status} already.", code=f"match_{match.status}")
    match.status, match.lease_until, match.finished_at = MatchStatus.CANCELLED, None, utc_now()
    match.epoch += 1
    match.version += 1


def require_visible(session: Session, actor: Principal, match_id: str) -> None:
    """Raise `NotFound` for a practice match that neither is the caller's nor seats his agent."""
    if actor.may("admin") or _owner(session, match_id) == actor.account_id:
        return
    mine = (
        select(PracticeSeat.seat)
        .join(Agent, Agent.id == PracticeSeat.agent_id)
        .where(PracticeSeat.match_id == match_id, Agent.owner_id == actor.account_id)
        .limit(1)
    )
    if not actor.account_id or session.scalar(mine) is None:
        raise missing(Match)


def opponents(session: Session, after: tuple[object, ...] | None, limit: int) -> Page[Row[Any]]:
    """Agents that anybody may practise against, the oldest first."""
    columns = (Agent.id, Agent.name, Agent.kind, Account.name.label("owner"))
    query: Select[Any] = (
        select(Bundle("opponent", *columns))
        .join(Account, Account.id == Agent.owner_id)
        .where(Agent.sparring, Agent.status == AgentStatus.ACTIVE)
    )
    return page_of(session, query, [Agent.id], after, limit)


def _owner(session: Session, match_id: str) -> str | None:
    return session.scalar(select(Practice.owner_id).where(Practice.match_id == match_id))


def _rules(session: Session, actor: Principal, wish: Wish) -> RuleSet:
    try:
        base = rule_sets.find(session, actor, wish.rule_set)
    except NotFound:
        detail = f"Neither a rule set of yours nor one of {', '.join(PRESETS)}."
        raise Invalid([("/rule_set", "unknown", detail)]) from None
    return rule_sets.resolved(base.preset, {**base.overrides, **wish.overrides})


def _seats(session: Session, actor: Principal, wish: Wish) -> list[dict[str, Any]]:
    """Columns of five seats; raises `Invalid` for whom the caller may not seat."""
    found = [_seat(session, actor, choice, number) for number, choice in enumerate(wish.seats)]
    if not any(seat["mine"] for seat in found):
        raise Invalid([("/seats", "no_agent_of_yours", "Seat an agent of yours at least.")])
    if any(seat["agent_id"] and not seat["mine"] for seat in found):
        _require_fair_clocks(wish)
    found += [_house(FILLS) for _ in range(SEATS - len(found))]
    kept = ("agent_id", "agent_version_id", "house_bot", "name")
    return [{name: seat[name] for name in kept} for seat in found]


def _require_fair_clocks(wish: Wish) -> None:
    """Nobody is made to fail by a clock that is too short, or kept busy for days by a long one."""
    low, high = FAIR_BUDGET_MS
    wrong: list[tuple[str, str, str]] = []
    if not low <= wish.budget_ms <= high:
        detail = f"With somebody else's agent {low} to {high}."
        wrong.append(("/budget_ms", "out_of_range", detail))
    if wish.bank_ms > FAIR_BANK_MS:
        detail = f"With somebody else's agent at most {FAIR_BANK_MS}."
        wrong.append(("/bank_ms", "out_of_range", detail))
    if wrong:
        raise Invalid(wrong)


def _seat(session: Session, actor: Principal, choice: Choice, number: int) -> dict[str, Any]:
    bot = choice.get("house_bot")
    if bot is not None:
        if bot not in BOTS:
            detail = f"There are {', '.join(BOTS)}."
            raise Invalid([(f"/seats/{number}/house_bot", "unknown", detail)])
        return _house(bot)
    pointer = f"/seats/{number}/agent_id"
    agent = session.get(Agent, choice["agent_id"])
    mine = agent is not None and actor.owns(agent.owner_id)
    if agent is None or not (mine or agent.sparring):
        raise Invalid([(pointer, "unknown", "Neither an agent of yours nor a sparring partner.")])
    if agent.status != AgentStatus.ACTIVE:
        raise Invalid([(pointer, "not_active", f"The agent is {agent.status}.")])
    who = {"agent_id": agent.id, "agent_version_id": agent.live.id, "house_bot": None}
    return {**who, "name": agent.name, "mine": mine}


def _house(bot: str) -> dict[str, Any]:
    nobody = {"agent_id": None, "agent_version_id": None}
    return {**nobody, "house_bot": bot, "name": bot, "mine": False}


def _keep_limits(session: Session, actor: Principal, seats: Sequence[Mapping[str, Any]]) -> None:
    """Raise `TooMany` beyond what one account, or all visitors of an agent, may have played."""
    lock_row(session, Account, actor.account_id)
    unfinished = (
        select(func.count(Match.id.distinct()))
        .join(Practice, Practice.match_id == Match.id)
        .where(Match.status.in_(UNFINISHED))
    )
    mine = unfinished.where(Practice.owner_id == actor.account_id)
    if (session.scalar(mine) or 0) >= AT_ONCE:
        detail = f"{AT_ONCE} of your practice matches are not finished yet."
        raise TooMany(detail, LATER_S, code="practice_limit")
    for agent_id in sorted({seat["agent_id"] for seat in seats} - {None}):
        _keep_visitors(session, actor, agent_id, unfinished)
    grant = take(session, DAILY, actor.account_id, 1)
    if not grant.granted:
        detail = f"{DAILY.quota} practice matches a day are enough."
        raise TooMany(detail, max(1, round(grant.left_s)), code="practice_limit")


def _keep_visitors(
    session: Session, actor: Principal, agent_id: str, unfinished: Select[int]
) -> None:
    """The agent's row is locked, so that two visitors at once cannot both be the last one."""
    owner = session.get_one(Agent, agent_id).owner_id
    if actor.owns(owner):
        return
    lock_row(session, Agent, agent_id)
    visits = unfinished.join(PracticeSeat, PracticeSeat.match_id == Match.id).where(
        PracticeSeat.agent_id == agent_id, Practice.owner_id != owner
    )
    if (session.scalar(visits) or 0) >= VISITORS:
        raise TooMany("A sparring partner is busy.", LATER_S, code="opponent_busy")
