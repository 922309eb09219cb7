"""Tournaments and who takes part in them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .accounts import Account
from .agents import Agent
from .base import Base, Identified


class TournamentStatus(StrEnum):
    """The life of a tournament; services/lifecycle.py has the table of moves."""

    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    NEEDS_ATTENTION = "needs_attention"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class EntryStatus(StrEnum):
    """Whether an entry is still seated."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"


class Tournament(Identified, Base):
    """One event of an organizer. `rules` is frozen whole when it opens (rules.md 8)."""

    __tablename__ = "tournaments"

    organizer_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(120))
    status: Mapped[str] = mapped_column(String(20), default=TournamentStatus.DRAFT, index=True)
    status_reason: Mapped[str | None] = mapped_column(String(500))
    rules: Mapped[dict[str, Any]]  # {"preset": …, "options": {…}}
    format: Mapped[str] = mapped_column(String(30))
    format_options: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default=text("'{}'")
    )
    rounds: Mapped[int]
    deals: Mapped[int]  # per match
    capacity: Mapped[int]
    house_bot: Mapped[str] = mapped_column(String(30))  # fills free seats
    budget_ms: Mapped[int]  # thinking time a decision
    bank_ms: Mapped[int]  # thinking time a match, beyond the budgets
    round_interval_s: Mapped[int]  # pause between a round's end and the next round
    tie_breaks: Mapped[list[str]]
    spectator_delay_s: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    starts_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    next_round_at: Mapped[datetime | None]
    secret: Mapped[bytes] = mapped_column(LargeBinary)  # encrypted server secret
    commitment: Mapped[str] = mapped_column(String(64))
    entrants_hash: Mapped[str | None] = mapped_column(String(64))
    course: Mapped[dict[str, Any] | None]  # the schedule in progress, so that it is made once
    results_count: Mapped[int] = mapped_column(default=0)  # finished matches so far
    standings_count: Mapped[int] = mapped_column(default=0)  # … that the stored standings know
    organizer: Mapped[Account] = relationship()


class Entry(Identified, Base):
    """One participant: an agent, or a house bot that fills a free seat."""

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
    lot: Mapped[int | None]  # the smaller one is first; drawn with the first round
    status: Mapped[str] = mapped_column(String(20), default=EntryStatus.ENTERED)
    withdrawn_at: Mapped[datetime | None]
    agent: Mapped[Agent | None] = relationship()
    tournament: Mapped[Tournament] = relationship()
