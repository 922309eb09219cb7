"""Which entries meet when: the best known tables of five for a field, then seats for them.

The dispatcher (`_draft`) takes the first that fits: one table; the transversal formula (over Z_m
or a field); the affine space; stored plans; designs where every pair meets equally often; one of
these with an entry left out; else annealing, started from the longest repeat-free plan. Byes
differ by at most one. Entries are sorted and then shuffled by the draw, so that neither the order
of the input nor a name gives an advantage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from . import rotation
from .bounds import repeats_bound, square_bound
from .designs import affine, stored, transversal
from .designs.anneal import Annealer, Cooling, Matrix
from .lots import Lots, fast
from .placing import Constraints, conflicts, place
from .plan import SEATS, Plan, Schedule, repeats, sitting_out

ANNEALED = 1000
"""The largest field that is annealed; its matrix of meetings has a million cells."""
MOVES = 3_000_000
MOVES_A_PLACE = 8000
"""Small plans have cooled long before."""
TRIES = 4000
WARM = 0.35
"""Starting temperature when the start is a design: hot enough to mend, too cold to melt it."""

Rounds = Sequence[Sequence[Sequence[str]]]
"""[round][table][seat] -> entry id."""


class SeatingError(ValueError):
    """No schedule: the entries or rounds asked for make no sense."""


class InfeasibleError(SeatingError):
    """No schedule keeps the forbidden pairs apart; `pairs` are those that had to meet."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = tuple(pairs)
        super().__init__("these must not meet but have to: " + ", ".join(map(" and ".join, pairs)))


@dataclass(frozen=True)
class Draft:
    """A plan over numbers, its source, and whether its tables are in seat order already."""

    plan: Plan
    source: str
    seated: bool = False


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
    that coming late earns none. Entries that do not fill the tables have byes. `moves` bounds the
    annealing. Raises SeatingError.
    """
    ids = sorted(entries)
    _check(ids, rounds)
    moves = min(moves, MOVES_A_PLACE * len(ids) * rounds)
    constraints = Constraints.of(ids, keep_apart, house, forbidden)
    if any(tables for tables in played):
        draft = _continued(ids, rounds, lots, constraints, played, moves)
    else:
        draft = _fresh(len(ids), rounds, lots, constraints, moves)
    _check_forbidden(ids, draft.plan, constraints)
    return _finish(ids, _seated(draft, ids, played, lots), draft.source)


def _check(ids: Sequence[str], rounds: int) -> None:
    if len(set(ids)) < len(ids):
        twice = sorted({x for x, y in pairwise(ids) if x == y})
        raise SeatingError(f"entered twice: {', '.join(twice)}")
    if len(ids) < SEATS:
        raise SeatingError(f"{len(ids)} entries do not fill a table of five")
    if rounds < 0:
        raise SeatingError(f"{rounds} rounds")


def _fresh(n: int, rounds: int, lots: Lots, constraints: Constraints, moves: int) -> Draft:
    """A plan over the entries' own numbers, nothing played yet."""
    draft = _draft(n, rounds, lots, moves)
    numbers = place(draft.plan, n, constraints, lots)
    plan = [[[numbers[x] for x in table] for table in tables] for tables in draft.plan]
    if n == SEATS or n > ANNEALED or not conflicts(plan, constraints):
        return Draft(plan, draft.source, draft.seated)
    rows = [_row(tables, n) for tables in plan]
    return Draft(_annealed(rows, n, lots, Cooling(moves), constraints), "annealed")


def _draft(n: int, rounds: int, lots: Lots, moves: int) -> Draft:
    """The dispatcher, over numbers that mean nobody yet."""
    if n == SEATS:
        return Draft(rotation.single_table(rounds), "twenty seatings", seated=True)
    return _designed(n, rounds) or _one_less(n, rounds) or _searched(n, rounds, lots, moves)


def full_rounds(n: int) -> int:
    """Rounds of a whole round robin of n entries: every pair equally often, or as near as known.

    One table: the twenty seatings. 5^k entries: once each. Otherwise four times each in n - 1
    rounds (n where somebody sits out every round; 18 for ten entries, where nine cannot be even).
    """
    if n <= SEATS:
        return len(rotation.TWENTY)
    if affine.dimension(n):
        return (n - 1) // 4
    return {10: 18}.get(n, n if n % SEATS else n - 1)


