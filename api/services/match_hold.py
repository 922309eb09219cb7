"""Keeping a match that one plays: the one statement that runs hundreds of times a second.

It is built once and goes past the ORM, which makes a checkpoint three times as cheap.
"""

from __future__ import annotations

from enum import IntEnum
from typing import cast

from sqlalchemy import ColumnElement, Float, Table, bindparam, func, select, true, update
from sqlalchemy.orm import Session

from ..models import Match, MatchStatus, Tournament, TournamentStatus
from .clock import now_seconds

RECALLED = ""
"""The owner of a match that its worker is to give back (reclaim.py)."""


class Held(IntEnum):
    """What a worker is to do with a match that it plays."""

    LOST = 0  # stop, and write nothing more: it is not its own
    PAUSED = 1  # give it back: its tournament does not run
    RECALLED = 2  # give it back once the question that is open has ended (reclaim.py)
    KEPT = 3  # go on


def tournament_runs() -> ColumnElement[bool]:
    """Whether the tournament of the statement's match runs (is not paused, not cancelled).

    What belongs to none always does. (In a RETURNING clause SQLite 3.40 takes the tournament's id
    for not null whatever it is, so it is not asked.)
    """
    runs = select(Tournament.status == TournamentStatus.RUNNING).where(
        Tournament.id == Match.tournament_id
    )
    return func.coalesce(runs.correlate(Match).scalar_subquery(), true())


_matches = cast(Table, Match.__table__)
_HOLD = (
    update(_matches)
    .where(
        _matches.c.id == bindparam("of"),
        _matches.c.epoch == bindparam("mine"),
        _matches.c.status == MatchStatus.RUNNING,
    )
    .values(
        version=_matches.c.version + 1,
        lease_until=now_seconds() + bindparam("lease_s", type_=Float),
    )
    .returning(
        tournament_runs().label("runs"),
        (func.coalesce(_matches.c.owner, "?") == RECALLED).label("recalled"),
    )
)


def hold(session: Session, match_id: str, epoch: int, lease_s: float) -> Held:
    """Keep a match for another `lease_s` seconds."""
    values = {"of": match_id, "mine": epoch, "lease_s": lease_s}
    held = session.execute(_HOLD, values).first()
    if held is None:
        return Held.LOST
    if not held.runs:
        return Held.PAUSED
    return Held.RECALLED if held.recalled else Held.KEPT
