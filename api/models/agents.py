"""Agents: bots of strangers, and people at a seat. (House bots are names, not rows.)"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

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
    """A registered bot with an owner. Its signing secrets are stored encrypted (api/vault.py).

    `strikes`: spaced failures in a row; `passes`: spaced successes in a row since it was paused for
    them (services/agent_health.py).
    """

    __tablename__ = "agents"
    __table_args__ = (
        UniqueConstraint("owner_id", "name"),
        Index("ix_agents_probe_at", "probe_at"),
    )

    owner_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(60))
    kind: Mapped[str] = mapped_column(String(10), default=AgentKind.HTTP, server_default="http")
    url: Mapped[str | None] = mapped_column(String(2048))
    status: Mapped[str] = mapped_column(String(20), default=AgentStatus.UNVERIFIED)
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    previous_secret_until: Mapped[datetime | None]
    verified_at: Mapped[datetime | None]
    sparring: Mapped[bool] = mapped_column(default=False, server_default=false())  # with anybody
    last_fault: Mapped[str | None] = mapped_column(String(20))
    paused_by: Mapped[str | None] = mapped_column(String(10))  # while paused
    strikes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    passes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    probe_at: Mapped[float | None] = mapped_column(Float(53))  # seconds, the database's clock
    owner: Mapped[Account] = relationship()


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
