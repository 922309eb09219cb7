"""Plans and schedules: who sits at which table in which round.

Inside this folder entries are numbers 0..n-1 (a `Plan`), so that counting is cheap; outside they
are ids (a `Schedule`). A table is always five numbers in seat order, seat 0 first. Whoever is at
no table in a round has a bye.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

SEATS = 5

Plan = list[list[list[int]]]
"""[round][table][seat] -> number of the entry."""

Table = tuple[str, ...]
"""Five entry ids in seat order."""


@dataclass(frozen=True)
class Round:
    """Round `number` (from 1): tables of five ids in seat order; who sits out, who is out."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()
    out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """rounds[r][t] is a table; byes[r] the ids that sit round r out, sorted.

    `source` names the construction. `repeats` counts meetings beyond each pair's first; no schedule
    of this size can have fewer than `bound` (bounds.py).
    """

    rounds: tuple[tuple[Table, ...], ...]
    byes: tuple[Table, ...]
    source: str
    repeats: int
    bound: int

    def to_json(self) -> dict[str, object]:
        """Plain lists, for storing."""
        return {
            "rounds": [[list(table) for table in tables] for tables in self.rounds],
            "byes": [list(ids) for ids in self.byes],
            "source": self.source,
            "repeats": self.repeats,
            "bound": self.bound,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Schedule:
        """What `to_json` gave; ValueError if it is anything else."""
        rounds, byes, source = data.get("rounds"), data.get("byes"), data.get("source")
        repeats, bound = data.get("repeats"), data.get("bound")
        if not (isinstance(rounds, list) and isinstance(byes, list) and isinstance(source, str)):
            raise ValueError("a schedule has the lists rounds and byes and the text source")
        if not (isinstance(repeats, int) and isinstance(bound, int)):
            raise ValueError("a schedule has the numbers repeats and bound")
        tables = tuple(tuple(tuple(map(str, table)) for table in row) for row in rounds)
        return cls(tables, tuple(tuple(map(str, row)) for row in byes), source, repeats, bound)


def meetings(rounds: Iterable[Iterable[Sequence[int]]], n: int) -> list[list[int]]:
    """An n by n symmetric matrix: how often two numbers sat at one table."""
    met = [[0] * n for _ in range(n)]
    for tables in rounds:
        for table in tables:
            for i, j in combinations(table, 2):
                met[i][j] += 1
                met[j][i] += 1
    return met


def repeats(rounds: Iterable[Iterable[Sequence[int]]]) -> int:
    """Meetings beyond each pair's first, summed over all pairs."""
    seen: set[tuple[int, ...]] = set()
    total = 0
    for tables in rounds:
        for table in tables:
            total += 10
            seen.update(combinations(sorted(table), 2))
    return total - len(seen)


def sitting_out(tables: Iterable[Sequence[int]], n: int) -> list[int]:
    """The numbers below n that are at none of the tables, ascending."""
    seated = {i for table in tables for i in table}
    return [i for i in range(n) if i not in seated]
