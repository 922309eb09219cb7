"""Matches: the truth about who plays what, decision by decision, and what came out.

A queue job is only a nudge. `status`, `epoch` and `lease_until` decide who may play a match;
the decision log lets another worker go on where a dead one stopped (design.md section 6).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Float, ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import Base, Identified, new_id, utc_now
from .entries import Entry
from .rounds import Round, Table
from .tournaments import Tournament


class MatchStatus(StrEnum):
    """`failed` means five attempts broke: it is shown, not retried for ever."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (MatchStatus.QUEUED, MatchStatus.RUNNING, MatchStatus.FAILED)
"""Named one by one, so that an index finds them among any number that have ended."""


class Match(Identified, Base):
    """A table's deals in one round, or one of several matches that the table plays there.

    Its key comes from the tournament's secret and `board`. Where a table plays a board again with
    the seats moved round, `sitting` says how (services/sittings.py); 0 is as the table was drawn.
    A practice match has no tournament, round, table and board, but a row in `practices`.
    """

    __tablename__ = "matches"
    __table_args__ = (
        Index("ix_matches_status_lease_until", "status", "lease_until"),
        Index("ix_matches_tournament_id_id", "tournament_id", "id"),
        Index("ix_matches_tournament_id_status_id", "tournament_id", "status", "id"),
        Index("ix_matches_tournament_id_board", "tournament_id", "board"),
        UniqueConstraint("table_id", "board", "sitting"),
    )

    tournament_id: Mapped[str | None] = mapped_column(ForeignKey("tournaments.id"))
    round_id: Mapped[str | None] = mapped_column(ForeignKey("rounds.id"), index=True)
    table_id: Mapped[str | None] = mapped_column(ForeignKey("tables.id"))
    board: Mapped[str | None] = mapped_column(String(120))
    sitting: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    deals: Mapped[int]
    status: Mapped[str] = mapped_column(String(20), default=MatchStatus.QUEUED)
    epoch: Mapped[int] = mapped_column(default=0)  # fencing number: one higher at each claim
    attempts: Mapped[int] = mapped_column(default=0)  # claims that ended in an error
    owner: Mapped[str | None] = mapped_column(String(80))
    lineup: Mapped[list[Any] | None]  # who plays the seats, from the first claim on (seat_plans.py)
    lease_until: Mapped[float | None] = mapped_column(Float(53))  # seconds, the database's clock
    error: Mapped[str | None] = mapped_column(String(500))
    hurried: Mapped[bool] = mapped_column(default=False, server_default=false())  # autoplay ends it
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    record: Mapped[dict[str, Any] | None]  # baohuang-record/1 with the key; readers see it censored
    tournament: Mapped[Tournament | None] = relationship()
    round: Mapped[Round | None] = relationship()
    table: Mapped[Table | None] = relationship()


class Decision(Base):
    """One answer from outside, in order; everything else follows from the key and the rules.

    What comes after `epoch` is there for agents alone: how the call went, for their owners.
    """

    __tablename__ = "decisions"

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int]
    answer: Mapped[str] = mapped_column(String(40))
    auto: Mapped[bool]
    epoch: Mapped[int]
    asked_at: Mapped[datetime | None]
    budget_ms: Mapped[int | None]  # the clock before the call
    bank_ms: Mapped[int | None]
    ms: Mapped[int | None]
    charged_ms: Mapped[int | None]
    note: Mapped[str | None] = mapped_column(String(256))


class Fault(Base):
    """What a bot or the network did wrong; the fallback was played instead."""

    __tablename__ = "faults"

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # the decision's
    seat: Mapped[int]
    entry_id: Mapped[str | None] = mapped_column(ForeignKey("entries.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    charged_to: Mapped[str] = mapped_column(String(10))
    ms: Mapped[int]
    detail: Mapped[str | None] = mapped_column(String(300))
    at: Mapped[datetime] = mapped_column(default=utc_now)


class FurtherCall(Base):
    """A request to an agent that no decision tells of: a notice, or a question that was put again.

    Its body follows from the match, so it is not stored. `seq`: of the decision of a question.
    """

    __tablename__ = "further_calls"
    __table_args__ = (Index("ix_further_calls_match_id_id", "match_id", "id"),)

    id: Mapped[str] = mapped_column(String(26), primary_key=True, default=new_id)
    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"))
    seat: Mapped[int]
    kind: Mapped[str] = mapped_column(String(10))  # of the bot protocol
    seq: Mapped[int | None]
    request: Mapped[str] = mapped_column(String(26))
    asked_at: Mapped[datetime]
    ms: Mapped[int]
    fault: Mapped[str | None] = mapped_column(String(20))
    charged_to: Mapped[str | None] = mapped_column(String(10))
    detail: Mapped[str | None] = mapped_column(String(300))


class Result(Base):
    """What one entry took from one match; written once, with the match's `finished`."""

    __tablename__ = "results"
    __table_args__ = (
        Index("ix_results_tournament_id_round_number", "tournament_id", "round_number"),
    )

    match_id: Mapped[str] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"))
    entry_id: Mapped[str] = mapped_column(ForeignKey("entries.id"), index=True)
    round_number: Mapped[int]
    points: Mapped[int]  # sum of deal scores, without the penalty
    penalty: Mapped[int]  # 0 or negative (rules.md 6)
    deals: Mapped[int]  # scored deals
    places: Mapped[list[int]]  # how often 1st … 5th
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"))  # who played
    house_bot: Mapped[str | None] = mapped_column(String(30))  # … or which house bot
    stand_in: Mapped[bool] = mapped_column(
        default=False, server_default=false()
    )  # for who was absent
    roles: Mapped[dict[str, Any]]  # role -> [deals, points]
    hands: Mapped[list[Any]] = mapped_column(  # one a counted deal, as results.Held.to_json
        default=list, server_default=text("'[]'")
    )
    entry: Mapped[Entry] = relationship()
