"""What entries make of boards once luck is out of it, and how strong they are by that.

A hand is worth what others made of it at other tables beyond what their strengths let one expect,
shrunk towards 0 the fewer they were; strengths follow from what is left. Each is fitted to the
other in turn, a few times.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .deals import DealRow
from .least_squares import Normal
from .plan import SEATS

RIDGE = 0.05
ROUNDS_OF_FIT = 4
SCALE = SEATS / (SEATS - 1)
"""What two differ by at one table, to what their strengths differ by."""

Five = tuple[str, ...]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Board:
    """A board as five entries played it: what each made a deal, without luck.

    own: the strength of each by this board alone.
    """

    five: Five
    made: Mapping[str, float]
    own: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Sum:
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


class Field:
    """All boards, with strengths and what hands are worth fitted to each other in turn.

    Rows are put into groups once, by number: who held a hand, who held it at this table, whose it
    was on a board.
    """

    def __init__(self, rows: Sequence[DealRow]) -> None:
        fives = _fives(rows)
        self.rows = [row for row in rows if len(fives[row.match]) == SEATS]
        at = [fives[row.match] for row in self.rows]
        self._hands = _Groups([row.hand for row in self.rows])
        self._here = _Groups(list(zip(self._hands.of, at, strict=True)))
        self._who = _Groups(list(zip(at, (row.entry for row in self.rows), strict=True)))
        self._own = _Groups(
            [(r.board, five, r.entry) for r, five in zip(self.rows, at, strict=True)]
        )
        self._elsewhere = [
            self._hands.sizes[hand] - self._here.sizes[here]
            for hand, here in zip(self._hands.of, self._here.of, strict=True)
        ]
        self.compared = sum(count > 0 for count in self._elsewhere)
        self.luck = [0.0] * len(self.rows)
        self.boards = self._played()
        tables = _Tables(self.boards)
        self.strengths = tables.strengths(self.boards)
        for _ in range(ROUNDS_OF_FIT - 1):
            self._weigh()
            self.boards = self._played()
            self.strengths = tables.strengths(self.boards)

    def _played(self) -> list[Board]:
        """What everybody made a deal, without luck, in a fixed order of boards."""
        scores = [row.score - luck for row, luck in zip(self.rows, self.luck, strict=True)]
        made: dict[tuple[str, Five], dict[str, float]] = {}
        totals = self._own.sums(scores)
        for (board, five, x), total, n in zip(self._own.keys, totals, self._own.sizes, strict=True):
            made.setdefault((board, five), {})[x] = total / n
        return [Board(five, by_entry) for (_, five), by_entry in sorted(made.items())]

    def _weigh(self) -> None:
        """What hands are worth by what was made of them elsewhere beyond expectation."""
        expected = [self._expected(*key) for key in self._who.keys]
        beyond = [
            row.score - expected[who] for row, who in zip(self.rows, self._who.of, strict=True)
        ]
        whole, here = self._hands.sums(beyond), self._here.sums(beyond)
        worth, noise = self._spread(beyond)
        self.luck = [
            (whole[hand] - here[own]) / count * worth / (worth + noise / count)
            if count and worth
            else 0.0
            for hand, own, count in zip(self._hands.of, self._here.of, self._elsewhere, strict=True)
        ]

    def _expected(self, five: Five, x: str) -> float:
        others = sum(self.strengths[y] for y in five if y != x) / (SEATS - 1)
        return self.strengths[x] - others

    def _spread(self, beyond: Sequence[float]) -> tuple[float, float]:
        """Variances: between hands, and of what is made of one. 0 between if none was shared."""
        free = len(self.rows) - len(self._hands.keys)
        if not free:
            return 0.0, 1.0
        squares = sum(value * value for value in beyond)
        totals = zip(self._hands.sums(beyond), self._hands.sizes, strict=True)
        noise = (squares - sum(total * total / n for total, n in totals)) / free
        return max(0.0, squares / len(beyond) - noise), noise


class _Groups(Generic[K]):
    """Rows in groups of equal keys: the group of each, the groups' keys and sizes."""

    def __init__(self, keys: Sequence[K]) -> None:
        numbers: dict[K, int] = {}
        self.of = [numbers.setdefault(key, len(numbers)) for key in keys]
        self.keys = list(numbers)
        self.sizes = [0] * len(numbers)
        for group in self.of:
            self.sizes[group] += 1

    def sums(self, values: Sequence[float]) -> list[float]:
        """By group."""
        made = [0.0] * len(self.keys)
        for group, value in zip(self.of, values, strict=True):
            made[group] += value
        return made


class _Tables:
    """Who met whom: strengths by least squares over all boards, whatever was made on them."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self._ids = sorted({x for board in boards for x in board.five})
        self._index = {x: i for i, x in enumerate(self._ids)}
        self._normal = Normal(len(self._ids))
        for board in boards:
            self._normal.tie([self._index[x] for x in board.five])

    def strengths(self, boards: Sequence[Board]) -> dict[str, float]:
        right = [0.0] * len(self._ids)
        for board in boards:
            mean = sum(board.made.values()) / SEATS
            for x, value in board.made.items():
                right[self._index[x]] += SCALE * (value - mean)
        self._normal.right = right
        return dict(zip(self._ids, self._normal.solve(RIDGE), strict=True))


def _fives(rows: Sequence[DealRow]) -> dict[str, Five]:
    """match -> who sat there, sorted."""
    tables: dict[str, set[str]] = {}
    for row in rows:
        tables.setdefault(row.match, set()).add(row.entry)
    return {match: tuple(sorted(entries)) for match, entries in tables.items()}
