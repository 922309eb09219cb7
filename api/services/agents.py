"""Agents as their owners keep them: register, change, pause, retire.

An agent plays only while it is `active`. One that is called becomes so by echoing a challenge
(agent_calls.py), and a new URL has to prove itself again. A pull agent is active from the first:
whoever fetches its questions shows a token of its owner.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..errors import Conflict, Invalid
from ..models import Account, Agent, AgentKind, AgentStatus, PausedBy, utc_now
from ..remote.signing import new_secret
from ..vault import Vault
from . import versions
from .paging import Page, page_of
from .principal import Principal
from .reclaim import reclaim
from .rows import get_row, lock_row, unique, update_versioned

MOST = 100  # agents of an owner that are not retired

MOVES: dict[AgentStatus, tuple[AgentStatus, ...]] = {
    AgentStatus.PAUSED: (AgentStatus.ACTIVE,),
    AgentStatus.ACTIVE: (AgentStatus.PAUSED,),
    AgentStatus.RETIRED: (AgentStatus.UNVERIFIED, AgentStatus.ACTIVE, AgentStatus.PAUSED),
}
"""Where an owner may move an agent, and from which states."""


def register(
    session: Session,
    vault: Vault,
    actor: Principal,
    name: str,
    kind: str = AgentKind.HTTP,
    url: str | None = None,
    sparring: bool = False,
) -> tuple[Agent, str | None]:
    """A new agent, and its signing secret, which nobody can show again (None: it is not called).

    The URL must have been admitted (agent_calls.py). Raises `Conflict` for a name already used, and
    beyond `MOST` agents.
    """
    _require_room(session, actor)
    called = _require_url(kind, url)
    secret = new_secret()
    agent = Agent(
        owner_id=actor.account_id,
        name=name,
        kind=kind,
        url=url,
        sparring=sparring,
        status=AgentStatus.UNVERIFIED if called else AgentStatus.ACTIVE,
        secret=vault.seal(secret.encode()),
        verified_at=None if called else utc_now(),
    )
    with unique("/name"):
        session.add(agent)
        session.flush()
    if not called:
        versions.verified(agent.live)
    return agent, secret if called else None


def _require_room(session: Session, actor: Principal) -> None:
    """The account's row is locked, so that two at once cannot both have the last place."""
    lock_row(session, Account, actor.account_id)
    kept = select(func.count()).where(
        Agent.owner_id == actor.account_id, Agent.status != AgentStatus.RETIRED
    )
    if (session.scalar(kept) or 0) >= MOST:
        raise Conflict(f"You have {MOST} agents that are not retired.", code="agent_limit")


def _require_url(kind: str, url: str | None) -> bool:
    """Whether the agent is called; raises `Invalid` unless it has a URL exactly then."""
    called = kind == AgentKind.HTTP
    if called and url is None:
        raise Invalid([("/url", "required", "An agent that is called has a URL.")])
    if not called and url is not None:
        raise Invalid([("/url", "unexpected", "A pull agent has no URL; it asks by itself.")])
    return called


def find(session: Session, actor: Principal, agent_id: str) -> Agent:
    """An agent of the caller's; `NotFound` for those of others."""
    agent = get_row(session, Agent, agent_id)
    actor.require_owner(agent.owner_id, "agent")
    return agent


def search(
    session: Session,
    actor: Principal,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    status: str | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> Page[Agent]:
    """The caller's agents, oldest first. name: part of it."""
    mine = select(Agent).where(Agent.owner_id == actor.account_id)
    if status is not None:
        mine = mine.where(Agent.status == status)
    if kind is not None:
        mine = mine.where(Agent.kind == kind)
    if name is not None:
        mine = mine.where(Agent.name.icontains(name, autoescape=True))
    return page_of(session, mine, [Agent.id], after, limit)


def update(session: Session, actor: Principal, agent_id: str, version: int, **values: Any) -> Agent:
    """Rename an agent or move it to another URL at once.

    The move is a new version with the old one's secret; nothing plays until it is verified. Raises
    `Conflict` for a retired agent, and for a move when it has as many versions as there may be.
    """
    agent = lock_own(session, actor, agent_id)
    if agent.status == AgentStatus.RETIRED:
        raise refused(agent, "be changed")
    before = agent.live
    url = values.pop("url", before.url)
    _require_url(agent.kind, url)
    if url == before.url:
        return _changed(session, agent_id, version, values)
    versions.require_room(session, agent_id)
    number = versions.newest(session, agent_id) + 1
    unproved = {
        "current": number,
        "status": AgentStatus.UNVERIFIED,
        "paused_by": None,
        "verified_at": None,
    }
    changed = _changed(session, agent_id, version, values | unproved)
    versions.move(session, before, number, url)
    return changed


def _changed(session: Session, agent_id: str, version: int, values: dict[str, Any]) -> Agent:
    with unique("/name"):
        return update_versioned(session, Agent, agent_id, version, **values)


def move(session: Session, actor: Principal, agent_id: str, to: AgentStatus) -> Agent:
    """Pause, resume or retire; to where it is already changes nothing. Raises `Conflict`.

    In running matches too: the server plays for who must not be called.
    """
    if find(session, actor, agent_id).status != to:
        reclaim(session, agent_id, for_good=to == AgentStatus.RETIRED)
    agent = lock_own(session, actor, agent_id)
    if agent.status == to:
        return agent
    if agent.status not in MOVES[to]:
        raise refused(agent, f"become {to}")
    agent.status = to
    agent.paused_by = PausedBy.OWNER if to == AgentStatus.PAUSED else None
    agent.strikes = agent.passes = agent.desertions = 0
    agent.probe_at = 0.0  # soon, if it is to be called
    agent.version += 1
    return agent


def lock_own(session: Session, actor: Principal, agent_id: str) -> Agent:
    """An agent of the caller's, locked to the end of the transaction."""
    find(session, actor, agent_id)
    return lock_row(session, Agent, agent_id)


def refused(agent: Agent, what: str) -> Conflict:
    """The error for an agent that is in no state for that."""
    return Conflict(
        f"The agent is {agent.status} and cannot {what}.",
        code="agent_state",
        errors=[("/status", "state", f"It is {agent.status}.")],
    )
