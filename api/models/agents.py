"""Agents: bots of strangers, and people at a seat. (House bots are names, not rows.)"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, LargeBinary, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .accounts import Account
from .base import Base, Identified


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


class Agent(Identified, Base):
    """A registered bot with an owner. Its signing secrets are stored encrypted (api/vault.py)."""

    __tablename__ = "agents"
    __table_args__ = (UniqueConstraint("owner_id", "name"),)

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
    owner: Mapped[Account] = relationship()
