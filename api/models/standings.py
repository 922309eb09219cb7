"""Stored standings: a read model, always derivable from results."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey
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
