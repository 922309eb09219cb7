"""One-sided help between two entries: does B gain, and A lose, when they sit at one table?

A deal's luck is taken out first, as far as others held the same cards: what those at other tables
made of a hand, beyond what their strengths and opponents let one expect, is what the hand is worth
(shrunk towards 0 the fewer they were). At one table two entries then differ by their strengths and
by chance; the other three are the same for both and fall out of the difference. So for a pair:

    help = mean over the boards with both of (B - A)  -  what their strengths let one expect

Own strength less the mean of the other four is what an entry is expected to make, so the difference
at one table is 5/4 of the difference of strengths. Both strengths are measured on those boards
alone where the other one was absent: two who always meet cannot be judged. The unit is the board as
five entries played it, all its replays together: there everybody held every hand, and luck is gone
without anybody else. The statistic is Welch's t; of all pairs tested, Holm's method keeps the
chance that even one honest pair is accused below the level.

A small chance is a reason to look at the records, no proof: two styles may suit each other. Help
that goes both ways in equal parts, or that hurts a third one only, is not seen by this.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

from .deals import DealRow
from .fitting import SCALE, Board, Field, Sum
from .plan import SEATS
from .student import two_sided

LEVEL = 0.01
LEAST = 8  # boards that a mean is made of, at least


@dataclass(frozen=True)
class Pair:
    """What was found between two entries; points are a deal.

    helper, helped: the direction of the help. together, apart: boards with both, and with the one
    but not the other (helper's, helped's). gain: what the helped one made with the other above what
    was expected; cost: what the helper made below. help is their sum. error: its standard error;
    chance: two-sided, of this pair alone; adjusted: with all pairs tested in mind (Holm).
    """

    helper: str
    helped: str
    together: int
    apart: tuple[int, int]
    help: float
    gain: float
    cost: float
    error: float
    t: float
    freedom: float
    chance: float
    adjusted: float = 1.0

    @property
    def suspicious(self) -> bool:
        """Help of this size is no chance, and one gained what the other gave."""
        return self.adjusted <= LEVEL and self.gain > 0 and self.cost > 0


@dataclass(frozen=True)
class Report:
    """Pairs, the most striking first. compared: rows whose cards others held at other tables.

    boards: how many; untested: pairs that met, but too seldom, or too seldom apart.
    """

    pairs: tuple[Pair, ...]
    untested: int
    boards: int
    rows: int
    compared: int


def examine(rows: Sequence[DealRow], house: Collection[str] = ()) -> Report:
    """Every pair that can be judged and is not two of the `house`, who have nobody to help.

    Takes a few steps a board and pair at it.
    """
    fitted = Field(rows)
    boards, strengths = fitted.boards, fitted.strengths
    alone: dict[str, Sum] = {}
    met: dict[tuple[str, str], list[Board]] = {}
    for board in boards:
        for x in board.five:
            board.own[x] = board.made[x] + _others(board, x, strengths)
            alone.setdefault(x, Sum()).add(board.own[x])
        for pair in combinations(sorted(board.five), 2):
            if not house or any(x not in house for x in pair):
                met.setdefault(pair, []).append(board)
    found = [_judged(pair, alone, shared, strengths) for pair, shared in sorted(met.items())]
    tested = [pair for pair in found if pair is not None]
    return Report(
        _holm(tested), len(found) - len(tested), len(boards), len(fitted.rows), fitted.compared
    )


def _others(board: Board, x: str, strengths: Mapping[str, float]) -> float:
    """The mean strength of the other four."""
    return sum(strengths[y] for y in board.five if y != x) / (SEATS - 1)


def _judged(
    pair: tuple[str, str],
    alone: Mapping[str, Sum],
    shared: Sequence[Board],
    strengths: Mapping[str, float],
) -> Pair | None:
    """The pair's statistic; None where boards together or apart are too few."""
    a, b = pair
    apart = [_without(alone[x], x, shared) for x in pair]
    if min(len(shared), *(part.n for part in apart)) < LEAST:
        return None
    own = {x: part.mean for x, part in zip(pair, apart, strict=True)}
    together = Sum()
    for board in shared:
        together.add(board.made[b] - board.made[a])
    help_ = together.mean - SCALE * (own[b] - own[a])
    parts = [(together.error2, together.n), *((SCALE**2 * s.error2, s.n) for s in apart)]
    error = sqrt(sum(variance for variance, _ in parts))
    above = {
        x: (alone[x].total - part.total) / len(shared)
        - part.mean
        + (own[y] - strengths[y]) / (SEATS - 1)
        for x, y, part in zip(pair, (b, a), apart, strict=True)
    }
    t = help_ / error if error else 0.0
    freedom = _freedom(parts)
    helper, helped = (a, b) if help_ >= 0 else (b, a)
    counts = {x: part.n for x, part in zip(pair, apart, strict=True)}
    return Pair(
        helper,
        helped,
        len(shared),
        (counts[helper], counts[helped]),
        abs(help_),
        above[helped],
        -above[helper],
        error,
        abs(t),
        freedom,
        two_sided(t, freedom),
    )


def _without(all_: Sum, x: str, shared: Sequence[Board]) -> Sum:
    """An entry's boards but those that it shared."""
    rest = Sum(all_.n, all_.total, all_.squares)
    for board in shared:
        rest.add(board.own[x], -1)
    return rest


def _freedom(parts: Sequence[tuple[float, int]]) -> float:
    """Welch's degrees of freedom for a sum of means."""
    total = sum(variance for variance, _ in parts)
    below = sum(variance * variance / (n - 1) for variance, n in parts)
    return total * total / below if below else 1.0


def _holm(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """With adjusted chances, the smallest first."""
    made: list[Pair] = []
    most = 0.0
    ordered = sorted(pairs, key=lambda pair: (pair.chance, pair.helper, pair.helped))
    for rank, pair in enumerate(ordered):
        most = max(most, min(1.0, pair.chance * (len(ordered) - rank)))
        made.append(replace(pair, adjusted=most))
    return tuple(made)
