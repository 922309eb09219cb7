"""Rounds, their tables and who sits where."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import Base, Identified
from .entries import Entry
from .tournaments import Tournament

_NOBODY = text("'[]'")


class RoundStatus(StrEnum):
    """A round runs until its last match has ended."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Round(Identified, Base):
    """One round; the pair (tournament, number) is what makes opening it happen once."""

    __tablename__ = "rounds"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    number: Mapped[int]
    status: Mapped[str] = mapped_column(String(20), default=RoundStatus.RUNNING)
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    deadline_at: Mapped[datetime | None]
    overran_at: Mapped[datetime | None]  # when what was not finished by then was dealt with
    byes: Mapped[list[str]] = mapped_column(default=list, server_default=_NOBODY)  # entry ids
    out: Mapped[list[str]] = mapped_column(default=list, server_default=_NOBODY)  # knocked out
    drawing: Mapped[int] = mapped_column(server_default=text("1"))  # version, of the engine's
    tournament: Mapped[Tournament] = relationship()
    tables: Mapped[list[Table]] = relationship(back_populates="round", order_by="Table.number")


class Table(Identified, Base):
    """One table of a round: five seats and one match."""

    __tablename__ = "tables"
    __table_args__ = (UniqueConstraint("round_id", "number"),)

    round_id: Mapped[str] = mapped_column(ForeignKey("rounds.id"))
    number: Mapped[int]
    replays: Mapped[int | None]  # the table of the round that is played again here
    round: Mapped[Round] = relationship(back_populates="tables")
    seats: Mapped[list[Seat]] = relationship(order_by="Seat.seat")


class Seat(Base):
    """Entry `entry_id` sits at `seat` (0 to 4, in playing order) of a table.

    `agent_version_id`: the version of its agent that plays there, the live one when the round was
    opened.
    """

    __tablename__ = "seats"
    __table_args__ = (CheckConstraint("seat BETWEEN 0 AND 4", name="seat_range"),)

    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"), index=True)
    agent_version_id: Mapped[str | None] = mapped_column(ForeignKey("agent_versions.id"))
    entry: Mapped[Entry] = relationship()
