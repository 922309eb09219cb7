"""Versions of an agent: an author changes his bot without anybody at a table noticing.

A version has a URL and a secret of its own and must echo a challenge. The newest one that did is
the live one (`Agent.current`); a round that is open goes on with the one that it was opened with
(seat_plans.py). A shadow never becomes the live one by itself.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..errors import Conflict, NotFound
from ..models import Agent, AgentKind, AgentStatus, AgentVersion, VersionStatus, utc_now
from ..remote.signing import new_secret
from ..vault import Vault
from .paging import Page, page_of
from .principal import Principal
from .reclaim import reclaim
from .rows import get_row, lock_row

MOST = 20  # versions of an agent that are not retired


def create(
    session: Session,
    vault: Vault,
    actor: Principal,
    agent_id: str,
    url: str,
    label: str | None = None,
    shadow: bool = False,
) -> tuple[AgentVersion, str]:
    """A new version, unverified, and its signing secret, which nobody can show again.

    The URL must have been admitted (agent_calls.py). Raises `Conflict`.
    """
    _lock_own(session, actor, agent_id)
    require_room(session, agent_id)
    secret = new_secret()
    version = AgentVersion(
        agent_id=agent_id,
        number=newest(session, agent_id) + 1,
        label=label,
        url=url,
        shadow=shadow,
        secret=vault.seal(secret.encode()),
    )
    session.add(version)
    session.flush()
    return version, secret


def search(
    session: Session, actor: Principal, agent_id: str, after: tuple[object, ...] | None, limit: int
) -> Page[AgentVersion]:
    """The versions of an agent of the caller's, the newest first."""
    _own(session, actor, agent_id)
    query = select(AgentVersion).where(AgentVersion.agent_id == agent_id)
    return page_of(session, query, [AgentVersion.number], after, limit, descending=True)


def find(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """One version of an agent of the caller's."""
    _own(session, actor, agent_id)
    return _numbered(session, agent_id, number)


def to_call(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """A version that may be called. Raises `Conflict` for a retired one."""
    version = find(session, actor, agent_id, number)
    agent = get_row(session, Agent, agent_id)
    if AgentStatus.RETIRED in (version.status, agent.status):
        raise Conflict("It is retired and is not called any more.", code="version_state")
    return version


def record_hello(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """A version echoed its challenge: unless it is a shadow, rounds to come play with it."""
    agent = _lock_own(session, actor, agent_id)
    version = _numbered(session, agent_id, number)
    if version.status == VersionStatus.RETIRED:
        raise Conflict("It was retired meanwhile.", code="version_state")
    verified(version)
    if number == agent.current and agent.status == AgentStatus.UNVERIFIED:
        agent.verified_at, agent.status = version.verified_at, AgentStatus.ACTIVE
        agent.version += 1
    elif not version.shadow and number > agent.current:
        _go_live(session, agent, version)
    return version


def promote(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """Make a shadow an ordinary version; the live one, if none that is newer plays.

    Raises `Conflict` if it is not verified. What is no shadow stays as it is.
    """
    agent = _lock_own(session, actor, agent_id)
    version = _numbered(session, agent_id, number)
    if version.status != VersionStatus.VERIFIED:
        raise Conflict(f"The version is {version.status}.", code="version_state")
    if version.shadow:
        version.shadow = False
        version.version += 1
        if number > agent.current:
            _go_live(session, agent, version)
    return version


def retire(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """Never call a version again. The live one gives way to the newest verified one before it.

    In running matches too. Raises `Conflict` if there is none: then the agent is to be retired, or
    moved.
    """
    _own(session, actor, agent_id)
    if _is_called(session, agent_id, number):
        reclaim(session, agent_id, for_good=True)
    agent = _lock_own(session, actor, agent_id)
    version = _numbered(session, agent_id, number)
    if version.status == VersionStatus.RETIRED:
        return version
    if number == agent.current:
        _go_live(session, agent, _before(session, agent, number))
    version.status = VersionStatus.RETIRED
    version.version += 1
    return version


def move(session: Session, before: AgentVersion, number: int, url: str | None) -> None:
    """A version at another URL, with the secrets of the one `before`."""
    session.add(
        AgentVersion(
            agent_id=before.agent_id,
            number=number,
            url=url,
            secret=before.secret,
            previous_secret=before.previous_secret,
            previous_secret_until=before.previous_secret_until,
        )
    )
    session.flush()


def verified(version: AgentVersion) -> None:
    """It echoed its challenge."""
    version.status, version.verified_at = VersionStatus.VERIFIED, utc_now()
    version.version += 1


def require_room(session: Session, agent_id: str) -> None:
    """Raises `Conflict` if an agent, which is locked, may have no further version."""
    kept: Any = select(func.count()).where(
        AgentVersion.agent_id == agent_id, AgentVersion.status != VersionStatus.RETIRED
    )
    if (session.scalar(kept) or 0) >= MOST:
        detail = f"The agent has {MOST} versions that are not retired."
        raise Conflict(detail, code="version_limit")


def newest(session: Session, agent_id: str) -> int:
    """The highest number given so far."""
    highest = select(func.max(AgentVersion.number)).where(AgentVersion.agent_id == agent_id)
    return session.scalar(highest) or 0


def _go_live(session: Session, agent: Agent, version: AgentVersion) -> None:
    agent.current, agent.verified_at = version.number, version.verified_at
    agent.strikes = agent.passes = 0
    agent.version += 1
    session.flush()
    session.expire(agent, ["live"])


def _before(session: Session, agent: Agent, number: int) -> AgentVersion:
    """What plays once version `number` does not."""
    query = select(AgentVersion).where(
        AgentVersion.agent_id == agent.id,
        AgentVersion.number != number,
        AgentVersion.status == VersionStatus.VERIFIED,
        ~AgentVersion.shadow,
    )
    found = session.scalars(query.order_by(AgentVersion.number.desc()).limit(1)).first()
    if found is None:
        raise Conflict("No other version could play for it.", code="last_version")
    return found


def _numbered(session: Session, agent_id: str, number: int) -> AgentVersion:
    query = select(AgentVersion).where(
        AgentVersion.agent_id == agent_id, AgentVersion.number == number
    )
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFound(f"The agent has no version {number}.")
    return found


def _is_called(session: Session, agent_id: str, number: int) -> bool:
    """Whether there is such a version that is not retired; reads no row that is locked later."""
    found = select(AgentVersion.id).where(
        AgentVersion.agent_id == agent_id,
        AgentVersion.number == number,
        AgentVersion.status != VersionStatus.RETIRED,
    )
    return session.scalar(found) is not None


def _own(session: Session, actor: Principal, agent_id: str) -> Agent:
    agent = get_row(session, Agent, agent_id)
    actor.require_owner(agent.owner_id, "agent")
    return agent


def _lock_own(session: Session, actor: Principal, agent_id: str) -> Agent:
    """Raises `Conflict` for what has no versions: a retired agent, one that is not called."""
    _own(session, actor, agent_id)
    agent = lock_row(session, Agent, agent_id)
    if agent.status == AgentStatus.RETIRED:
        raise Conflict("The agent is retired.", code="agent_state")
    if agent.kind == AgentKind.PULL:
        raise Conflict("A pull agent is whoever asks; it has one version.", code="agent_kind")
    return agent
