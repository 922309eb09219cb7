"""Practice matches: those that belong to no tournament, with their own rules, key and seats."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import Base


class Practice(Base):
    """What a tournament would say of a match, said for one alone."""

    __tablename__ = "practices"

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    owner_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    rules: Mapped[dict[str, Any]]  # {"preset": …, "options": {…}}
    key: Mapped[bytes] = mapped_column(LargeBinary)  # encrypted; shown with the record at the end
    budget_ms: Mapped[int]
    bank_ms: Mapped[int]
    seats: Mapped[list[PracticeSeat]] = relationship(order_by="PracticeSeat.seat")


class PracticeSeat(Base):
    """Who sits there: an agent or a house bot."""

    __tablename__ = "practice_seats"
    __table_args__ = (
        CheckConstraint("seat BETWEEN 0 AND 4", name="seat_range"),
        CheckConstraint("(agent_id IS NULL) <> (house_bot IS NULL)", name="one_player"),
    )

    match_id: Mapped[str] = mapped_column(ForeignKey("practices.match_id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"), index=True)
    agent_version_id: Mapped[str | None] = mapped_column(ForeignKey("agent_versions.id"))
    house_bot: Mapped[str | None] = mapped_column(String(30))
    name: Mapped[str] = mapped_column(String(80))
