"""Which seats a match has: its table's, moved round where a board is played again.

A table's seats are stored once, as they were drawn; `Match.sitting` says which move of
engine/tournament/duplicate.py a match is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import ColumnElement

from baohuang.engine.tournament.plan import SEATS

from ..models import Match, Seat

T = TypeVar("T")

SEAT: ColumnElement[int] = (
    (Match.sitting // SEATS + 1) * Seat.seat + Match.sitting % SEATS
) % SEATS
"""The seat in the statement's match of who has a seat of its table."""


def turned(by_table: Sequence[T], sitting: int) -> list[T]:
    """What is in order of the table's seats, in order of a match's seats."""
    made = list(by_table)
    for seat, item in enumerate(by_table):
        made[seat_of(seat, sitting)] = item
    return made


def turned_back(by_match: Sequence[T], sitting: int) -> list[T]:
    """What is in order of a match's seats, in order of its table's."""
    return [by_match[seat_of(seat, sitting)] for seat in range(SEATS)]


def seat_of(seat: int, sitting: int) -> int:
    """The seat in a match of who has `seat` of its table."""
    a, b = move(sitting)
    return (a * seat + b) % SEATS


def move(sitting: int) -> tuple[int, int]:
    """(a, b) of a sitting, as `duplicate.maps` counts them."""
    return sitting // SEATS + 1, sitting % SEATS
