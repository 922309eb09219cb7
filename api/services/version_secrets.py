"""New signing secrets of agents: whoever signs with the one that is replaced gets the new one.

A move to another URL takes the secret along, and a round goes on with the version that it was
opened with. So one secret may sign for several versions, and one that leaked is replaced in all.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Agent, AgentKind, AgentStatus, AgentVersion, VersionStatus
from ..vault import SealBroken, Vault
from . import signing_secrets, versions
from .agents import find, lock_own, refused
from .principal import Principal
from .reclaim import reclaim


def rotate(
    session: Session,
    vault: Vault,
    actor: Principal,
    agent_id: str,
    grace_s: int,
    force: bool,
    number: int | None = None,
) -> tuple[Agent, AgentVersion, str]:
    """A new secret for a version (None: the live one) and for those that share its present one.

    Calls carry signatures of both for `grace_s` seconds; in running matches too. Raises `NotFound`,
    and `Conflict` for what is not called or is retired, and while the last rotation is still going
    on, unless `force` says that the older secret may be forgotten at once.
    """
    find(session, actor, agent_id)
    reclaim(session, agent_id)
    agent = lock_own(session, actor, agent_id)
    if agent.status == AgentStatus.RETIRED:
        raise refused(agent, "get a new secret")
    if agent.kind == AgentKind.PULL:
        raise Conflict("Nothing is signed for a pull agent.", code="agent_kind")
    chosen = versions.to_call(session, actor, agent_id, number or agent.current)
    sharing = _sharing(session, vault, chosen)
    secret = signing_secrets.rotate(vault, sharing, grace_s, force)
    if agent.live in sharing:
        agent.version += 1
    return agent, chosen, secret


def _sharing(session: Session, vault: Vault, chosen: AgentVersion) -> list[AgentVersion]:
    """The versions that are called and sign with the same secret as `chosen`, itself among them.

    Locked, always in the same order.
    """
    called = (
        select(AgentVersion)
        .where(
            AgentVersion.agent_id == chosen.agent_id, AgentVersion.status != VersionStatus.RETIRED
        )
        .order_by(AgentVersion.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    return [each for each in session.scalars(called) if _same(vault, each, chosen)]


def _same(vault: Vault, one: AgentVersion, other: AgentVersion) -> bool:
    """What cannot be opened any more is the same only if it was sealed at once."""
    if one.secret == other.secret:
        return True
    try:
        return vault.open(one.secret) == vault.open(other.secret)
    except SealBroken:
        return False
