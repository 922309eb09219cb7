"""Luck taken out of results: what others made of the same cards, and what cards are worth by par.

Both are worked out anew from all results that count, because an annulled match changes the average
of its board.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from .confidence import Unit
from .deals import Hand, of_results
from .duplicate import averages, board_differences
from .results import MEASURES, Held, Result
from .scheme import Options, State


def compares(options: Mapping[str, object]) -> bool:
    """Whether hands of a tournament are held by several: only then a board has an average."""
    return replays(options) > 1 or shares(options)


def replays(options: Mapping[str, object]) -> int:
    """How often a table plays its cards."""
    chosen = options.get("boards", 1)
    return chosen if isinstance(chosen, int) else 1


def shares(options: Mapping[str, object]) -> bool:
    """Whether all tables of a round play the same cards."""
    return options.get("shared_boards", False) is True


def told(results: Iterable[Result], options: Options) -> tuple[Result, ...]:
    """The results with `board` and `adjusted`, where their tournament has such a thing."""
    known = tuple(results)
    if compares(options):
        ahead = board_differences(of_results(known))
        known = tuple(replace(r, board=ahead.get((r.entry, r.match), Fraction(0))) for r in known)
    return tuple(replace(r, adjusted=above_par(r)) if _has_par(r) else r for r in known)


def made(state: State, result: Result) -> int | Fraction:
    """What a result of `counted` is worth by the scoring of its tournament, penalties too."""
    return MEASURES[state.scoring](result) + result.penalty


def counted(state: State) -> list[Result]:
    """The results that belong to their entries, as far told as the scoring looks at them."""
    if state.scoring == "points":
        return state.counted
    return [r for r in told(state.results, state.options) if not r.stand_in]


def above_par(result: Result) -> Fraction:
    """Points less what its hands were worth."""
    return result.points - sum((h.par or Fraction(0) for h in result.hands), Fraction(0))


def _has_par(result: Result) -> bool:
    return any(h.par is not None for h in result.hands)


def units(results: Iterable[Result], scoring: str, *, by_deal: bool = True) -> list[Unit]:
    """What every entry made deal by deal, or match by match, as `scoring` measures it.

    Of all results that count; what stand-ins made is in the boards' averages and nobody's.
    """
    known = list(results)
    average = averages(of_results(known)) if scoring == "board_difference" else {}
    made: list[Unit] = []
    for r in known:
        if r.stand_in or not r.hands:
            continue
        worth = [float(h.score - _expected(r, h, scoring, average)) for h in r.hands]
        if by_deal:
            keys = [(r.cards, h.deal) for h in r.hands]
            made += [Unit(r.entry, key, w) for key, w in zip(keys, worth, strict=True)]
        else:
            made.append(Unit(r.entry, (r.cards, 0), sum(worth)))
    return made


def _expected(r: Result, h: Held, scoring: str, average: Mapping[Hand, Fraction]) -> Fraction:
    """What a hand is worth, where it is measured by that."""
    if scoring == "board_difference":
        return average[r.cards, h.deal, h.attempt, h.packet]
    return h.par or Fraction(0) if scoring == "adjusted" else Fraction(0)
