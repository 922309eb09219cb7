"""Events: what happened, numbered per tournament for whoever follows it (services/events.py).

Neither table of events refers to tournaments or matches by a foreign key: PostgreSQL would lock the
tournament's row for each event of a match, against the order in which locks are taken here.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, Float, Index, Integer, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base

_WAITING = text("seq IS NULL")
_Number = BigInteger().with_variant(Integer(), "sqlite")  # SQLite counts up an INTEGER only


class EventView(StrEnum):
    """Who may see an event: all; all once the secret is revealed; organizer and arbiters."""

    PUBLIC = "public"
    AFTER = "after"
    ARBITER = "arbiter"


class Event(Base):
    """Something that happened. `id` is the order of writing, `seq` the order of telling.

    `seq` counts all events of a tournament, `public_seq` the public ones alone, so that no reader
    can tell from gaps what is hidden. Both and `at` are null until the event is numbered.
    """

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("tournament_id", "seq"),
        UniqueConstraint("tournament_id", "public_seq"),
        Index("ix_events_match_id_seq", "match_id", "seq"),
        Index(
            "ix_events_waiting", "tournament_id", sqlite_where=_WAITING, postgresql_where=_WAITING
        ),
    )

    id: Mapped[int] = mapped_column(_Number, primary_key=True)
    tournament_id: Mapped[str] = mapped_column(String(26))
    match_id: Mapped[str | None] = mapped_column(String(26))
    kind: Mapped[str] = mapped_column(String(40))
    view: Mapped[str] = mapped_column(String(10))
    seq: Mapped[int | None] = mapped_column(BigInteger)
    public_seq: Mapped[int | None] = mapped_column(BigInteger)
    at: Mapped[datetime | None]
    payload: Mapped[dict[str, Any]]


class Journal(Base):
    """How far the events of a tournament are numbered; its row is the lock of whoever numbers.

    Of each count: the last number given, and the last one that was purged.
    """

    __tablename__ = "journals"

    tournament_id: Mapped[str] = mapped_column(String(26), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, default=0)
    public_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    purged_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    purged_public_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    at: Mapped[float] = mapped_column(Float(53), default=0.0)  # of the last numbering: never falls
