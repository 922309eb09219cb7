"""Schedules: which entries meet when, by the best known design or by search, and who sits where.

Entries are sorted and then shuffled by the draw, so that neither the order of the input nor a
name gives an advantage.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, pairwise

from . import rotation
from .bounds import repeats_bound
from .designs import catalogue
from .designs.catalogue import Draft
from .lots import Lots, fast
from .placing import Constraints, conflicts, place
from .plan import SEATS, Plan, Schedule, repeats, sitting_out
from .search import ANNEALED, MOVES, Search

WORK = 60_000
"""Tables touched in attempts to even neighbours: about half a second."""

Rounds = Sequence[Sequence[Sequence[str]]]
"""[round][table][seat] -> entry id."""


class SeatingError(ValueError):
    """No schedule: the entries or rounds asked for make no sense."""


class InfeasibleError(SeatingError):
    """No schedule keeps the forbidden pairs apart; `pairs` are those that had to meet."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = tuple(pairs)
        super().__init__("these must not meet but have to: " + ", ".join(map(" and ".join, pairs)))


def schedule(
    entries: Sequence[str],
    rounds: int,
    lots: Lots,
    *,
    keep_apart: Sequence[Collection[str]] = (),
    house: Collection[str] = (),
    forbidden: Sequence[tuple[str, str]] = (),
    played: Rounds = (),
    moves: int = MOVES,
) -> Schedule:
    """`rounds` rounds of tables of five for `entries` (ids, at least five, all different).

    keep_apart: groups whose members meet as rarely as possible (one owner's agents). house: ids of
    house entries, spread over the tables where that spoils little else. forbidden: pairs that must
    not meet; InfeasibleError if they have to. played: rounds already held; meetings, byes and
    seats in them count, and an entry that was not seated in one is taken to have had a bye, so
    that coming late earns none. Entries that do not fill the tables have byes, which differ by at
    most one. `moves` bounds the annealing. Raises SeatingError.
    """
    ids = sorted(entries)
    _check(ids, rounds)
    constraints = Constraints.of(ids, keep_apart, house, forbidden)
    before = _numbered(ids, played)
    search = Search(len(ids), rounds, lots, constraints, moves, before)
    draft = Draft(search.run(), "searched, the rest of a plan") if before else _fresh(search)
    check_forbidden(ids, draft.plan, constraints)
    return _finish(ids, _seated(draft, before, lots, moves), draft.source)


def _check(ids: Sequence[str], rounds: int) -> None:
    if len(set(ids)) < len(ids):
        twice = sorted({x for x, y in pairwise(ids) if x == y})
        raise SeatingError(f"entered twice: {', '.join(twice)}")
    if len(ids) < SEATS:
        raise SeatingError(f"{len(ids)} entries do not fill a table of five")
    if rounds < 0:
        raise SeatingError(f"{rounds} rounds")


def _fresh(search: Search) -> Draft:
    """Nothing is played yet: numbers of a design by lot, and a search where that is not enough."""
    n, rounds, constraints = search.n, search.rounds, search.constraints
    draft = _design(n, rounds) or catalogue.start(n, rounds)
    if draft is None:
        return Draft(search.run(), "searched")
    numbers = place(draft.plan, n, constraints, search.lots)
    plan = [[[numbers[x] for x in table] for table in tables] for tables in draft.plan]
    enough = n == SEATS or n > ANNEALED or not conflicts(plan, constraints)
    if len(plan) == rounds and enough:
        return Draft(plan, draft.source, draft.seated)
    return Draft(search.run(plan), f"searched from {draft.source}")


def _design(n: int, rounds: int) -> Draft | None:
    if n == SEATS:
        return Draft(rotation.single_table(rounds), "twenty seatings", seated=True)
    return catalogue.design(n, rounds)


def check_forbidden(ids: Sequence[str], plan: Plan, constraints: Constraints) -> None:
    """Raises InfeasibleError if a forbidden pair meets in the plan."""
    if not constraints.forbidden:
        return
    met = {pair for tables in plan for t in tables for pair in combinations(sorted(t), 2)}
    if broken := sorted(met & constraints.forbidden):
        raise InfeasibleError([(ids[i], ids[j]) for i, j in broken])


def _seated(draft: Draft, played: Plan, lots: Lots, moves: int) -> Plan:
    if draft.seated:
        return draft.plan
    if played:
        return rotation.continue_seats(draft.plan, played)
    return rotation.even_neighbours(draft.plan, fast(lots), min(WORK, moves // 50))


def _numbered(ids: Sequence[str], played: Rounds) -> Plan:
    """Played tables in numbers; -1 for who is no longer there."""
    number = {x: i for i, x in enumerate(ids)}
    return [[[number.get(x, -1) for x in table] for table in tables] for tables in played]


def _finish(ids: Sequence[str], plan: Plan, source: str) -> Schedule:
    n = len(ids)
    return Schedule(
        tuple(tuple(tuple(ids[i] for i in table) for table in tables) for tables in plan),
        tuple(tuple(ids[i] for i in sitting_out(tables, n)) for tables in plan),
        source,
        repeats(plan),
        repeats_bound(n, len(plan)),
    )
