"""Simulated annealing: where no construction exists, or a constraint spoils it.

Cost of a plan: the sum over pairs of C(times met, 2), so that meetings are spread evenly. A move
swaps two entries of one round that sit at different tables. Meetings before the plan (played
rounds) and pairs to keep apart enter as a matrix of meetings already held: two who begin at 1000
meet only if they must.

Byes are dealt out evenly beforehand and stay so after every round: a move that seats someone who
sits out exchanges the two entries' byes of the same order (both first, both second, …), so that at
any time as many have had k byes as before.

Random words and acceptance thresholds are integers, so a plan depends on its draw alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp

from ..plan import SEATS, Plan

Matrix = list[list[int]]
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
    symmetric, diagonal 0) begins with what was before and is kept up to date. `missed` counts the
    byes before the plan.
    """

    def __init__(self, rows: list[list[int]], met: Matrix, missed: Sequence[int]) -> None:
        self.met, self.missed = met, missed
        self.n = len(missed)
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

    def _enter(self) -> None:
        self.out: list[list[int]] = [[] for _ in range(self.n)]
        for r, row in enumerate(self.rows):
            for i, j in self._pairs(row):
                self.cost += self.met[i][j]
                self.met[i][j] += 1
                self.met[j][i] += 1
            for i in row[self.seated :]:
                self.out[i].append(r)

    def _leave(self) -> None:
        for row in self.rows:
            for i, j in self._pairs(row):
                self.met[i][j] -= 1
                self.met[j][i] -= 1

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
        square, limit = n * n, len(chances)
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
                self._exchange_byes(r, min(p, q), max(p, q), chances, w >> 32)
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
            self.cost += rise
            if self.cost <= goal:
                break

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

    def _exchange_byes(self, r: int, p: int, q: int, chances: list[int], chance: int) -> None:
        """Try to seat who sits out at place q of round r at place p; byes change places."""
        i, j = self.rows[r][p], self.rows[r][q]
        before = self.missed[j] + self.out[j].index(r)
        order = before - self.missed[i]
        other = self.out[i][order] if 0 <= order < len(self.out[i]) else -1
        if order < 0 or order > len(self.out[i]) or (other < 0 and self.out[j][-1] != r):
            return
        if other in self.out[j]:
            return
        rise = self._seat(r, i, j)
        if other >= 0:
            rise += self._seat(other, j, i)
        if rise <= 0 or (rise < len(chances) and chance < chances[rise]):
            self.cost += rise
            return
        self._seat(r, j, i)
        if other >= 0:
            self._seat(other, i, j)

    def _seat(self, r: int, leaver: int, comer: int) -> int:
        """Seat `comer`, who sits out in round r, in the place of `leaver`; the rise in cost."""
        row = self.rows[r]
        p, q = row.index(leaver), row.index(comer)
        start = p - p % SEATS
        out, into = self.met[leaver], self.met[comer]
        rise = sum(into[k] - out[k] + 1 for k in row[start : start + SEATS] if k != leaver)
        self._move(row, start, leaver, comer)
        row[p], row[q] = comer, leaver
        self.out[comer].remove(r)
        self.out[leaver].append(r)
        self.out[leaver].sort()
        return rise
