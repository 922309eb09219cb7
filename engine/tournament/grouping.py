"""A ranked list cut into tables of five whose members have not met: one round of a Swiss.

Three steps. From the top, the highest entry left takes the nearest four below that none of the
table has met. Then every entry that still meets someone again is exchanged with one of a near
table, where that lowers the cost. In small fields annealing polishes the whole. The cost is
lexicographic in effect: a repeated meeting weighs as much as being moved by a hundred tables; then
the squares of the distances in rank between an entry and its table's middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import log

from .plan import SEATS, Plan

Tables = list[list[int]]

WINDOW = 40
"""How far below the highest entry left its table is looked for."""
REACHES = (6, 6, 18, 18, 54)
"""Tables up and down that an exchange is looked for in, pass after pass over what still clashes."""
REPEAT = 250_000
"""Cost of a repeated meeting in squared ranks."""
POLISHED = 300
"""The largest field that is annealed: its matrix has 90,000 cells."""


class Meetings:
    """Who has met whom, and pairs that are to be kept apart.

    `weights[i, j]` (i < j) counts as that many meetings more. Negative numbers in `played` are who
    is there no more.
    """

    def __init__(
        self, n: int, weights: Mapping[tuple[int, int], int], played: Plan | None = None
    ) -> None:
        self.weights = weights
        self.met: list[set[int]] = [set() for _ in range(n)]
        self.often: dict[tuple[int, int], int] = {}
        for i, j in weights:
            self.met[i].add(j)
            self.met[j].add(i)
        for tables in played or ():
            for table in tables:
                self.add([i for i in table if i >= 0])

    def add(self, table: Sequence[int]) -> None:
        """A table that was played."""
        five = set(table)
        for i in table:
            self.met[i] |= five
        if len(self.met) <= POLISHED:
            for pair in combinations(sorted(table), 2):
                self.often[pair] = self.often.get(pair, 0) + 1

    def clash(self, i: int, others: Sequence[int]) -> int:
        """How often i has met others, itself not counted."""
        met = self.met[i]
        total = 0
        for j in others:
            if j in met and j != i:
                total += self.weight(i, j)
        return total

    def weight(self, i: int, j: int) -> int:
        pair = (i, j) if i < j else (j, i)
        return (self.often.get(pair, 1) if j in self.met[i] else 0) + self.weights.get(pair, 0)


def straight(order: Sequence[int]) -> Tables:
    """Blocks of five in order of rank, whoever has met."""
    return [list(order[start : start + SEATS]) for start in range(0, len(order), SEATS)]


def group(order: Sequence[int], meetings: Meetings, word: Callable[[], int]) -> Tables:
    """Tables for a ranked list (its length a multiple of five), the highest table first."""
    rank = {entry: r for r, entry in enumerate(order)}
    tables = _greedy(order, meetings.met)
    tables.sort(key=lambda table: sum(rank[i] for i in table))
    _repair(tables, rank, meetings)
    if len(order) <= POLISHED:
        Polish(tables, rank, meetings).run(word)
    return tables


def _greedy(order: Sequence[int], met: Sequence[set[int]]) -> Tables:
    """The highest entry left with the nearest four it fits with; else simply the nearest."""
    tables: Tables = []
    left = list(order)
    while left:
        near = left[: WINDOW + SEATS]
        table = [near[0]]
        for i in near[1:]:
            if met[i].isdisjoint(table):
                table.append(i)
                if len(table) == SEATS:
                    break
        for i in near:
            if len(table) == SEATS:
                break
            if i not in table:
                table.append(i)
        for i in table:
            near.remove(i)
        left[: WINDOW + SEATS] = near
        tables.append(table)
    return tables


def deal_out(order: Sequence[int], tables: int, weights: Mapping[tuple[int, int], int]) -> Tables:
    """A ranked list dealt out to and fro over tables, so that all tables are equally strong.

    In each turn an entry goes to the table where it clashes least (`weights[i, j]`, i < j); then
    entries of the same turn are exchanged while that helps.
    """
    dealt: Tables = [[] for _ in range(tables)]
    for turn in range(SEATS):
        free = list(range(tables)) if turn % 2 == 0 else list(range(tables))[::-1]
        for i in order[turn * tables : (turn + 1) * tables]:
            t = _least_clashing(i, free, dealt, weights)
            free.remove(t)
            dealt[t].append(i)
    while _exchange_in_turns(dealt, weights):
        pass
    return dealt


def _least_clashing(
    i: int, free: Sequence[int], dealt: Tables, weights: Mapping[tuple[int, int], int]
) -> int:
    """The first of the free tables at which i clashes least; mostly it is one of the first."""
    least, best = -1, free[0]
    for t in free:
        clash = _clash(i, dealt[t], weights)
        if not clash:
            return t
        if least < 0 or clash < least:
            least, best = clash, t
    return best


def _exchange_in_turns(dealt: Tables, weights: Mapping[tuple[int, int], int]) -> bool:
    """Make the first exchange within a turn that lowers the clashes; whether there was one."""
    clashes = [_clashes(table, weights) for table in dealt] if weights else []
    bad = {t for t, clash in enumerate(clashes) if clash}
    for s, t in combinations(range(len(dealt) if bad else 0), 2):
        if s not in bad and t not in bad:
            continue
        a, b = dealt[s], dealt[t]
        for turn in range(SEATS):
            a[turn], b[turn] = b[turn], a[turn]
            if _clashes(a, weights) + _clashes(b, weights) < clashes[s] + clashes[t]:
                return True
            a[turn], b[turn] = b[turn], a[turn]
    return False


def _clash(i: int, others: Sequence[int], weights: Mapping[tuple[int, int], int]) -> int:
    return sum(weights.get((min(i, j), max(i, j)), 0) for j in others)


def _clashes(table: Sequence[int], weights: Mapping[tuple[int, int], int]) -> int:
    return sum(_clash(i, table[:k], weights) for k, i in enumerate(table))


def _middle(t: int) -> int:
    """The middle rank of table t."""
    return t * SEATS + SEATS // 2


def _repair(tables: Tables, rank: Mapping[int, int], meetings: Meetings) -> None:
    """Exchange whoever meets someone again for the entry of a near table that costs least."""
    for reach in REACHES:
        clashing = [
            (t, i) for t, table in enumerate(tables) for i in table if meetings.clash(i, table)
        ]
        for t, i in clashing:
            if i in tables[t] and meetings.clash(i, tables[t]):
                swaps = _swaps(tables, t, i, reach, rank, meetings)
                rise, other, j = min(swaps, default=(0, t, i))
                if rise < 0:
                    tables[t][tables[t].index(i)] = j
                    tables[other][tables[other].index(j)] = i


def _swaps(
    tables: Tables, t: int, i: int, reach: int, rank: Mapping[int, int], meetings: Meetings
) -> Iterator[tuple[int, int, int]]:
    """(rise in cost, table, entry) of every exchange of i with an entry of a near table."""
    mine = meetings.clash(i, tables[t])
    for other in range(max(0, t - reach), min(len(tables), t + reach + 1)):
        if other == t:
            continue
        for j in tables[other]:
            clashes = (
                meetings.clash(j, [x for x in tables[t] if x != i])
                + meetings.clash(i, [x for x in tables[other] if x != j])
                - meetings.clash(j, tables[other])
                - mine
            )
            moved = 2 * (_middle(t) - _middle(other)) * (rank[i] - rank[j])
            yield REPEAT * clashes + moved, other, j


class Polish:
    """Threshold annealing of one round: exchanges that cost less than a falling random bound."""

    MOVES_AN_ENTRY = (300, 1200)
    """The second where someone still meets again."""
    STAGES = 60
    HOT, COLD = REPEAT / 2, 8.0
    """From half a repeated meeting down to less than the exchange of two neighbours in rank."""

    def __init__(self, tables: Tables, rank: Mapping[int, int], meetings: Meetings) -> None:
        self.tables = tables
        self.entries = sorted(rank, key=rank.__getitem__)
        self.row = [rank[i] for table in tables for i in table]
        self.costs = [[REPEAT * meetings.weight(i, j) for j in self.entries] for i in self.entries]
        for r, costs in enumerate(self.costs):
            costs[r] = 0

    def run(self, word: Callable[[], int]) -> None:
        """Improve the tables in place; they are never worse afterwards."""
        best, kept, cost = 0, list(self.row), 0
        moves = len(self.row) * self.MOVES_AN_ENTRY[self._clashes()]
        for stage in range(self.STAGES):
            heat = self.HOT * (self.COLD / self.HOT) ** (stage / (self.STAGES - 1))
            bounds = [round(-heat * log((k + 0.5) / 256)) for k in range(256)]
            cost += self._stage(bounds, moves // self.STAGES, word)
            if cost < best:
                best, kept = cost, list(self.row)
        for t, table in enumerate(self.tables):
            table[:] = [self.entries[r] for r in kept[t * SEATS : t * SEATS + SEATS]]

    def _clashes(self) -> bool:
        cuts = range(0, len(self.row), SEATS)
        tables = [self.row[start : start + SEATS] for start in cuts]
        return any(self.costs[i][j] for table in tables for i, j in combinations(table, 2))

    def _stage(self, bounds: Sequence[int], moves: int, word: Callable[[], int]) -> int:
        """Try `moves` exchanges; the change in cost."""
        row, costs, n = self.row, self.costs, len(self.row)
        change = 0
        for _ in range(moves):
            w = word()
            p, q = divmod(w % (n * n), n)
            a, b = p - p % SEATS, q - q % SEATS
            i, j = row[p], row[q]
            rise = 2 * (a - b) * (i - j)
            bound = bounds[w >> 56]
            if a == b:
                continue
            u, v = costs[i], costs[j]
            near, far = row[a : a + SEATS], row[b : b + SEATS]
            rise -= 2 * u[j]
            for k in near:
                rise += v[k] - u[k]
            for k in far:
                rise += u[k] - v[k]
            if rise < bound:
                row[p], row[q] = j, i
                change += rise
        return change
