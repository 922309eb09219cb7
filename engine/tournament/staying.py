"""Tables that stay together for a stage: who comes, who fills free places, how seats turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from .comers import Acquaintance, Places
from .filling import house
from .plan import SEATS
from .rotation import SEATS_FIRST, TWENTY, continue_seats
from .scheme import State
from .seating import InfeasibleError
from .stages import Stage


def let_in(
    state: State, tables: list[list[str]], comers: list[str], at: Mapping[str, int], rounds: int
) -> None:
    """Seat comers in free places. at: their tables. Raises InfeasibleError."""
    active = {e.id for e in state.active(state.number)}
    places = [(t, s) for t, five in enumerate(tables) for s in range(len(five))]
    free = [(t, s) for t, s in places if tables[t][s] not in active]
    comers = sorted(comers, key=lambda x: x not in at)[: len(free)]
    if not comers:
        return
    taken = Places(
        free,
        {(t, s): {(t, q): rounds for q in range(SEATS) if q != s} for t, s in free},
        {(t, s): tables[t][s] for t, s in places if tables[t][s] in active},
        {x: frozenset(p for p in free if p[0] == t) for x, t in at.items()},
    )
    filled = taken.fill(comers, Acquaintance(state, comers))
    for (t, s), x in filled.items():
        tables[t][s] = x
    _refuse_forbidden(state, tables, set(comers))


def _refuse_forbidden(state: State, tables: Sequence[Sequence[str]], comers: set[str]) -> None:
    """Raises InfeasibleError for whoever comes beside somebody whom he must not meet."""
    never = {tuple(sorted(pair)) for pair in state.forbidden if comers & set(pair)}
    pairs = {pair for five in tables for pair in combinations(sorted(five), 2)}
    if met := sorted(never & pairs):
        raise InfeasibleError([(x, y) for x, y in met])


def fill(state: State, tables: list[list[str]]) -> None:
    """House entries where nobody is; those that are there already stay. Raises SeatingError."""
    active = {e.id for e in state.active(state.number)}
    stay = {x for five in tables for x in five if x in state.house}
    spare = iter([x for x in state.house if x not in stay])
    need = sum(x not in active and x not in stay for five in tables for x in five)
    house(state, need + len(stay))
    for five in tables:
        five[:] = [x if x in active or x in stay else next(spare) for x in five]


def turned(state: State, stage: Stage, tables: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Seats for another round: five rounds at a table are a Latin square, as one table has them.

    In the rounds of a stage that are left over everybody takes what he has had least.
    """
    k, rounds = state.number - stage.first, stage.last + 1 - stage.first
    if k >= rounds - rounds % SEATS:
        return continued(state, tables)
    now, before = TWENTY[k % len(TWENTY)], TWENTY[(k - 1) % len(TWENTY)]
    return [[five[before.index(label)] for label in now] for five in tables]


def continued(state: State, tables: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The tables in the seats that were had least."""
    ids = sorted(x for five in tables for x in five)
    index = {x: i for i, x in enumerate(ids)}
    played = [[[index.get(x, -1) for x in t] for t in r.tables] for r in state.rounds]
    plan = [[[index[x] for x in five] for five in tables]]
    (seated,) = continue_seats(plan, played, SEATS_FIRST)
    return [[ids[i] for i in five] for five in seated]
