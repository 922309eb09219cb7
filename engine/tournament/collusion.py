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

from .deals import DealRow, Hand
from .least_squares import Normal
from .plan import SEATS
from .student import two_sided

LEVEL = 0.01
LEAST = 8  # boards that a mean is made of, at least
RIDGE = 0.05
ROUNDS_OF_FIT = 4
SCALE = SEATS / (SEATS - 1)

Five = tuple[str, ...]


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


@dataclass(frozen=True)
class _Board:
    """A board as five entries played it: what each made a deal, without luck."""

    five: Five
    made: Mapping[str, float]


@dataclass(slots=True)
class _Sum:
    """Count, sum and sum of squares."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float, times: int = 1) -> None:
        self.n += times
        self.total += times * value
        self.squares += times * value * value

    @property
    def mean(self) -> float:
        return self.total / self.n

    @property
    def error2(self) -> float:
        """The mean's variance."""
        spread = max(0.0, self.squares - self.total * self.total / self.n) / (self.n - 1)
        return spread / self.n


def examine(rows: Sequence[DealRow], house: Collection[str] = ()) -> Report:
    """Every pair that can be judged and is not two of the `house`, who have nobody to help.

    Takes a few steps a board and pair at it.
    """
    field = _Field(rows)
    boards, strengths = field.boards, field.strengths
    alone: dict[str, _Sum] = {}
    met: dict[tuple[str, str], list[_Board]] = {}
    for board in boards:
        for x in board.five:
            alone.setdefault(x, _Sum()).add(_own(board, x, strengths))
        for pair in combinations(sorted(board.five), 2):
            if not house or any(x not in house for x in pair):
                met.setdefault(pair, []).append(board)
    found = [_judged(pair, alone, shared, strengths) for pair, shared in sorted(met.items())]
    tested = [pair for pair in found if pair is not None]
    return Report(
        _holm(tested), len(found) - len(tested), len(boards), len(field.rows), field.compared
    )


class _Field:
    """All boards, with strengths and what hands are worth fitted to each other in turn."""

    def __init__(self, rows: Sequence[DealRow]) -> None:
        fives = _fives(rows)
        self.rows = [row for row in rows if len(fives[row.match]) == SEATS]
        self.places = [(row.board, fives[row.match]) for row in self.rows]
        self.strengths = dict.fromkeys({row.entry for row in self.rows}, 0.0)
        self.luck = [0.0] * len(self.rows)
        self.compared = sum(count > 0 for _, count in self._elsewhere([0.0] * len(self.rows)))
        for _ in range(ROUNDS_OF_FIT if self.rows else 0):
            self.boards = self._played()
            self.strengths = _strengths(self.boards)
            self._weigh()
        self.boards = self._played()

    def _played(self) -> list[_Board]:
        """What everybody made, without luck, in a fixed order of boards."""
        made: dict[tuple[str, Five], dict[str, _Sum]] = {}
        for row, place, luck in zip(self.rows, self.places, self.luck, strict=True):
            made.setdefault(place, {}).setdefault(row.entry, _Sum()).add(row.score - luck)
        return [
            _Board(five, {x: sum_.mean for x, sum_ in by_entry.items()})
            for (_, five), by_entry in sorted(made.items())
        ]

    def _weigh(self) -> None:
        """What hands are worth by what was made of them elsewhere beyond expectation."""
        beyond = [
            row.score - self._expected(row.entry, five)
            for row, (_, five) in zip(self.rows, self.places, strict=True)
        ]
        worth, noise = _spread(self.rows, beyond)
        self.luck = [
            mean * worth / (worth + noise / count) if count and worth else 0.0
            for mean, count in self._elsewhere(beyond)
        ]

    def _expected(self, x: str, five: Five) -> float:
        others = sum(self.strengths[y] for y in five if y != x) / (SEATS - 1)
        return self.strengths[x] - others

    def _elsewhere(self, values: Sequence[float]) -> list[tuple[float, int]]:
        """By row: mean and number of the values of its hand at other tables."""
        whole: dict[Hand, _Sum] = {}
        here: dict[tuple[Hand, Five], _Sum] = {}
        for row, (_, five), value in zip(self.rows, self.places, values, strict=True):
            whole.setdefault(row.hand, _Sum()).add(value)
            here.setdefault((row.hand, five), _Sum()).add(value)
        found = []
        for row, (_, five) in zip(self.rows, self.places, strict=True):
            all_, own = whole[row.hand], here[row.hand, five]
            count = all_.n - own.n
            found.append(((all_.total - own.total) / count if count else 0.0, count))
        return found


