"""How much luck duplicate boards and par take out: standard errors for the same number of deals.

Two bots are compared, each among four of a third. On independent deals the error of the difference
of their means is that of single deals. On duplicate boards each plays the board in every seat, and
one board gives one difference. Par is taken off single deals. All from the same deals, so that the
ratios are less uncertain than the errors.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from baohuang.engine import BOTS, PRESETS
from baohuang.engine.play import play_match
from baohuang.engine.tournament.par import Model

SEATS = 5
PRESET = "lianzhong-simple"
CASES = (
    ("greedy", "random", "greedy"),
    ("tactician", "greedy", "greedy"),
    ("tactician", "greedy", "tactician"),
    ("tactician", "greedy", "random"),
)
"""Two that are compared, and the field."""
Row = tuple[list[float], list[float], list[float]]
"""Of one board by seat: scores of one, scores of the other, par."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of the difference of two means, for the same number of deals."""

    independent: float
    duplicate: float
    par: float


def luck_report(boards: int, jobs: int) -> Iterator[str]:
    """Lines of the report: one a comparison."""
    yield f"{PRESET}, {SEATS * boards} deals each way: standard error of a mean difference"
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for case in CASES:
            tasks = [(case, number) for number in range(boards)]
            found = errors(list(pool.map(board, tasks, chunksize=5)))
            one, other, field = case
            yield (
                f"{one:>9} with {other:7} among four {field:10} independent {found.independent:.3f}"
                f"   five replays x {found.duplicate / found.independent:.2f}"
                f"   par x {found.par / found.independent:.2f}"
            )


def board(task: tuple[tuple[str, str, str], int]) -> Row:
    """Both bots in every seat of one board."""
    (one, other, field), number = task
    key = number.to_bytes(32, "big")
    worth = Model().work_out(PRESETS[PRESET], key, 1)
    par = [float(worth.get((1, 1, seat), 0)) for seat in range(SEATS)]
    return _scores(one, field, key), _scores(other, field, key), par


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


def _scores(bot: str, field: str, key: bytes) -> list[float]:
    """By the seat of the bot."""
    return [
        float(play_match(PRESETS[PRESET], key, 1, bots).totals[seat])
        for seat in range(SEATS)
        for bots in [[BOTS[bot if place == seat else field] for place in range(SEATS)]]
    ]
