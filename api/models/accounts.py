"""Accounts (who acts) and their tokens (how they prove it)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import Base, Identified


class Role(StrEnum):
    """What an account may do at most; a token's scopes narrow it further."""

    AUTHOR = "author"
    ORGANIZER = "organizer"
    ARBITER = "arbiter"
    ADMIN = "admin"


class Account(Identified, Base):
    """One person or organisation."""

    __tablename__ = "accounts"

    name: Mapped[str] = mapped_column(String(100), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    tokens: Mapped[list[Token]] = relationship(back_populates="account")


class Token(Identified, Base):
    """A bearer token. Only its SHA-256 is kept; the text is shown once, at creation.

    `ends_by`: what replaces it ends no later than this either; None: it may be replaced by one that
    lives as long again.
    """

    __tablename__ = "tokens"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    hint: Mapped[str] = mapped_column(String(12))  # the first characters, for lists
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]]
    expires_at: Mapped[datetime]
    ends_by: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship(back_populates="tokens")
