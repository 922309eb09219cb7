"""Ratings of agents across tournaments: one pool a rule set. All of it can be worked out again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Float, ForeignKey, String, text
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, new_id

_ZERO = text("0")


class RatingPool(Base):
    """All tournaments of one rule set, and what their deals say about luck and strength.

    `due` counts the causes to rate anew, `done` those that were met.
    """

    __tablename__ = "rating_pools"

    id: Mapped[str] = mapped_column(String(26), primary_key=True, default=new_id)
    rules_hash: Mapped[str] = mapped_column(String(64), unique=True)
    preset: Mapped[str] = mapped_column(String(40), index=True)
    rules: Mapped[dict[str, Any]]  # {"preset": …, "options": {…}}
    measure: Mapped[str] = mapped_column(String(10))  # place | score
    anchors: Mapped[list[str]] = mapped_column(default=list)  # house bots whose mean is 0
    tournaments: Mapped[int] = mapped_column(default=0)
    deals: Mapped[int] = mapped_column(default=0)
    agents: Mapped[int] = mapped_column(default=0)
    noise: Mapped[float] = mapped_column(Float(53), default=0.0)  # of one deal
    spread: Mapped[float] = mapped_column(Float(53), default=0.0)  # of strengths
    due: Mapped[int] = mapped_column(default=0, server_default=_ZERO)
    done: Mapped[int] = mapped_column(default=0, server_default=_ZERO)
    rated_at: Mapped[datetime | None]


class RatedTournament(Base):
    """A finished tournament that counts, as it was at `version`: rulings may come later."""

    __tablename__ = "rated_tournaments"

    tournament_id: Mapped[str] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    pool_id: Mapped[str] = mapped_column(ForeignKey("rating_pools.id"), index=True)
    version: Mapped[int]


class Rating(Base):
    """One agent or house bot of a pool, the best first. Strength is in places a deal."""

    __tablename__ = "ratings"

    pool_id: Mapped[str] = mapped_column(ForeignKey("rating_pools.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"), index=True)
    house_bot: Mapped[str | None] = mapped_column(String(30))
    deals: Mapped[int]
    value: Mapped[float] = mapped_column(Float(53))
    sd: Mapped[float] = mapped_column(Float(53))
    roles: Mapped[dict[str, Any]]  # role -> [deals, value, sd]
