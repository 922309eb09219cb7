"""Agents: bots of strangers, and people at a seat. (House bots are names, not rows.)"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .accounts import Account
from .base import Base, Identified, new_id, utc_now


class AgentKind(StrEnum):
    """`http` is called at its URL; `pull` has none and asks for its decisions itself."""

    HTTP = "http"
    PULL = "pull"


class AgentStatus(StrEnum):
    """`unverified` until it echoed a challenge; only `active` agents may enter."""

    UNVERIFIED = "unverified"
    ACTIVE = "active"
    PAUSED = "paused"
    RETIRED = "retired"


class PausedBy(StrEnum):
    """Who paused an agent; the server resumes only what it has paused itself."""

    OWNER = "owner"
    HEALTH = "health"


class Agent(Identified, Base):
    """A registered bot with an owner: what stays the same from version to version.

    `current` is the number of the version that plays where no round has pinned another.
    `strikes`: spaced failures in a row; `passes`: spaced successes in a row since it was paused for
    them; `desertions`: matches in a row that it left (services/agent_health.py).
    """

    __tablename__ = "agents"
    __table_args__ = (
        UniqueConstraint("owner_id", "name"),
        Index("ix_agents_probe_at", "probe_at"),
    )

    owner_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(60))
    kind: Mapped[str] = mapped_column(String(10), default=AgentKind.HTTP, server_default="http")
    current: Mapped[int] = mapped_column(default=1, server_default=text("1"))
    status: Mapped[str] = mapped_column(String(20), default=AgentStatus.UNVERIFIED)
    verified_at: Mapped[datetime | None]
    sparring: Mapped[bool] = mapped_column(default=False, server_default=false())  # with anybody
    last_fault: Mapped[str | None] = mapped_column(String(20))
    paused_by: Mapped[str | None] = mapped_column(String(10))  # while paused
    strikes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    passes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    desertions: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    probe_at: Mapped[float | None] = mapped_column(Float(53))  # seconds, the database's clock
    owner: Mapped[Account] = relationship()
    versions: Mapped[list[AgentVersion]] = relationship(order_by="AgentVersion.number")
    live: Mapped[AgentVersion] = relationship(
        primaryjoin="and_(Agent.id == foreign(AgentVersion.agent_id), "
        "Agent.current == foreign(AgentVersion.number))",
        uselist=False,
        viewonly=True,
    )

    def __init__(self, *, url: str | None = None, secret: bytes, **columns: Any) -> None:
        """With its first version, at `url` (None: it is not called)."""
        super().__init__(**columns)
        self.versions.append(AgentVersion(number=1, url=url, secret=secret))

    @property
    def url(self) -> str | None:
        """Where it is called now."""
        return self.live.url

    @property
    def badge_until(self) -> datetime | None:
        return self.live.badge_until

    @property
    def previous_secret_until(self) -> datetime | None:
        return self.live.previous_secret_until


class VersionStatus(StrEnum):
    """`unverified` until its URL echoed a challenge; a `retired` one is never called again."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    RETIRED = "retired"


class AgentVersion(Identified, Base):
    """One state of an agent: where it is called, and what signs the calls, stored encrypted.

    A `shadow` is asked what the one that plays is asked, and its answers count nowhere:
    `shadow_asked` times so far, and `shadow_skipped` times not, because it or we were busy.
    `check_at`: when it is to be checked whether it keeps the protocol, by the database's clock;
    what was found, and until when that is good, stays until the next check (services/badges.py).
    """

    __tablename__ = "agent_versions"
    __table_args__ = (
        UniqueConstraint("agent_id", "number"),
        Index("ix_agent_versions_check_at", "check_at"),
    )

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    number: Mapped[int]
    label: Mapped[str | None] = mapped_column(String(60))  # the author's own name for it
    url: Mapped[str | None] = mapped_column(String(2048))
    status: Mapped[str] = mapped_column(String(20), default=VersionStatus.UNVERIFIED)
    shadow: Mapped[bool] = mapped_column(default=False, server_default=false())
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    previous_secret_until: Mapped[datetime | None]
    verified_at: Mapped[datetime | None]
    shadow_asked: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    shadow_skipped: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    check_at: Mapped[float | None] = mapped_column(Float(53))
    checked_at: Mapped[datetime | None]
    findings: Mapped[list[Any] | None]  # [name, verdict, detail] each
    badge_until: Mapped[datetime | None]


class ShadowCall(Base):
    """One question that a shadow was asked, and what the version that plays made of it.

    `played` is null if that one gave no answer, `answer` if the shadow did not: then with `fault`.
    """

    __tablename__ = "shadow_calls"
    __table_args__ = (
        Index("ix_shadow_calls_agent_version_id_asked_at", "agent_version_id", "asked_at"),
    )

    agent_version_id: Mapped[str] = mapped_column(ForeignKey("agent_versions.id"), primary_key=True)
    request: Mapped[str] = mapped_column(String(26), primary_key=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"))
    seat: Mapped[int]
    phase: Mapped[str] = mapped_column(String(10))
    asked_at: Mapped[datetime]
    budget_ms: Mapped[int]
    played: Mapped[str | None] = mapped_column(String(40))
    played_ms: Mapped[int]
    answer: Mapped[str | None] = mapped_column(String(40))
    ms: Mapped[int]
    fault: Mapped[str | None] = mapped_column(String(20))
    detail: Mapped[str | None] = mapped_column(String(300))


class NoticeKind(StrEnum):
    """What an agent's owner is told, once for each change."""

    PAUSED = "paused"
    RESUMED = "resumed"
    DESERTED = "deserted"


class AgentNotice(Base):
    """Something that the server did about an agent, for its owner to read."""

    __tablename__ = "agent_notices"
    __table_args__ = (Index("ix_agent_notices_agent_id_id", "agent_id", "id"),)

    id: Mapped[str] = mapped_column(String(26), primary_key=True, default=new_id)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    match_id: Mapped[str | None] = mapped_column(ForeignKey("matches.id"))
    kind: Mapped[str] = mapped_column(String(20))
    detail: Mapped[str] = mapped_column(String(300))
    at: Mapped[datetime] = mapped_column(default=utc_now)
