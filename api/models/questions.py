"""Where questions to pull agents wait until they are fetched, and answers until they are found."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import Float, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base


class QuestionKind(StrEnum):
    """`decide` wants an answer; the others are notices, gone once they are fetched."""

    DECIDE = "decide"
    DEAL_END = "deal_end"
    MATCH_END = "match_end"


class QuestionStatus(StrEnum):
    """`late`: the worker went on without an answer."""

    OPEN = "open"
    ANSWERED = "answered"
    LATE = "late"


class Door(Base):
    """A time in which one API process answered, in seconds by the database's clock."""

    __tablename__ = "doors"

    id: Mapped[str] = mapped_column(String(26), primary_key=True)
    since: Mapped[float] = mapped_column(Float(53))
    seen: Mapped[float] = mapped_column(Float(53))  # last


class Question(Base):
    """A request of the bot protocol for one agent. Times are seconds by the database's clock.

    `until` is when it is too late: counted from the asking, and anew from the first fetching.
    `epoch` is the asking worker's, so that one that was taken for dead disturbs nothing. What is
    asked when an agent is checked belongs to no match.
    """

    __tablename__ = "questions"
    __table_args__ = (
        Index("ix_questions_agent_id_status", "agent_id", "status"),
        Index("ix_questions_match_id_agent_id", "match_id", "agent_id"),
        Index("ix_questions_until", "until"),
    )

    request: Mapped[str] = mapped_column(String(26), primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    match_id: Mapped[str | None] = mapped_column(ForeignKey("matches.id"))
    epoch: Mapped[int]
    kind: Mapped[str] = mapped_column(String(10))
    status: Mapped[str] = mapped_column(String(10), default=QuestionStatus.OPEN)
    body: Mapped[bytes] = mapped_column(LargeBinary)  # JSON, but for the deadline
    budget_ms: Mapped[int]
    limit_ms: Mapped[int]
    asked_at: Mapped[float] = mapped_column(Float(53))
    fetched_at: Mapped[float | None] = mapped_column(Float(53))
    until: Mapped[float] = mapped_column(Float(53))
    answer: Mapped[str | None] = mapped_column(String(40))
    note: Mapped[str | None] = mapped_column(String(256))
    answered_at: Mapped[float | None] = mapped_column(Float(53))
