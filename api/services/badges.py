"""Badges: a version of an agent was checked by a worker, and keeps the protocol.

Whoever asks waits for nothing: a worker that has time claims the check, and writes down what it
found. A tournament may let in agents with a badge alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ..db import db_now
from ..models import Agent, AgentVersion, Tournament, VersionStatus, utc_now
from ..remote.conformance import Finding
from ..vault import Vault
from . import versions
from .agent_calls import Contact, readable
from .clock import now_seconds
from .principal import Principal
from .rows import lock_row

GOOD_FOR = timedelta(days=90)
AGAIN_S = 600.0  # after a worker took a check and was not heard of again
AT_ONCE = 2
FINDING_CHARS = 300


@dataclass(frozen=True)
class Fetching:
    """A version to check that is not called: it fetches its questions."""

    agent_id: str
    number: int


def good(version: AgentVersion) -> bool:
    """Whether it has a badge now."""
    return version.badge_until is not None and version.badge_until > utc_now()


def lacking(tournament: Tournament, agent: Agent) -> bool:
    """Whether a tournament requires a badge that the agent's live version does not have."""
    return tournament.badge_required and not good(agent.live)


def no_badge(agent: Agent) -> str:
    """What its owner is told then."""
    return f"Version {agent.current} of the agent has no badge; have it checked."


def ask(session: Session, actor: Principal, agent_id: str, number: int) -> AgentVersion:
    """Have a version checked. Raises `Conflict` for a retired one."""
    found = versions.to_call(session, actor, agent_id, number)
    version = lock_row(session, AgentVersion, found.id)
    if version.check_at is None:
        version.check_at = db_now(session)
    return version


def shown(version: AgentVersion) -> dict[str, Any]:
    """What is known of a version's last check."""
    findings = version.findings or []
    checked = version.checked_at is not None
    return {
        "number": version.number,
        "waiting": version.check_at is not None,
        "checked_at": version.checked_at,
        "passed": all(verdict != "failed" for _, verdict, _ in findings) if checked else None,
        "badge_until": version.badge_until,
        "findings": [
            {"name": name, "verdict": verdict, "detail": detail}
            for name, verdict, detail in findings
        ],
    }


def claim_due(session: Session, vault: Vault) -> list[Contact | Fetching]:
    """Checks that were asked for; nobody else takes them for a while."""
    now = now_seconds()
    due = (
        select(AgentVersion.id)
        .where(AgentVersion.check_at <= now)
        .order_by(AgentVersion.check_at, AgentVersion.id)
        .limit(AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    rows = session.scalars(
        update(AgentVersion)
        .where(AgentVersion.id.in_(list(session.scalars(due))))
        .values(check_at=now + AGAIN_S)
        .returning(AgentVersion)
        .execution_options(synchronize_session=False)
    )
    taken = list(rows)
    fetching = [Fetching(row.agent_id, row.number) for row in taken if row.url is None]
    return [*readable(vault, [row for row in taken if row.url is not None]), *fetching]


def record(session: Session, contact: Contact | Fetching, findings: Sequence[Finding]) -> None:
    """Write down what was found. One failure takes away the badge that there was."""
    query = select(AgentVersion.id).where(
        AgentVersion.agent_id == contact.agent_id, AgentVersion.number == contact.number
    )
    version = lock_row(session, AgentVersion, session.scalars(query).one())
    now = utc_now()
    version.check_at, version.checked_at = None, now
    version.findings = [[f.name, f.verdict, f.detail[:FINDING_CHARS]] for f in findings]
    passed = bool(findings) and all(f.verdict != "failed" for f in findings)
    called = version.status != VersionStatus.RETIRED
    version.badge_until = now + GOOD_FOR if passed and called else None
    version.version += 1
