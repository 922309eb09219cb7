"""Simulated annealing: where no construction exists, or a constraint spoils it.

Cost of a plan: the sum over pairs of C(times met, 2), so that meetings are spread evenly, plus a
term that keeps everybody's number of byes equal. A move swaps two entries of one round that sit
at different tables, or one of whom sits out. Meetings before the plan (played rounds) and pairs
to keep apart enter as a matrix of meetings already held: two who begin at 1000 meet only if they
must.

Random words and acceptance thresholds are integers, so a plan depends on its draw alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp

from ..plan import SEATS, Plan

Matrix = list[list[int]]
BYE_WEIGHT = 6
STAGES = 100
LONGEST_RISE = 64


@dataclass(frozen=True)
class Cooling:
    """`moves` tried while the temperature falls geometrically from `hot` to `cold`."""

    moves: int
    hot: float = 1.2
    cold: float = 0.1

    def temperatures(self) -> list[float]:
        return [self.hot * (self.cold / self.hot) ** (k / (STAGES - 1)) for k in range(STAGES)]


def thresholds(temperature: float) -> list[int]:
    """Chance of accepting a rise of 0, 1, … times 2^32; a rise beyond the list never is."""
    chances = (round(exp(-rise / temperature) * (1 << 32)) for rise in range(LONGEST_RISE))
    return [chance for chance in chances if chance]


class Annealer:
    """A plan under improvement.

    `rows[r]` lists all n entries: table after table, then those who sit out. `met` (n by n,
    symmetric, diagonal 0) and `byes` begin with what was before and are kept up to date.
    """

    def __init__(self, rows: list[list[int]], met: Matrix, byes: list[int]) -> None:
        self.met, self.byes = met, byes
        self.n = len(byes)
        self.seated = self.n - self.n % SEATS
        self.cost, self.rows = 0, rows
        self._enter()

    def run(self, cooling: Cooling, word: Callable[[], int], goal: int = 0) -> None:
        """Anneal until the moves are used up or the cost is `goal`; keep the best plan seen."""
        best, kept = self.cost, [list(row) for row in self.rows]
        for temperature in cooling.temperatures():
            if best <= goal:
                break
            self._stage(thresholds(temperature), cooling.moves // STAGES, word, goal)
            if self.cost < best:
                best, kept = self.cost, [list(row) for row in self.rows]
        if self.cost > best:
            self._leave()
            self.cost, self.rows = 0, kept
            self._enter()

    def plan(self) -> Plan:
        """The tables, without those who sit out."""
        cuts = range(0, self.seated, SEATS)
        return [[row[start : start + SEATS] for start in cuts] for row in self.rows]

    def even_byes(self) -> None:
        """Make byes differ by at most one where the rounds allow it, by the cheapest swaps.

        Ends: every swap lowers the sum of the squares of the byes.
        """
        while swaps := list(self._evening_swaps()):
            rise, r, p, q = min(swaps)
            self._bye_swap(self.rows[r], p, q)
            self.cost += rise

    def _evening_swaps(self) -> Iterator[tuple[int, int, int, int]]:
        for r, row in enumerate(self.rows):
            for q in range(self.seated, self.n):
                many = self.byes[row[q]]
                for p in range(self.seated):
                    if self.byes[row[p]] + 1 < many:
                        yield self._bye_rise(row, p, q), r, p, q

    def _enter(self) -> None:
        for row in self.rows:
            for i, j in self._pairs(row):
                self.cost += self.met[i][j]
                self.met[i][j] += 1
                self.met[j][i] += 1
            for i in row[self.seated :]:
                self.cost += BYE_WEIGHT * self.byes[i]
                self.byes[i] += 1

    def _leave(self) -> None:
        for row in self.rows:
            for i, j in self._pairs(row):
                self.met[i][j] -= 1
                self.met[j][i] -= 1
            for i in row[self.seated :]:
                self.byes[i] -= 1

    def _pairs(self, row: list[int]) -> list[tuple[int, int]]:
        return [
            (row[p], row[q])
            for start in range(0, self.seated, SEATS)
            for p in range(start, start + SEATS)
            for q in range(start, p)
        ]

    def _stage(self, chances: list[int], moves: int, word: Callable[[], int], goal: int) -> None:
        """The inner loop, unrolled: one random word is a move and its chance."""
        rows, n, seated, met = self.rows, self.n, self.seated, self.met
        square, limit, cost = n * n, len(chances), self.cost
        space = square * len(rows)
        for _ in range(moves):
            w = word()
            r, pair = divmod(w % space, square)
            p, q = divmod(pair, n)
            a, b = p - p % SEATS, q - q % SEATS
            if a == b:
                continue
            row = rows[r]
            if p >= seated or q >= seated:
                if p >= seated:
                    p, q = q, p
                rise = self._bye_rise(row, p, q)
                if rise < limit and (rise <= 0 or (w >> 32) < chances[rise]):
                    self._bye_swap(row, p, q)
                    cost += rise
                continue
            i, j = row[p], row[q]
            u, v = met[i], met[j]
            a0, a1, a2, a3, a4 = row[a : a + 5]
            b0, b1, b2, b3, b4 = row[b : b + 5]
            rise = (
                8 - u[j] - u[j]
                + v[a0] + v[a1] + v[a2] + v[a3] + v[a4] - u[a0] - u[a1] - u[a2] - u[a3] - u[a4]
                + u[b0] + u[b1] + u[b2] + u[b3] + u[b4] - v[b0] - v[b1] - v[b2] - v[b3] - v[b4]
            )  # fmt: skip
            if rise >= limit or (rise > 0 and (w >> 32) >= chances[rise]):
                continue
            self._move(row, a, i, j)
            self._move(row, b, j, i)
            row[p], row[q] = j, i
            cost += rise
            if cost <= goal:
                break
        self.cost = cost

    def _move(self, row: list[int], start: int, leaver: int, comer: int) -> None:
        """Count what changes when `comer` takes the place of `leaver` at the table at `start`."""
        met = self.met
        out, into = met[leaver], met[comer]
        for k in row[start : start + SEATS]:
            if k != leaver:
                out[k] -= 1
                met[k][leaver] -= 1
                into[k] += 1
                met[k][comer] += 1

    def _bye_rise(self, row: list[int], p: int, q: int) -> int:
        """What it costs to seat row[q], who sits out, in the place of row[p]."""
        i, j = row[p], row[q]
        u, v, start = self.met[i], self.met[j], p - p % SEATS
        meets = sum(v[k] - u[k] + 1 for k in row[start : start + SEATS] if k != i)
        return meets + BYE_WEIGHT * (self.byes[i] - self.byes[j] + 1)

    def _bye_swap(self, row: list[int], p: int, q: int) -> None:
        i, j = row[p], row[q]
        self._move(row, p - p % SEATS, i, j)
        self.byes[i] += 1
        self.byes[j] -= 1
        row[p], row[q] = j, i
