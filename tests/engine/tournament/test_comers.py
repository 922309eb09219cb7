"""Who takes which free place: everybody one, and no exchange of two betters it, by trying all."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import pytest

from baohuang.engine.tournament.comers import Acquaintance, Places

PLACES = range(20)  # four tables a round
FREE = range(12, 20)


class Field:
    """A field at random: who must not meet, owners, a round played, two to come, places had."""

    def __init__(self, draw: random.Random) -> None:
        self.taken = {place: f"e{place}" for place in PLACES if place not in FREE}
        self.comers = [f"c{n}" for n in range(draw.randint(1, len(FREE)))]
        self.names = [*self.taken.values(), *self.comers]
        self.forbidden = [set(draw.sample(self.names, 2)) for _ in range(draw.choice([0, 5, 30]))]
        self.owner = {name: draw.choice("abcdefgh") for name in self.names}
        self.played = self.tables(draw, self.names)
        self.coming = [self.tables(draw, [*PLACES]) for _ in range(2)]
        self.own = {x: draw.choice(FREE) for x in self.comers if draw.random() < 0.4}

    @staticmethod
    def tables(draw, all_):
        order = draw.sample(all_, len(all_))
        return [order[start : start + 5] for start in range(0, len(order), 5)]

    def filled(self) -> dict[int, str]:
        meets = {
            p: Counter(q for tables in self.coming for t in tables if p in t for q in t if q != p)
            for p in FREE
        }
        entrants = [SimpleNamespace(id=name, owner=self.owner[name]) for name in self.names]
        rounds = [SimpleNamespace(tables=self.played)]
        state = SimpleNamespace(forbidden=self.forbidden, entrants=entrants, rounds=rounds)
        own = {x: frozenset([place]) for x, place in self.own.items()}
        known = Acquaintance(state, self.comers)
        return Places(FREE, meets, self.taken, own).fill(self.comers, known)

    def cost(self, x: str, place: int, there: dict[int, str]) -> list[int]:
        """Forbidden meetings, own place missed, meetings of one owner's, and those repeated."""
        who = self.taken | there
        others = Counter(
            who[q]
            for tables in self.coming
            for table in tables
            if place in table
            for q in table
            if q != place and q in who
        )
        again = 0
        for y, times in others.items():
            had = sum({x, y} <= set(table) for table in self.played)
            again += sum(had + k for k in range(times))
        return [
            sum(times for y, times in others.items() if {x, y} in self.forbidden),
            int(self.own.get(x, place) != place),
            sum(times for y, times in others.items() if self.owner[x] == self.owner[y]),
            again,
        ]

    def both(self, p: int, q: int, there: dict[int, str]) -> list[int]:
        costs = [self.cost(there[place], place, there) for place in (p, q) if place in there]
        return [sum(column) for column in zip(*costs, strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_everybody_has_a_place_and_no_exchange_of_two_places_costs_less(seed):
    field = Field(random.Random(seed))
    there = field.filled()
    assert sorted(there.values()) == sorted(field.comers)
    assert set(there) <= set(FREE)
    for p, q in combinations(FREE, 2):
        swapped = dict(there)
        for place, other in ((p, q), (q, p)):
            swapped.pop(place, None)
            if other in there:
                swapped[place] = there[other]
        if p in there or q in there:
            assert field.both(p, q, there) <= field.both(p, q, swapped)


def test_by_hand_one_with_a_place_of_his_own_gets_it_and_a_stranger_takes_the_first_that_is_free():
    field = Field(random.Random(0))
    field.comers, field.own = ["c0", "c1"], {"c1": 15}
    field.names = [*field.taken.values(), *field.comers]
    field.owner = {name: name for name in field.names}
    field.forbidden, field.played = [], []
    field.coming = [[[0, 1, 2, 3, 12], [4, 5, 6, 7, 13], [8, 9, 10, 11, 15], [14, 16, 17, 18, 19]]]
    assert field.filled() == {15: "c1", 12: "c0"}
    field.forbidden = [{"c0", "e2"}, {"e6", "c0"}]
    assert field.filled() == {15: "c1", 14: "c0"}
