"""How much luck duplicate boards and par take out: standard errors for the same number of deals.

Every two house bots are compared, each among four of every kind. On independent deals the error of
the difference of their means is that of single deals. On duplicate boards each plays the board in
every seat, and one board gives one difference. Par is taken off single deals. All from the same
deals, so that the ratios are less uncertain than the errors.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from multiprocessing import get_context

from baohuang.engine import BOTS, PRESETS, RuleSet
from baohuang.engine.play import play_match
from baohuang.engine.tournament.par import Model

SEATS = 5
PLAYERS = ("greedy", "tactician")
"""The bots that choose their plays; the others answer at random, or only when they must."""
Row = tuple[list[float], list[float], list[float]]
"""Of one board by seat: scores of one, scores of the other, par."""
Sheet = tuple[dict[tuple[str, str], list[float]], list[float]]
"""Of one board by seat: scores of each bot among four of each kind, par."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of the difference of two means, for the same number of deals."""

    independent: float
    duplicate: float
    par: float


def luck_report(preset: str, boards: int, jobs: int) -> Iterator[str]:
    """Lines of the report: one a comparison, then all of them together."""
    yield f"{preset}, {SEATS * boards} deals each way: standard error of a mean difference"
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        sheets = list(pool.map(partial(board, preset), range(boards), chunksize=5))
    found = {}
    for pair, field in product(combinations(BOTS, 2), BOTS):
        one, other = pair
        rows = [(scores[one, field], scores[other, field], par) for scores, par in sheets]
        found[pair, field] = errors(rows)
        yield _line(f"{one:>9} with {other:9} among four {field:9}", found[pair, field])
    players = [made for (pair, _), made in found.items() if pair == PLAYERS]
    yield _line(f"{' with '.join(PLAYERS)}, variances averaged", together(players))
    yield _line("all of these, variances averaged", together([*found.values()]))


def _line(title: str, found: Errors) -> str:
    return (
        f"{title:45} independent {found.independent:.3f}"
        f"   five replays x {found.duplicate / found.independent:.2f}"
        f"   par x {found.par / found.independent:.2f}"
    )


def board(preset: str, number: int) -> Sheet:
    """Every bot in every seat of one board, among four of each kind."""
    rules, key = PRESETS[preset], number.to_bytes(32, "big")
    worth = Model().work_out(rules, key, 1)
    par = [float(worth.get((1, 1, seat), 0)) for seat in range(SEATS)]
    return {pair: _scores(*pair, rules, key) for pair in product(BOTS, BOTS)}, par


def together(found: list[Errors]) -> Errors:
    """Of a comparison that is as likely any of these."""

    def pooled(values: Iterator[float]) -> float:
        return math.sqrt(statistics.mean(value * value for value in values))

    return Errors(
        independent=pooled(one.independent for one in found),
        duplicate=pooled(one.duplicate for one in found),
        par=pooled(one.par for one in found),
    )


def errors(rows: list[Row]) -> Errors:
    """Of the difference of the two bots' means; rows of at least two boards."""
    ones = [score for scores, _, _ in rows for score in scores]
    others = [score for _, scores, _ in rows for score in scores]
    ahead = [statistics.mean(a) - statistics.mean(b) for a, b, _ in rows]
    return Errors(
        independent=_error(ones, others),
        duplicate=math.sqrt(statistics.variance(ahead) / len(rows)),
        par=_error(_above([(a, p) for a, _, p in rows]), _above([(b, p) for _, b, p in rows])),
    )


def _error(ones: list[float], others: list[float]) -> float:
    return math.sqrt(
        statistics.variance(ones) / len(ones) + statistics.variance(others) / len(others)
    )


def _above(rows: list[tuple[list[float], list[float]]]) -> list[float]:
    return [s - p for scores, par in rows for s, p in zip(scores, par, strict=True)]


def _scores(bot: str, field: str, rules: RuleSet, key: bytes) -> list[float]:
    """By the seat of the bot."""
    return [
        float(play_match(rules, key, 1, bots).totals[seat])
        for seat in range(SEATS)
        for bots in [[BOTS[bot if place == seat else field] for place in range(SEATS)]]
    ]
