"""What the rulings that stand lay over a tournament: which results count, points, who is out.

Matches, results and rounds stay as they are; history.py applies this where it reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from baohuang.engine.tournament.results import Adjustment

from ..models import Ruling, RulingKind

SETS_ASIDE = (RulingKind.ANNUL, RulingKind.REPLAY)
POINTS = (RulingKind.ADJUST, RulingKind.PENALIZE)


@dataclass(frozen=True)
class Overlay:
    """set_aside: ids of matches whose results do not count; out: ids of disqualified entries."""

    set_aside: frozenset[str]
    adjustments: tuple[Adjustment, ...]
    out: frozenset[str]


def all_of(session: Session, tournament_id: str) -> Sequence[Ruling]:
    """Every ruling of a tournament, in order."""
    query = select(Ruling).where(Ruling.tournament_id == tournament_id)
    return session.scalars(query.order_by(Ruling.number)).all()


def of(session: Session, tournament_id: str) -> Overlay:
    """The overlay of a tournament as it is now."""
    return made_of(all_of(session, tournament_id))


def made_of(rulings: Iterable[Ruling]) -> Overlay:
    """What these rulings come to, those that undo others among them."""
    rulings = list(rulings)
    undone = {ruling.undoes_id for ruling in rulings}
    stands = [ruling for ruling in rulings if ruling.id not in undone]
    fallen = [ruling for ruling in rulings if ruling.id in undone]
    aside = {r.match_id for r in stands if r.kind in SETS_ASIDE}
    aside |= {r.replay_id for r in fallen if r.kind == RulingKind.REPLAY}
    return Overlay(
        frozenset(x for x in aside if x is not None),
        tuple(adjustment(r) for r in stands if r.kind in POINTS),
        frozenset(r.entry_id for r in stands if r.kind == RulingKind.DISQUALIFY and r.entry_id),
    )


def is_replayed(session: Session, match_id: str) -> bool:
    """Whether a ruling that stands has the match played again."""
    query = select(Ruling.id).where(
        Ruling.match_id == match_id, Ruling.kind == RulingKind.REPLAY, _stands()
    )
    return session.scalar(query) is not None


def _stands() -> ColumnElement[bool]:
    """Whether nothing undid the statement's ruling."""
    other = aliased(Ruling)
    return ~select(other.id).where(other.undoes_id == Ruling.id).correlate(Ruling).exists()


def adjustment(ruling: Ruling) -> Adjustment:
    """The points of a ruling."""
    assert ruling.entry_id is not None
    return Adjustment(ruling.entry_id, ruling.round or 0, ruling.points or 0)


def seating(session: Session, tournament_id: str, number: int) -> dict[str, Any] | None:
    """How round `number` is seated by hand, the last word counts; None if it is not."""
    query = (
        select(Ruling.details)
        .where(
            Ruling.tournament_id == tournament_id,
            Ruling.kind == RulingKind.SEAT,
            Ruling.round == number,
            _stands(),
        )
        .order_by(Ruling.number.desc())
        .limit(1)
    )
    return session.scalar(query)
