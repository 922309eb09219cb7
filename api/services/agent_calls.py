"""What has to be asked of the network about an agent. No transaction may be open meanwhile."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from ..db import db_now
from ..errands import Errands
from ..errors import Conflict, Invalid
from ..models import Agent, AgentStatus, AgentVersion, utc_now
from ..remote.agent import HttpAgent
from ..remote.client import Client
from ..remote.faults import Fault
from ..remote.urls import Blocked
from ..vault import Vault
from . import versions
from .agents import find, lock_own
from .principal import Principal
from .signing_secrets import SecretUnreadable, signing_secrets

_log = logging.getLogger(__name__)

FIRST_PROBE_S = 600.0  # after it was verified


@dataclass(frozen=True)
class Contact:
    """Where and as whom a version of an agent is called."""

    agent_id: str
    number: int
    url: str
    secrets: tuple[str, ...] = field(repr=False)


def admit(errands: Errands, url: str) -> None:
    """Refuse a URL that may not be called; the code of the `Invalid` names the rule it breaks."""
    try:
        errands.admit(url)
    except Blocked as blocked:
        raise Invalid([("/url", f"url_{blocked.rule}", f"{blocked.detail}.")]) from None


def contact(session: Session, vault: Vault, actor: Principal, agent_id: str) -> Contact:
    """How to call an agent of the caller's. Raises `Conflict` for a retired or a pull agent."""
    agent = find(session, actor, agent_id)
    if agent.status == AgentStatus.RETIRED:
        raise Conflict("The agent is retired and is not called any more.", code="agent_state")
    return contact_of(vault, agent.live)


def contact_of(vault: Vault, version: AgentVersion) -> Contact:
    """How to call a version. Raises `Conflict` for one of a pull agent, and `SecretUnreadable`."""
    if version.url is None:
        raise Conflict("A pull agent is not called; it asks by itself.", code="agent_kind")
    secrets_ = signing_secrets(vault, version)
    return Contact(version.agent_id, version.number, version.url, secrets_)


def readable(vault: Vault, versions: Iterable[AgentVersion]) -> Iterator[Contact]:
    """How to call each of several; one whose secret cannot be opened is left out, and logged."""
    for version in versions:
        try:
            yield contact_of(vault, version)
        except SecretUnreadable:
            _log.error(
                "agent %s, version %s: its signing secret cannot be opened",
                version.agent_id,
                version.number,
            )


def hello(errands: Errands, contact: Contact) -> Fault | None:
    """Send the challenge; None if it came back as contract.md 4 says."""

    def greet(client: Client) -> Coroutine[Any, Any, Fault | None]:
        agent = HttpAgent(contact.url, contact.secrets, client, contact.agent_id)
        return agent.hello(secrets.token_urlsafe(24))

    return errands.call(greet)


def record_hello(
    session: Session, actor: Principal, contact: Contact, fault: Fault | None
) -> Agent:
    """Write down how the call went; an unverified agent that answered rightly becomes active.

    Raises `Conflict` if the agent was moved to another URL meanwhile.
    """
    agent = lock_own(session, actor, contact.agent_id)
    if agent.current != contact.number:
        raise Conflict("The agent got another URL meanwhile; verify it again.", code="url_changed")
    agent.last_fault = None if fault is None else fault.kind
    if fault is None:
        agent.verified_at = utc_now()
        versions.verified(agent.live)
        agent.probe_at = db_now(session) + FIRST_PROBE_S
        if agent.status == AgentStatus.UNVERIFIED:
            agent.status = AgentStatus.ACTIVE
    agent.version += 1
    return agent


def refuse_fault(fault: Fault | None) -> None:
    """Say `Invalid` (`verification_failed`) about a fault, once it is written down."""
    if fault is not None:
        raise Invalid([("/url", fault.kind, fault.detail)], code="verification_failed")
