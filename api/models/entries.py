"""Entries: who takes part in a tournament, and what became of them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .agents import Agent
from .base import Base, Identified
from .tournaments import Tournament

_NONE = text("'[]'")


class EntryStatus(StrEnum):
    """`entered` has a place, `waiting` waits for one, a `spare` house bot for a free seat.

    `dropped` never had a place at the start, or lost it then; the last two had one later on.
    """

    WAITING = "waiting"
    ENTERED = "entered"
    SPARE = "spare"
    DROPPED = "dropped"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


class Entry(Identified, Base):
    """One participant: an agent, or a house bot that fills a free seat.

    It is seated in rounds `joined`, `joined` + 1, … up to before `left`, but not in those that are
    in `absent`. `joined` is null for who has not taken part so far.
    """

    __tablename__ = "entries"
    __table_args__ = (
        UniqueConstraint("tournament_id", "agent_id"),
        UniqueConstraint("tournament_id", "name"),
        Index("ix_entries_tournament_id_id", "tournament_id", "id"),
    )

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"), index=True)
    house_bot: Mapped[str | None] = mapped_column(String(30))
    name: Mapped[str] = mapped_column(String(80))  # as seats and standings show it
    fills: Mapped[bool] = mapped_column(default=False, server_default=false())  # a free seat
    seed: Mapped[int | None]  # strength known before, 1 is the strongest
    lot: Mapped[int | None]  # the smaller one is first; drawn with the first round
    status: Mapped[str] = mapped_column(String(20), default=EntryStatus.ENTERED)
    reason: Mapped[str | None] = mapped_column(String(300))  # why it has no place any more
    checked_in_at: Mapped[datetime | None]
    joined: Mapped[int | None]
    left: Mapped[int | None]
    absent: Mapped[list[int]] = mapped_column(default=list, server_default=_NONE)
    withdrawn_at: Mapped[datetime | None]
    substitutions: Mapped[list[Any]] = mapped_column(default=list, server_default=_NONE)
    agent: Mapped[Agent | None] = relationship()
    tournament: Mapped[Tournament] = relationship()
