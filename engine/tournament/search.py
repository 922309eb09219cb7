"""Plans where no construction serves: annealed, or made round by round where fields are large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from .bounds import square_bound
from .designs.anneal import Annealer, Cooling
from .grouping import Meetings, group
from .lots import Lots, fast
from .placing import Constraints, conflicts
from .plan import SEATS, Plan, repeats, sitting_out

ANNEALED = 1000
"""The largest field that is annealed; its matrix of meetings has a million cells."""
LARGE = 300
"""Fields above try round by round first: it takes no time and mostly nobody meets twice."""
MOVES = 3_000_000
MOVES_A_PLACE = 8000
"""Small plans have cooled long before."""
WARM = 0.35
"""Starting temperature when the start is a design: hot enough to mend, too cold to melt it."""


@dataclass
class Search:
    """Rounds for entries 0..n-1 that `rounds` asks for. `played` holds -1 for who has left."""

    n: int
    rounds: int
    lots: Lots
    constraints: Constraints
    moves: int = MOVES
    played: Plan = field(default_factory=list)

    def run(self, start: Sequence[Sequence[Sequence[int]]] = ()) -> Plan:
        """The best plan found; `start` gives the first rounds to begin with, a good plan."""
        if self.n > ANNEALED or (self.n > LARGE and not start):
            start = self._one_by_one()
            if self.n > ANNEALED or not (repeats(start) or conflicts(start, self.constraints)):
                return start
        return self._annealed(start)

    def _one_by_one(self) -> Plan:
        """Each round avoids the meetings of those before; who sat out least has the byes."""
        word, meetings = fast(self.lots), Meetings(self.n, self.constraints.weights, self.played)
        plan: Plan = []
        for row in self._shuffled_rows():
            plan.append(group(row[: self.n - self.n % SEATS], meetings, word))
            for table in plan[-1]:
                meetings.add(table)
        return plan

    def _annealed(self, start: Sequence[Sequence[Sequence[int]]]) -> Plan:
        if not self.rounds:
            return []
        rows = self._shuffled_rows()
        rows[: len(start)] = [_row(tables, self.n) for tables in start]
        annealer = Annealer(rows, self._met(), self._missed())
        moves = min(self.moves, MOVES_A_PLACE * self.n * self.rounds)
        free = not (self.constraints or self.played)
        goal = square_bound(self.n, self.rounds) if free else 0
        annealer.run(Cooling(moves, WARM) if start else Cooling(moves), fast(self.lots), goal)
        return annealer.plan()

    def _shuffled_rows(self) -> list[list[int]]:
        """All by lot; at the end, sitting out, those who did least, so byes are even all along."""
        rows, missed = [list(range(self.n)) for _ in range(self.rounds)], self._missed()
        for row in rows:
            self.lots.shuffle(row)
            if over := self.n % SEATS:
                row.sort(key=lambda i: -missed[i])
                for i in row[-over:]:
                    missed[i] += 1
        return rows

    def _met(self) -> list[list[int]]:
        """Meetings before the plan, and what constraints count for."""
        met = self.constraints.as_meetings()
        for tables in self.played:
            for table in tables:
                for i, j in combinations([i for i in table if i >= 0], 2):
                    met[i][j] += 1
                    met[j][i] += 1
        return met

    def _missed(self) -> list[int]:
        """Played rounds in which each had no seat."""
        missed = [len(self.played)] * self.n
        for tables in self.played:
            for i in (i for table in tables for i in table if i >= 0):
                missed[i] -= 1
        return missed


def _row(tables: Sequence[Sequence[int]], n: int) -> list[int]:
    return [i for table in tables for i in table] + sitting_out(tables, n)
