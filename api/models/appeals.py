"""Appeals: what owners of agents hold against a match or a ruling, and what was decided."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified


class AppealStatus(StrEnum):
    """An appeal is open until an arbiter decides or its author takes it back."""

    OPEN = "open"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Appeal(Identified, Base):
    """One appeal for an entry, numbered in its tournament: about a match or about a ruling.

    `remedy_id`: the ruling that came of it.
    """

    __tablename__ = "appeals"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    number: Mapped[int]
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"))
    author_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    match_id: Mapped[str | None] = mapped_column(ForeignKey("matches.id"))
    ruling_id: Mapped[str | None] = mapped_column(ForeignKey("rulings.id"))
    statement: Mapped[str] = mapped_column(String(1000))
    status: Mapped[str] = mapped_column(String(12), default=AppealStatus.OPEN)
    decided_at: Mapped[datetime | None]
    decided_by_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    decision: Mapped[str | None] = mapped_column(String(500))  # the arbiter's reason
    remedy_id: Mapped[str | None] = mapped_column(ForeignKey("rulings.id"))