def _fives(rows: Sequence[DealRow]) -> dict[str, Five]:
    """match -> who sat there, sorted."""
    tables: dict[str, set[str]] = {}
    for row in rows:
        tables.setdefault(row.match, set()).add(row.entry)
    return {match: tuple(sorted(entries)) for match, entries in tables.items()}


def _spread(rows: Sequence[DealRow], beyond: Sequence[float]) -> tuple[float, float]:
    """Variances: between hands, and of what is made of one hand. 0 between if nobody shared any."""
    hands: dict[Hand, _Sum] = {}
    for row, value in zip(rows, beyond, strict=True):
        hands.setdefault(row.hand, _Sum()).add(value)
    free = len(rows) - len(hands)
    if not free:
        return 0.0, 1.0
    noise = sum(s.squares - s.total * s.total / s.n for s in hands.values()) / free
    whole = sum(value * value for value in beyond) / len(rows)
    return max(0.0, whole - noise), noise


def _strengths(boards: Sequence[_Board]) -> dict[str, float]:
    """By least squares over all boards."""
    ids = sorted({x for board in boards for x in board.five})
    index = {x: i for i, x in enumerate(ids)}
    normal = Normal(len(ids))
    for board in boards:
        normal.tie([index[x] for x in board.five])
        mean = sum(board.made.values()) / SEATS
        for x, value in board.made.items():
            normal.right[index[x]] += SCALE * (value - mean)
    return dict(zip(ids, normal.solve(RIDGE), strict=True))


def _others(board: _Board, x: str, strengths: Mapping[str, float]) -> float:
    """The mean strength of the other four."""
    return sum(strengths[y] for y in board.five if y != x) / (SEATS - 1)


def _own(board: _Board, x: str, strengths: Mapping[str, float]) -> float:
    """An entry's strength by this board alone."""
    return board.made[x] + _others(board, x, strengths)


def _judged(
    pair: tuple[str, str],
    alone: Mapping[str, _Sum],
    shared: Sequence[_Board],
    strengths: Mapping[str, float],
) -> Pair | None:
    """The pair's statistic; None where boards together or apart are too few."""
    a, b = pair
    apart = [_without(alone[x], x, shared, strengths) for x in pair]
    if min(len(shared), *(part.n for part in apart)) < LEAST:
        return None
    own = {x: part.mean for x, part in zip(pair, apart, strict=True)}
    together = _Sum()
    for board in shared:
        together.add(board.made[b] - board.made[a])
    help_ = together.mean - SCALE * (own[b] - own[a])
    parts = [(together.error2, together.n), *((SCALE**2 * s.error2, s.n) for s in apart)]
    error = sqrt(sum(variance for variance, _ in parts))
    above = {x: _above(x, shared, {**strengths, **own}) for x in pair}
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


def _without(all_: _Sum, x: str, shared: Sequence[_Board], strengths: Mapping[str, float]) -> _Sum:
    """An entry's boards but those that it shared."""
    rest = _Sum(all_.n, all_.total, all_.squares)
    for board in shared:
        rest.add(_own(board, x, strengths), -1)
    return rest


def _above(x: str, shared: Sequence[_Board], strengths: Mapping[str, float]) -> float:
    """What it made on shared boards above what was to be expected there."""
    beyond = (board.made[x] - strengths[x] + _others(board, x, strengths) for board in shared)
    return sum(beyond) / len(shared)


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
