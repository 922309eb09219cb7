"""Rulings of organizers and arbiters: laid over what was played, which itself never changes."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified


class RulingKind(StrEnum):
    """What is ruled; `undo` takes another ruling back."""

    ANNUL = "annul"
    REPLAY = "replay"
    ADJUST = "adjust"
    PENALIZE = "penalize"
    WARN = "warn"
    DISQUALIFY = "disqualify"
    SEAT = "seat"
    UNDO = "undo"


class Ruling(Identified, Base):
    """One ruling, numbered in its tournament. It is never changed: another one undoes it.

    `after_round`: the last round that was drawn when it was made. Of the other columns each kind
    has its own; `details` holds the seating of `seat` and what `disqualify` found.
    """

    __tablename__ = "rulings"
    __table_args__ = (UniqueConstraint("tournament_id", "number"), UniqueConstraint("undoes_id"))

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    number: Mapped[int]
    author_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    kind: Mapped[str] = mapped_column(String(12))
    reason: Mapped[str] = mapped_column(String(500))
    after_round: Mapped[int]
    match_id: Mapped[str | None] = mapped_column(ForeignKey("matches.id"))
    replay_id: Mapped[str | None] = mapped_column(ForeignKey("matches.id"))  # played instead
    entry_id: Mapped[str | None] = mapped_column(ForeignKey("entries.id"))
    round: Mapped[int | None]
    points: Mapped[int | None]
    undoes_id: Mapped[str | None] = mapped_column(ForeignKey("rulings.id"))
    details: Mapped[dict[str, Any]] = mapped_column(default=dict)