def _designed(n: int, rounds: int) -> Draft | None:
    """A construction that no schedule of this length can beat, if one is known."""
    if n % SEATS or n < 20:
        return None
    if n > 20 and rounds <= transversal.free_rounds(n // SEATS):
        return Draft(transversal.rounds(n // SEATS, rounds), "transversal formula", seated=True)
    if k := affine.dimension(n):
        return Draft(_again(affine.rounds(k, rounds), rounds), "affine space")
    if rounds <= stored.free_rounds(n):
        return Draft(stored.rounds(n, rounds), "stored, nobody meets twice")
    if stored.has_round_robin(n) and rounds % (n - 1) == 0:
        return Draft(_again(stored.round_robin(n), rounds), "stored, every pair equally often")
    return None


def _again(plan: Plan, rounds: int) -> Plan:
    return [plan[r % len(plan)] for r in range(rounds)]


def _one_less(n: int, rounds: int) -> Draft | None:
    """Delete an entry from a design: the four who would meet it have the byes of that round."""
    whole = _designed(n + 1, rounds) if n % SEATS == SEATS - 1 else None
    if whole is None:
        return None
    plan = [[table for table in tables if n not in table] for tables in whole.plan]
    return Draft(plan, f"{whole.source}, one entry left out")


def _searched(n: int, rounds: int, lots: Lots, moves: int) -> Draft:
    """Anneal, from the longest repeat-free plan as far as it goes."""
    rows = _shuffled_rows(n, rounds, lots)
    free = 0 if n % SEATS else max(transversal.free_rounds(n // SEATS), stored.free_rounds(n))
    warm = _designed(n, free) if n >= SEATS * SEATS else None
    for r, tables in enumerate(warm.plan if warm else ()):
        rows[r] = _row(tables, n)
    cooling = Cooling(moves, WARM) if warm else Cooling(moves)
    plan = _annealed(rows, n, lots, cooling, Constraints(n))
    return Draft(plan, f"annealed from {warm.source}" if warm else "annealed")


def _shuffled_rows(n: int, rounds: int, lots: Lots) -> list[list[int]]:
    rows = [list(range(n)) for _ in range(rounds)]
    for row in rows:
        lots.shuffle(row)
    return rows


def _row(tables: Sequence[Sequence[int]], n: int) -> list[int]:
    return [i for table in tables for i in table] + sitting_out(tables, n)


def _annealed(
    rows: list[list[int]], n: int, lots: Lots, cooling: Cooling, constraints: Constraints
) -> Plan:
    met = constraints.as_meetings()
    goal = 0 if constraints else square_bound(n, len(rows))
    return _anneal(rows, met, [0] * n, cooling, fast(lots), goal)


def _anneal(
    rows: list[list[int]],
    met: Matrix,
    byes: list[int],
    cooling: Cooling,
    word: Callable[[], int],
    goal: int,
) -> Plan:
    annealer = Annealer(rows, met, byes)
    annealer.run(cooling, word, goal)
    annealer.even_byes()
    return annealer.plan()


def _continued(
    ids: Sequence[str],
    rounds: int,
    lots: Lots,
    constraints: Constraints,
    played: Rounds,
    moves: int,
) -> Draft:
    """Anneal the coming rounds with what was played held fixed."""
    n, number = len(ids), {x: i for i, x in enumerate(ids)}
    met, byes = constraints.as_meetings(), [0] * n
    for tables in played:
        seated = {number[x] for table in tables for x in table if x in number}
        byes = [count + (i not in seated) for i, count in enumerate(byes)]
        for table in tables:
            for i, j in combinations([number[x] for x in table if x in number], 2):
                met[i][j] += 1
                met[j][i] += 1
    rows = _shuffled_rows(n, rounds, lots)
    plan = _anneal(rows, met, byes, Cooling(moves), fast(lots), 0)
    return Draft(plan, "annealed, rest of a plan")


def _check_forbidden(ids: Sequence[str], plan: Plan, constraints: Constraints) -> None:
    met = {pair for tables in plan for t in tables for pair in combinations(sorted(t), 2)}
    if broken := sorted(met & constraints.forbidden):
        raise InfeasibleError([(ids[i], ids[j]) for i, j in broken])


def _seated(draft: Draft, ids: Sequence[str], played: Rounds, lots: Lots) -> Plan:
    if draft.seated:
        return draft.plan
    if played:
        return rotation.continue_seats(draft.plan, _numbered(ids, played))
    return rotation.even_neighbours(draft.plan, fast(lots), TRIES)


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
