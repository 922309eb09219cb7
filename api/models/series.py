"""Series: tournaments that come again, by a cron expression in their organizer's time zone."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified


class SeriesStatus(StrEnum):
    """`paused` by the organizer, or by the server when no tournament can be made (says why)."""

    ACTIVE = "active"
    PAUSED = "paused"


class Series(Identified, Base):
    """Each tournament is made and opened `lead_s` before it starts.

    `next_at` is the start of the next one to be made; null when there is none before `until`.
    """

    __tablename__ = "series"
    __table_args__ = (Index("ix_series_status_next_at", "status", "next_at"),)

    organizer_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    cron: Mapped[str] = mapped_column(String(100))
    time_zone: Mapped[str] = mapped_column(String(60))
    lead_s: Mapped[int]
    settings: Mapped[dict[str, Any]]  # of its tournaments, as tournament_settings.py takes them
    until: Mapped[datetime | None]
    next_at: Mapped[datetime | None]
    status: Mapped[str] = mapped_column(String(10), default=SeriesStatus.ACTIVE)
    status_reason: Mapped[str | None] = mapped_column(String(500))
