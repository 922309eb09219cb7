"""Who takes which free place: whoever comes back his own, late entries where they clash least.

A place is any name; places meet in rounds to come. Of all ways to fill the free places the first
counts by forbidden pairs, then by those who do not get their own, then by agents of one owner that
meet, then by meetings that are repeated. Few entries come at once, so places are exchanged until
no exchange helps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Generic, TypeVar

from .filling import owners
from .scheme import State

P = TypeVar("P", bound=Hashable)
Cost = tuple[int, int, int, int]
"""Forbidden pairs, places not one's own, meetings of one owner's, repeated meetings."""
NOTHING: Cost = (0, 0, 0, 0)


class Acquaintance:
    """What it costs that two meet: who must not, who had better not, who has met."""

    def __init__(self, state: State, comers: Iterable[str]) -> None:
        among = set(comers)
        self.forbidden = {frozenset(pair) for pair in state.forbidden}
        self.owned = {frozenset(p) for g in owners(state.entrants) for p in combinations(g, 2)}
        self.met = Counter(
            frozenset(pair)
            for round_ in state.rounds
            for table in round_.tables
            if not among.isdisjoint(table)
            for pair in combinations(table, 2)
        )

    def cost(self, x: str, y: str, times: int) -> Cost:
        """Of so many meetings to come."""
        pair = frozenset((x, y))
        had = self.met[pair]
        again = comb(had + times, 2) - comb(had, 2)
        return times * (pair in self.forbidden), 0, times * (pair in self.owned), again


@dataclass(frozen=True)
class Places(Generic[P]):
    """free: places to take, in the order in which they are taken where nothing else decides.

    meets[p][q]: rounds to come in which p and q are at one table. taken: who is at the places that
    are not free. own: a comer's own places.
    """

    free: Sequence[P]
    meets: Mapping[P, Mapping[P, int]]
    taken: Mapping[P, str]
    own: Mapping[str, frozenset[P]]

    def fill(self, comers: Sequence[str], known: Acquaintance) -> dict[P, str]:
        """A place for every comer; there are as many free ones at least."""
        there: dict[P, str] = {}
        for x in sorted(comers, key=lambda x: not self._own(x)):
            there[self._cheapest(x, there, known)] = x
        while self._exchange(there, known):
            pass
        return there

    def _own(self, x: str) -> frozenset[P]:
        return self.own.get(x, frozenset()) & self._all_free

    @cached_property
    def _all_free(self) -> frozenset[P]:
        return frozenset(self.free)

    def _cheapest(self, x: str, there: Mapping[P, str], known: Acquaintance) -> P:
        """The first of the free places that cost x least."""
        costs = ((self._cost(x, p, there, known), p) for p in self.free if p not in there)
        cheapest, place = next(costs)
        for cost, p in costs:
            if cheapest == NOTHING:
                break
            if cost < cheapest:
                cheapest, place = cost, p
        return place

    def _exchange(self, there: dict[P, str], known: Acquaintance) -> bool:
        """Make the first move to another free place, or exchange of two, that costs less."""
        dear = {p for p, x in there.items() if self._cost(x, p, there, known) > NOTHING}
        for p, q in combinations(self.free, 2) if dear else ():
            if p not in dear and q not in dear:
                continue
            before = self._both(p, q, there, known)
            _swap(there, p, q)
            if self._both(p, q, there, known) < before:
                return True
            _swap(there, p, q)
        return False

    def _both(self, p: P, q: P, there: Mapping[P, str], known: Acquaintance) -> Cost:
        costs = (self._cost(there[x], x, there, known) for x in (p, q) if x in there)
        return _sum(costs)

    def _cost(self, x: str, p: P, there: Mapping[P, str], known: Acquaintance) -> Cost:
        """Of x at p beside those who are there."""
        strange = int(bool(own := self._own(x)) and p not in own)
        company = ((there.get(q, self.taken.get(q)), n) for q, n in self.meets[p].items())
        met = (known.cost(x, y, n) for y, n in company if y is not None and y != x)
        return _sum([(0, strange, 0, 0), *met])


def _swap(there: dict[P, str], p: P, q: P) -> None:
    x, y = there.pop(p, None), there.pop(q, None)
    if x is not None:
        there[q] = x
    if y is not None:
        there[p] = y


def _sum(costs: Iterable[Cost]) -> Cost:
    a, b, c, d = (sum(column) for column in zip(NOTHING, *costs, strict=True))
    return a, b, c, d
