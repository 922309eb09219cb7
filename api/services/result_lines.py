"""A tournament's results as a table: one line a seat of every finished match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.tournament.results import ROLES

from ..models import Entry, Match, Result, Table
from . import overlay, shared_cards
from .arbiters import judges
from .lifecycle import visible
from .principal import Principal
from .tournaments import revealed

COLUMNS: Final = (
    "round", "table", "match_id", "board", "seat", "entry_id", "name", "agent_id", "house_bot",
    "stand_in", "counts", "deals", "points", "penalty",
    *(f"place_{place}" for place in range(1, 6)),
    *(f"{role}_{what}" for role in ROLES for what in ("deals", "points")),
)  # fmt: skip
"""counts: no for matches that a ruling set aside; house_bot: who played, if it was one; board: once
the tournament has ended, because it tells who held the same cards.
"""

AT_ONCE = 1000


def lines(session: Session, actor: Principal, tournament_id: str) -> Iterator[list[object]]:
    """The names of the columns, then the results in the order of play. Raises `NotFound`."""
    tournament = visible(session, actor, tournament_id)
    known = None if judges(actor, tournament) else shared_cards.last_told(session, tournament)
    return _lines(session, tournament.id, known, boards=revealed(tournament.status))


def _lines(
    session: Session, tournament_id: str, known: int | None, *, boards: bool
) -> Iterator[list[object]]:
    aside = overlay.of(session, tournament_id).set_aside
    yield list(COLUMNS)
    query = (
        select(*Result.__table__.columns, Entry.name, Table.number.label("table"))
        .join(Entry, Entry.id == Result.entry_id)
        .join(Match, Match.id == Result.match_id)
        .join(Table, Table.id == Match.table_id)
        .where(Result.tournament_id == tournament_id)
        .add_columns(Match.board)
        .order_by(Result.round_number, Table.number, Result.match_id, Result.seat)
    )
    if known is not None:
        query = query.where(Result.round_number <= known)
    for row in session.execute(query.execution_options(yield_per=AT_ONCE)):
        board = row.board if boards else ""
        yield _line(row, board, counts=row.match_id not in aside)


def _line(row: Any, board: str, *, counts: bool) -> list[object]:
    roles = [value for role in ROLES for value in row.roles.get(role, (0, 0))]
    return [
        row.round_number,
        row.table,
        row.match_id,
        board,
        row.seat,
        row.entry_id,
        row.name,
        row.agent_id or "",
        row.house_bot or "",
        _yes(row.stand_in),
        _yes(counts),
        row.deals,
        row.points,
        row.penalty,
        *row.places,
        *roles,
    ]


def _yes(value: bool) -> str:
    return "yes" if value else "no"
