"""Outgoing webhooks: where organizers want to hear of events, and what was sent there."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Float, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified


class WebhookStatus(StrEnum):
    """Only `active` ones are called; `paused` by its owner or, with a reason, by the server."""

    ACTIVE = "active"
    PAUSED = "paused"


class DeliveryStatus(StrEnum):
    """`failed` means that a day of attempts was in vain; only a redelivery by hand goes on."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Webhook(Identified, Base):
    """One receiver. Its lease decides which process sends; times are the database's clock's."""

    __tablename__ = "webhooks"
    __table_args__ = (Index("ix_webhooks_status_next_at", "status", "next_at"),)

    owner_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    tournament_id: Mapped[str | None] = mapped_column(ForeignKey("tournaments.id"))  # None: all
    name: Mapped[str] = mapped_column(String(60))
    url: Mapped[str] = mapped_column(String(2048))
    kinds: Mapped[list[str]]  # empty: all that webhooks may have
    status: Mapped[str] = mapped_column(String(10), default=WebhookStatus.ACTIVE)
    status_reason: Mapped[str | None] = mapped_column(String(300))
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    previous_secret_until: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(default=0)  # calls in a row that failed
    failing_since: Mapped[datetime | None]
    next_at: Mapped[float] = mapped_column(Float(53), default=0.0)  # not called before
    epoch: Mapped[int] = mapped_column(default=0)  # fencing number: one higher at each claim
    lease_until: Mapped[float | None] = mapped_column(Float(53))


class WebhookPosition(Base):
    """Up to which event of a tournament deliveries were made; without a row: none of them."""

    __tablename__ = "webhook_positions"

    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id"), primary_key=True)
    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger)


class Delivery(Identified, Base):
    """One event on its way to one receiver, and how the last attempt went."""

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("webhook_id", "tournament_id", "seq"),
        Index("ix_deliveries_webhook_id_status_next_at", "webhook_id", "status", "next_at"),
        Index("ix_deliveries_webhook_id_id", "webhook_id", "id"),
    )

    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id"))
    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    seq: Mapped[int] = mapped_column(BigInteger)  # the event's, as organizers number them
    kind: Mapped[str] = mapped_column(String(40))
    status: Mapped[str] = mapped_column(String(10), default=DeliveryStatus.PENDING)
    attempts: Mapped[int] = mapped_column(default=0)
    since: Mapped[datetime]  # when the day of attempts began
    next_at: Mapped[float] = mapped_column(Float(53), default=0.0)
    last_at: Mapped[datetime | None]
    last_ms: Mapped[int | None]
    fault: Mapped[str | None] = mapped_column(String(20))
    detail: Mapped[str | None] = mapped_column(String(300))
