"""Which entry gets which number of a plan, so that some pairs do not meet.

A plan with few rounds leaves most pairs of numbers unmet; entries that are to be kept apart get
such numbers. This keeps the plan's own quality whole, where changing its tables would not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from .lots import Lots
from .plan import Plan, meetings

Pair = tuple[int, int]
SPREAD, APART, NEVER = 3, 20, 1000
"""As many repeated meetings as a meeting of two house entries, of one owner's agents and of a
forbidden pair is worth when tables are annealed."""
SAMPLE = 200
"""Free numbers looked at for one entry; designs have whole classes that never meet."""
SWEEPS = 20


@dataclass(frozen=True)
class Constraints:
    """Pairs (i < j) of entry numbers below n that should not meet, or must not."""

    n: int
    spread: frozenset[Pair] = frozenset()
    apart: frozenset[Pair] = frozenset()
    forbidden: frozenset[Pair] = frozenset()
    partners: dict[int, dict[int, int]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        partners: dict[int, dict[int, int]] = {}
        weighted = ((self.spread, SPREAD), (self.apart, APART), (self.forbidden, NEVER))
        for pairs, weight in weighted:
            for i, j in pairs:
                partners.setdefault(i, {})[j] = weight
                partners.setdefault(j, {})[i] = weight
        object.__setattr__(self, "partners", partners)

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        keep_apart: Sequence[Collection[str]],
        house: Collection[str],
        forbidden: Sequence[tuple[str, str]],
    ) -> Constraints:
        """From ids; ids that are not in the field are ignored."""
        number = {x: i for i, x in enumerate(ids)}

        def pairs(*groups: Collection[str]) -> frozenset[Pair]:
            known = (sorted(number[x] for x in set(group) if x in number) for group in groups)
            return frozenset(pair for group in known for pair in combinations(group, 2))

        return cls(len(ids), pairs(house), pairs(*keep_apart), pairs(*forbidden))

    def __bool__(self) -> bool:
        return bool(self.partners)

    @property
    def weights(self) -> dict[Pair, int]:
        """What the meeting of a pair (i < j) weighs."""
        return {(i, j): w for i, row in self.partners.items() for j, w in row.items() if i < j}

    def as_meetings(self) -> list[list[int]]:
        """The matrix that annealing starts from."""
        met = meetings((), self.n)
        for i, row in self.partners.items():
            for j, weight in row.items():
                met[i][j] = weight
        return met


def conflicts(plan: Plan, constraints: Constraints) -> int:
    """Meetings of constrained pairs, weighted."""
    partners = constraints.partners
    return sum(
        partners.get(i, {}).get(j, 0)
        for tables in plan
        for table in tables
        for i, j in combinations(table, 2)
    )


def place(plan: Plan, n: int, constraints: Constraints, lots: Lots) -> list[int]:
    """number of the plan -> entry, all by lot, but constrained entries where they do not meet."""
    slots = list(range(n))
    lots.shuffle(slots)
    placing = _Placing(plan, slots, constraints)
    for _ in range(SWEEPS if constraints else 0):
        if not placing.sweep():
            break
    entry_at = [0] * n
    for entry, slot in enumerate(placing.slots):
        entry_at[slot] = entry
    return entry_at


class _Placing:
    """slots[entry] is the number it has; improved by exchanging two entries' numbers."""

    def __init__(self, plan: Plan, slots: list[int], constraints: Constraints) -> None:
        self.slots, self.partners = slots, constraints.partners
        self.table_at = [_table_of(tables, len(slots)) for tables in plan]

    def sweep(self) -> bool:
        """Try to better every constrained entry once; whether anything changed."""
        changed = False
        for entry in sorted(self.partners):
            if self._cost(entry):
                changed |= self._better(entry)
        return changed

    def _better(self, entry: int) -> bool:
        """Exchange with whoever of a sample gains most."""
        n = len(self.slots)
        step = max(1, n // SAMPLE)
        start = (entry * SAMPLE) % step
        others = (other for other in range(start, n, step) if other != entry)
        gain, best = min((self._exchange_cost(entry, other), other) for other in others)
        if gain < 0:
            self._exchange(entry, best)
        return gain < 0

    def _exchange_cost(self, a: int, b: int) -> int:
        before = self._cost(a) + self._cost(b)
        self._exchange(a, b)
        after = self._cost(a) + self._cost(b)
        self._exchange(a, b)
        return after - before

    def _exchange(self, a: int, b: int) -> None:
        self.slots[a], self.slots[b] = self.slots[b], self.slots[a]

    def _cost(self, entry: int) -> int:
        mine = self.slots[entry]
        return sum(
            weight * self._meet(mine, self.slots[other])
            for other, weight in self.partners.get(entry, {}).items()
        )

    def _meet(self, x: int, y: int) -> int:
        return sum(table[x] == table[y] for table in self.table_at)


def _table_of(tables: Sequence[Sequence[int]], n: int) -> list[int]:
    """Table of each number in one round; those who sit out are alone, at negative ones."""
    table_of = [-1 - x for x in range(n)]
    for t, table in enumerate(tables):
        for x in table:
            table_of[x] = t
    return table_of
