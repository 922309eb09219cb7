"""Rows whose only purpose is that something happens once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, utc_now


class IdempotencyKey(Base):
    """A client's `Idempotency-Key`, inserted first in the transaction that does the work."""

    __tablename__ = "idempotency_keys"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    headers: Mapped[dict[str, object] | None]
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=utc_now, index=True)


class Firing(Base):
    """A timer's firing; the unique pair makes several schedulers act once (design.md section 3)."""

    __tablename__ = "firings"

    job: Mapped[str] = mapped_column(String(80), primary_key=True)
    due: Mapped[datetime] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=utc_now)
