"""Single tables seated by hand, the rest of the round as the format draws it.

Each table that is given takes the place of the drawn one that has most of its five. Who sat there
and is not wanted goes where those were whom the table took; of all ways to do so the one in which
fewest meet who had better not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

from .checker import strange
from .filling import owners
from .plan import Round, Table
from .scheme import Decision, NeedsAttention, Seated, State

BYE, OUT = "bye", "out"
Place = tuple[int, int] | str
"""(table, seat), a bye, or out."""

NEVER, OWNER, AGAIN = 10_000, 100, 1
"""How bad it is that two meet: a forbidden pair, agents of one owner, once more."""


def put_in(state: State, decision: Decision, tables: Sequence[Table]) -> Decision:
    """The drawn round with `tables` in it; what is no round stays what it is.

    NeedsAttention where the tables do not fit, or others would have to meet who must not.
    """
    if not isinstance(decision, Seated):
        return decision
    if wrong := list(strange(Round(state.number, tuple(tables)), state)):
        return NeedsAttention(f"the tables seated by hand do not fit: {'; '.join(wrong)}")
    if len(tables) > len(decision.round.tables):
        return NeedsAttention("more tables are seated by hand than there are")
    made = _Exchange(state, decision.round).run(tables)
    if met := _met(state, made, set(tables)):
        pairs = ", ".join(" and ".join(pair) for pair in met)
        return NeedsAttention(f"beside the table seated by hand these would meet: {pairs}")
    return replace(decision, round=made)


def _met(state: State, round_: Round, ruled: set[Table]) -> list[tuple[str, str]]:
    """The forbidden pairs at tables that nobody has ruled."""
    return [
        pair
        for table in round_.tables
        for pair in state.forbidden
        if table not in ruled and set(pair) <= set(table)
    ]


class _Exchange:
    """A round in which seats change hands."""

    def __init__(self, state: State, drawn: Round) -> None:
        self.number = drawn.number
        self.tables = [list(table) for table in drawn.tables]
        self.byes, self.out = list(drawn.byes), list(drawn.out)
        self.house = set(state.house)
        self.weights = _weights(state)

    def run(self, tables: Sequence[Table]) -> Round:
        ruled: set[int] = set()
        for table in tables:
            ruled.add(self._seat(table, ruled))
        byes, out = tuple(sorted(self.byes)), tuple(sorted(self.out))
        return Round(self.number, tuple(map(tuple, self.tables)), byes, out)

    def _seat(self, five: Table, ruled: set[int]) -> int:
        """Put a table in, in place of one that is still as drawn; its number."""
        free = [t for t in range(len(self.tables)) if t not in ruled]
        at = max(free, key=lambda t: (len(set(self.tables[t]) & set(five)), -t))
        comers = [x for x in five if x not in self.tables[at]]
        goers = [x for x in self.tables[at] if x not in five]
        places = [self._leave(x) for x in comers]
        self.tables[at] = list(five)
        best = min(permutations(goers), key=lambda order: self._cost(order, places))
        for x, place in zip(best, places, strict=True):
            self._go(x, place)
        return at

    def _leave(self, x: str) -> Place:
        for t, table in enumerate(self.tables):
            if x in table:
                seat = table.index(x)
                table[seat] = ""
                return t, seat
        for name, rest in ((BYE, self.byes), (OUT, self.out)):
            if x in rest:
                rest.remove(x)
                return name
        return BYE  # a spare house entry: whoever makes room for it sits out

    def _go(self, x: str, place: Place) -> None:
        if isinstance(place, tuple):
            self.tables[place[0]][place[1]] = x
        elif x not in self.house:
            (self.byes if place == BYE else self.out).append(x)

    def _cost(self, order: Sequence[str], places: Sequence[Place]) -> int:
        """What it costs to let these go to these places."""
        tables = {t: list(table) for t, table in enumerate(self.tables)}
        for x, place in zip(order, places, strict=True):
            if isinstance(place, tuple):
                tables[place[0]][place[1]] = x
        touched = {place[0] for place in places if isinstance(place, tuple)}
        return sum(
            self.weights.get(frozenset(pair), 0)
            for t in touched
            for pair in combinations(tables[t], 2)
        )


def _weights(state: State) -> dict[frozenset[str], int]:
    found: dict[frozenset[str], int] = {}
    for group in owners(state.entrants):
        found.update((frozenset(pair), OWNER) for pair in combinations(group, 2))
    for x, y in state.forbidden:
        found[frozenset((x, y))] = NEVER
    for round_ in state.rounds:
        for table in round_.tables:
            for pair in combinations(table, 2):
                key = frozenset(pair)
                found[key] = found.get(key, 0) + AGAIN
    return found
