"""Places and scores of a deal (rules.md 3.7 and section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .cards import SEATS

if TYPE_CHECKING:
    from .state import DealState

SOLO: dict[str, tuple[int, int, int, int, int]] = {
    "lianzhong": (3, 0, -3, -3, -3),
    "biesan": (1, 0, -1, -1, -1),
    "jingji": (4, 2, 0, -2, -4),
    "wuren": (4, 2, 0, -2, -4),
}
"""What each of the other four pays the emperor in a hidden solo, by his place 1 to 5."""

OPEN_SOLO_LIANZHONG = 6
"""What each of the others pays, or gets, in an open solo under `lianzhong` scores."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deal came to, by seat. `places` and `scores` are None in a redeal.

    `side` is the court's side score of `wuren` (before the split and the doublings) where two
    played against three; 0 is a draw.
    """

    places: tuple[int, ...] | None
    scores: tuple[int, ...] | None
    side: int | None = None


def outcome(state: DealState) -> Outcome:
    """The outcome of a deal that is over; its scores add up to 0."""
    rules = state.rules
    if state.result == "redeal":
        return Outcome(None, None)
    if state.result == "abdicated":
        return Outcome(None, solo_scores(rules.scores, state.emperor, place=5))
    out = tuple(state.out)
    return _scored(rules.scores, state.emperor, state.guard, state.solo, out, state.factor)


@lru_cache(maxsize=20_000)
def _scored(
    table: str, emperor: int, guard: int, solo: str | None, out: tuple[int, ...], factor: int
) -> Outcome:
    places = final_places(out, emperor)
    scores = deal_scores(table, emperor, guard, solo, places)
    side = None if solo else 2 * pair_score(places[emperor], places[guard])
    return Outcome(places, tuple(score * factor for score in scores), side)


def final_places(out: Sequence[int], emperor: int) -> tuple[int, ...]:
    """Places by seat: the order of going out, then playing order from the emperor."""
    rest = [(emperor + step) % SEATS for step in range(SEATS)]
    order = [*out, *(seat for seat in rest if seat not in out)]
    return tuple(order.index(seat) + 1 for seat in range(SEATS))


def deal_scores(
    table: str, emperor: int, guard: int, solo: str | None, places: tuple[int, ...]
) -> tuple[int, ...]:
    """Scores by seat before doubling. `guard` counts only where `solo` is None."""
    place = places[emperor]
    if solo == "open" and table == "lianzhong":
        return _against_four(emperor, OPEN_SOLO_LIANZHONG if place == 1 else -OPEN_SOLO_LIANZHONG)
    if solo:
        return solo_scores(table, emperor, place)
    unit = _unit(table, place, places[guard])
    scores = [-unit] * SEATS
    scores[emperor], scores[guard] = 2 * unit, unit
    return tuple(scores)


def solo_scores(table: str, emperor: int, place: int) -> tuple[int, ...]:
    """Scores by seat of a hidden solo by the emperor's place."""
    return _against_four(emperor, SOLO[table][place - 1])


def pair_score(emperor_place: int, guard_place: int) -> int:
    """6 - (e + g): the guard's score, half the emperor's, minus each rebel's."""
    return 6 - emperor_place - guard_place


def _unit(table: str, emperor_place: int, guard_place: int) -> int:
    if table != "biesan":
        return pair_score(emperor_place, guard_place)
    pair = {emperor_place, guard_place}
    if pair == {2, 3}:
        return 0
    return 1 if 1 in pair and max(pair) <= 3 else -1


def _against_four(emperor: int, each: int) -> tuple[int, ...]:
    return tuple(4 * each if seat == emperor else -each for seat in range(SEATS))
