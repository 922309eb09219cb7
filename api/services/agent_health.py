"""Whether agents still answer: probes, pauses, and what their owners are told.

A probe is a real question, whose answer counts nowhere. Failures that are spaced by a minute pause
an agent, successes that are spaced as well resume it; each change is told its owner once. Only who
may be called soon is probed: entered in a tournament that is not over, or a sparring partner.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from ..db import db_now
from ..models import (
    Agent,
    AgentKind,
    AgentNotice,
    AgentStatus,
    Entry,
    EntryStatus,
    NoticeKind,
    PausedBy,
    Tournament,
    TournamentStatus,
)
from ..remote.faults import Fault
from ..vault import Vault
from .agent_calls import Contact, readable
from .agents import find
from .clock import now_seconds
from .paging import Page, page_of
from .principal import Principal
from .rows import lock_row

STRIKES = 3  # spaced failures that pause an agent
PASSES = 3  # spaced successes that resume it
DESERTIONS = 3  # matches in a row that pause whoever left them
SPACING_S = 60.0
USUAL_S = 600.0  # between two probes of an agent that is well
AT_ONCE = 50

_LIVING = (TournamentStatus.OPEN, TournamentStatus.RUNNING, TournamentStatus.PAUSED)


@dataclass(frozen=True)
class Standing:
    """How an agent stood before and after a probe."""

    before: str
    after: str


def claim_due(session: Session, vault: Vault) -> list[Contact]:
    """Agents whose time for a probe has come; the next one's is set, so nobody else probes them."""
    now = now_seconds()
    due = (
        select(Agent.id)
        .where(_wanted(), Agent.probe_at <= now)
        .order_by(Agent.probe_at)
        .limit(AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    rows = session.execute(
        update(Agent)
        .where(Agent.id.in_(list(session.scalars(due))))
        .values(probe_at=now + SPACING_S)
        .returning(Agent)
        .execution_options(synchronize_session=False)
    ).scalars()
    return list(readable(vault, [agent.live for agent in rows]))


def record(
    session: Session, contact: Contact, fault: Fault | None, *, network_is_well: bool = False
) -> Standing:
    """Write down how a probe went, and draw the consequence.

    An agent that cannot be reached, though others can (`network_is_well`), has failed as well.
    """
    agent = lock_row(session, Agent, contact.agent_id)
    before = agent.status
    unwell = agent.status == AgentStatus.PAUSED and agent.paused_by == PausedBy.HEALTH
    if agent.current == contact.number and (agent.status == AgentStatus.ACTIVE or unwell):
        agent.last_fault = None if fault is None else fault.kind
        if fault is None:
            _passed(session, agent)
        elif fault.charged_to == "bot" or (fault.charged_to == "network" and network_is_well):
            _failed(session, agent, fault)
    return Standing(before, agent.status)


def after_match(
    session: Session, match_id: str, left: Collection[str], stayed: Collection[str]
) -> None:
    """Agents that left a match get a strike each, and a probe at once.

    Whoever left so many in a row is paused, however well it answers probes.
    """
    faithful = select(Agent.id).where(Agent.id.in_(stayed), Agent.desertions > 0)
    for agent_id in sorted({*left, *session.scalars(faithful)}):  # as every match locks them
        agent = lock_row(session, Agent, agent_id)
        if agent_id in left:
            _deserted(session, agent, match_id)
        else:
            agent.desertions = 0


def _deserted(session: Session, agent: Agent, match_id: str) -> None:
    detail = "It was absent from three deals of a match, and the server played on for it."
    _tell(session, agent, NoticeKind.DESERTED, detail, match_id)
    agent.desertions += 1
    if agent.status != AgentStatus.ACTIVE:
        return
    if agent.desertions >= DESERTIONS:
        agent.desertions = 0
        _pause(session, agent, f"It left {DESERTIONS} matches in a row.")
    if agent.kind == AgentKind.HTTP:
        agent.strikes = min(agent.strikes + 1, STRIKES - 1)
        agent.probe_at = 0.0


def notices(
    session: Session, actor: Principal, agent_id: str, after: tuple[object, ...] | None, limit: int
) -> Page[AgentNotice]:
    """What an owner was told of an agent, the newest first."""
    find(session, actor, agent_id)
    query = select(AgentNotice).where(AgentNotice.agent_id == agent_id)
    return page_of(session, query, [AgentNotice.id], after, limit, descending=True)


def _passed(session: Session, agent: Agent) -> None:
    agent.strikes = 0
    if agent.status == AgentStatus.ACTIVE:
        agent.probe_at = db_now(session) + USUAL_S
        return
    agent.passes += 1
    if agent.passes >= PASSES:
        agent.status, agent.paused_by, agent.passes = AgentStatus.ACTIVE, None, 0
        agent.version += 1
        _tell(session, agent, NoticeKind.RESUMED, f"{PASSES} probes in a row were answered.")


def _failed(session: Session, agent: Agent, fault: Fault) -> None:
    agent.passes = 0
    agent.strikes = min(agent.strikes + 1, STRIKES)
    if agent.status == AgentStatus.ACTIVE and agent.strikes >= STRIKES:
        detail = f"{STRIKES} probes in a row failed, the last one: {fault.kind}, {fault.detail}"
        _pause(session, agent, detail)


def _pause(session: Session, agent: Agent, why: str) -> None:
    """An agent that is called is resumed by its probes; one that asks, by its owner."""
    agent.status, agent.paused_by, agent.passes = AgentStatus.PAUSED, PausedBy.HEALTH, 0
    agent.version += 1
    _tell(session, agent, NoticeKind.PAUSED, why)


def _tell(
    session: Session, agent: Agent, kind: NoticeKind, detail: str, match_id: str | None = None
) -> None:
    session.add(AgentNotice(agent_id=agent.id, kind=kind, detail=detail[:300], match_id=match_id))
    session.flush()


def _wanted() -> ColumnElement[bool]:
    """Called soon, if it can be: active ones in a living tournament, sparring partners, and those
    that were paused for their health.
    """
    entered = (
        select(Entry.id)
        .join(Tournament, Tournament.id == Entry.tournament_id)
        .where(
            Entry.agent_id == Agent.id,
            Entry.status == EntryStatus.ENTERED,
            Tournament.status.in_(_LIVING),
        )
        .exists()
    )
    unwell = and_(Agent.status == AgentStatus.PAUSED, Agent.paused_by == PausedBy.HEALTH)
    struck = and_(Agent.status == AgentStatus.ACTIVE, Agent.strikes > 0)
    active = and_(Agent.status == AgentStatus.ACTIVE, or_(Agent.sparring, entered))
    return and_(Agent.kind == AgentKind.HTTP, or_(active, unwell, struck))
