"""A tournament's standings as a table: one line an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy.orm import Session

from baohuang.engine.tournament import standings as ranking

from . import standings
from .lifecycle import visible
from .principal import Principal

COLUMNS: Final = (
    "position", "rank", "entry_id", "name", "house", "status", "points", "scored", "penalty",
    "adjustment", "deals", "rounds", "byes",
)  # fmt: skip
SURE: Final = ("mean", "low", "high", "first", "rank_low", "rank_high")
"""Of the interval."""


def table(session: Session, actor: Principal, tournament_id: str) -> list[list[object]]:
    """The whole standings as they are stored, as a table; the first line names the columns."""
    tournament = visible(session, actor, tournament_id)
    named = standings.named(session, tournament_id, standings.kept(session, tournament_id), 0)
    places = [f"place_{place}" for place in range(1, 6)]
    known = [name for name in ranking.LUCK if name not in tournament.tie_breaks]
    head: list[object] = [*COLUMNS, *places, "title", *known, *SURE, *tournament.tie_breaks]
    return [head, *(_line(row, known, tournament.tie_breaks) for row in named)]


def _line(row: dict[str, Any], known: Sequence[str], tie_breaks: Sequence[str]) -> list[object]:
    sure = row["interval"] or {}
    return [
        *(row[name] for name in COLUMNS),
        *row["places"],
        row["title"]["english"],
        *(row[name] for name in known),
        *(sure.get(name) for name in SURE),
        *(row["tie_breaks"].get(name) for name in tie_breaks),
    ]
