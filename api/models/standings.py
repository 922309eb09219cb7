"""Stored standings: as they are, as they were published, and how sure they are.

All of it can be made again from the results, but for what was published before a later ruling.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Float, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base


class Standing(Base):
    """One row of the current standings of a tournament; `position` is total, `rank` is shared."""

    __tablename__ = "standings"

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"), index=True)
    rank: Mapped[int]
    row: Mapped[dict[str, Any]]
    shown: Mapped[str | None] = mapped_column(Text)  # the line as JSON (standing_texts.py)


class FrozenStanding(Base):
    """One row of the standings as they were when round `round` closed; it never changes."""

    __tablename__ = "frozen_standings"

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"))
    rank: Mapped[int]
    row: Mapped[dict[str, Any]]


class Interval(Base):
    """How sure an entry's place is, by the deals of the rounds up to `as_of` (intervals.py)."""

    __tablename__ = "intervals"

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"), primary_key=True)
    as_of: Mapped[int]
    deals: Mapped[int]
    mean: Mapped[float] = mapped_column(Float(53))
    low: Mapped[float] = mapped_column(Float(53))
    high: Mapped[float] = mapped_column(Float(53))
    first: Mapped[float | None] = mapped_column(Float(53))  # these are null without a rank
    rank_low: Mapped[int | None]
    rank_high: Mapped[int | None]
