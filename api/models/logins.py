"""Logins at the pages: a browser shows a cookie instead of a token."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified, utc_now


class Login(Identified, Base):
    """One browser of an account, from log-in to log-out. Only the cookie's SHA-256 is kept.

    `issuer` and `subject` are the identity that was shown at log-in (services/identities.py).
    """

    __tablename__ = "logins"
    __table_args__ = (Index("ix_logins_expires_at", "expires_at"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    issuer: Mapped[str] = mapped_column(String(255))
    subject: Mapped[str] = mapped_column(String(255))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime] = mapped_column(default=utc_now)
