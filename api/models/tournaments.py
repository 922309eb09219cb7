"""Tournaments: what their organizers decided, and how far they are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, UniqueConstraint, false, text, true
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .accounts import Account
from .base import Base, Identified

_ZERO = text("0")


class TournamentStatus(StrEnum):
    """The life of a tournament; services/lifecycle.py has the table of moves."""

    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    NEEDS_ATTENTION = "needs_attention"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class NoShow(StrEnum):
    """Who plays for an entry that is not there: the tournament's house bot, or autoplay."""

    HOUSE_BOT = "house_bot"
    AUTOPLAY = "autoplay"


class Advance(StrEnum):
    """How the round after the first one comes: after the interval, or when the organizer asks."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"


class Overdue(StrEnum):
    """What becomes of matches that are not finished at their round's deadline.

    Autoplay ends them at once, or they are cancelled, or the organizer decides.
    """

    AUTOPLAY = "autoplay"
    CANCEL = "cancel"
    ATTENTION = "attention"


class Ending(StrEnum):
    """When a tournament ends after its last round.

    At once; when all can have been appealed against and no appeal is open; when its organizer says.
    """

    AT_ONCE = "at_once"
    AFTER_APPEALS = "after_appeals"
    MANUAL = "manual"


class Scoring(StrEnum):
    """What ranks first: points, points above the average of who held the same cards, above par."""

    POINTS = "points"
    BOARD_DIFFERENCE = "board_difference"
    ADJUSTED = "adjusted"


class Tournament(Identified, Base):
    """One event of an organizer. `rules` is frozen whole when it opens (rules.md 8)."""

    __tablename__ = "tournaments"
    __table_args__ = (UniqueConstraint("series_id", "series_start"),)

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
    deals: Mapped[int]  # per match; boards of a table in a round where they are played again
    capacity: Mapped[int]
    min_entries: Mapped[int] = mapped_column(  # to start by itself
        default=1, server_default=text("1")
    )
    waiting_list: Mapped[int] = mapped_column(default=0, server_default=_ZERO)  # how many may wait
    entries_per_owner: Mapped[int | None]
    check_in_s: Mapped[int | None]  # how long before the start; null: nobody checks in
    late_entry_round: Mapped[int] = mapped_column(default=0, server_default=_ZERO)  # 0: none
    house_bot: Mapped[str] = mapped_column(String(30))  # fills free seats
    no_show: Mapped[str] = mapped_column(  # who plays for entries that are not there
        String(20), default=NoShow.HOUSE_BOT, server_default=NoShow.HOUSE_BOT
    )
    forbidden_pairs: Mapped[list[Any]] = mapped_column(  # [agent id, agent id]
        default=list, server_default=text("'[]'")
    )
    badge_required: Mapped[bool] = mapped_column(  # agents that were checked alone
        default=False, server_default=false()
    )
    pseudonyms: Mapped[bool] = mapped_column(  # no names at the tables of a round that runs
        default=False, server_default=false()
    )
    budget_ms: Mapped[int]  # thinking time a decision
    bank_ms: Mapped[int]  # thinking time a match, beyond the budgets
    advance: Mapped[str] = mapped_column(  # how the next round comes
        String(20), default=Advance.AUTOMATIC, server_default=Advance.AUTOMATIC
    )
    round_interval_s: Mapped[int]  # pause between a round's end and the next round
    round_limit_s: Mapped[int | None]  # how long a round may take
    overdue: Mapped[str] = mapped_column(  # what becomes of matches that take longer
        String(20), default=Overdue.AUTOPLAY, server_default=Overdue.AUTOPLAY
    )
    scoring: Mapped[str] = mapped_column(  # what ranks first
        String(20), default=Scoring.POINTS, server_default=Scoring.POINTS
    )
    rated: Mapped[bool] = mapped_column(  # whether its deals count for ratings
        default=True, server_default=true()
    )
    par: Mapped[dict[str, Any] | None]  # {"bot": …, "playouts": …}: what hands are worth
    tie_breaks: Mapped[list[str]]
    spectator_delay_s: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    series_id: Mapped[str | None] = mapped_column(ForeignKey("series.id"))
    series_start: Mapped[datetime | None]  # which of its series
    appeal_window_s: Mapped[int] = mapped_column(default=0, server_default=_ZERO)  # 0: no appeals
    ending: Mapped[str] = mapped_column(  # when it ends after its last round
        String(20), default=Ending.AT_ONCE, server_default=Ending.AT_ONCE
    )
    last_round: Mapped[int | None]  # after which none is drawn: asked for, or the end is held
    finishes_at: Mapped[datetime | None]  # the end that is held, if its time is known
    starts_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    next_round_at: Mapped[datetime | None]
    stopped_at: Mapped[datetime | None]  # since when it does not run, while it may go on
    secret: Mapped[bytes] = mapped_column(LargeBinary)  # encrypted server secret
    commitment: Mapped[str] = mapped_column(String(64))
    entrants_hash: Mapped[str | None] = mapped_column(String(64))
    course: Mapped[dict[str, Any] | None] = mapped_column(
        deferred=True  # the schedule in progress, so that it is made once; megabytes of a big field
    )
    results_count: Mapped[int] = mapped_column(default=0)  # finished matches so far
    standings_count: Mapped[int] = mapped_column(default=0)  # … that the stored standings know
    intervals_due: Mapped[int] = mapped_column(  # how often there was cause to make intervals anew
        default=0, server_default=_ZERO
    )
    intervals_done: Mapped[int] = mapped_column(default=0, server_default=_ZERO)  # … that were met
    organizer: Mapped[Account] = relationship()
