"""How much of a limit is used up."""

from __future__ import annotations

from sqlalchemy import Float, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base


class RateWindow(Base):
    """One caller's present window under one limit; `ends` in seconds by the database's clock."""

    __tablename__ = "rate_windows"

    bucket: Mapped[str] = mapped_column(String(64), primary_key=True)
    ends: Mapped[float] = mapped_column(Float(53), index=True)
    used: Mapped[int]
