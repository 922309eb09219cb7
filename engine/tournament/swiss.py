"""Swiss for tables of five: whoever stands alike meets, nobody meets twice while that can be.

Every round is drawn from the standings before it. Who has a bye is the lowest of those who had
fewest, or another of them where the others could not be seated; a round missed counts as one, so
coming late earns none. Swiss suits fields of more than
ten entries for every round to play; a smaller one has met before standings tell much, and a round
robin serves it better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from .entrants import Entrant
from .filling import BOARDS, FILL, MOST_ROUNDS, house_for, owners
from .grouping import Meetings, Tables, group, straight
from .lots import Lots, fast
from .placing import Constraints, conflicts
from .plan import SEATS, Round
from .rotation import continue_seats
from .scheme import (
    Decision,
    Finished,
    NeedsAttention,
    Option,
    Options,
    Progress,
    Seated,
    State,
    parse_options,
)
from .seating import InfeasibleError, SeatingError, check_forbidden

BOUND, CHOICES = 12, 20
"""How many of those in forbidden pairs, and how many choices of byes are looked at, when the first
choice of byes cannot be seated."""


@dataclass(frozen=True)
class Swiss:
    """One round at a time, from the standings."""

    name: str = "swiss"
    most_entries: int | None = None
    known: tuple[Option, ...] = (
        Option("rounds", 5, "rounds", 1, MOST_ROUNDS),
        FILL,
        Option("first_round", "random", "by lot, or one of each fifth of the seeds at a table",
               words=("random", "pots")),
        Option("last_round", "swiss", "blocks: the first five meet, the next five, …, again or not",
               words=("swiss", "blocks")),
        *BOARDS,
    )  # fmt: skip

    def options(self, raw: Mapping[str, object]) -> Options:
        return parse_options(self.known, raw)

    def rounds_total(self, options: Options, entries: int) -> int | None:
        return int(options["rounds"])

    def next_round(self, state: State) -> Decision:
        number, total = state.number, int(state.options["rounds"])
        if number > total:
            return Finished(f"all {total} rounds are played")
        if not state.active(number):
            return Finished("nobody is left")
        try:
            return Seated(self._round(state, last=number == total))
        except SeatingError as error:
            return NeedsAttention(str(error))

    def _round(self, state: State, *, last: bool) -> Round:
        lots = state.lots(state.number)
        order = ranking(state, playing(state), lots)
        if state.number == 1 and state.options["first_round"] == "pots":
            order = _pots(state.active(1), order)
        blocks = last and state.options["last_round"] == "blocks"
        return draw(state, order, lots, blocks=blocks)

    def progress(self, state: State) -> Progress:
        return {}


def ranking(state: State, ids: Sequence[str], lots: Lots) -> list[str]:
    """By points with penalties and rulings, then first places, then lot; the best first."""
    number = state.number
    order = sorted(ids)
    lots.shuffle(order)
    points = dict.fromkeys(order, 0)
    firsts = dict.fromkeys(order, 0)
    for result in state.counted:
        if result.entry in points and result.round < number:
            points[result.entry] += result.points + result.penalty
            firsts[result.entry] += result.places[0]
    for ruled in state.adjustments:
        if ruled.entry in points and ruled.round < number:
            points[ruled.entry] += ruled.points
    return sorted(order, key=lambda x: (-points[x], -firsts[x]))


def playing(state: State) -> list[str]:
    """Who is seated or has a bye in the coming round: the active and the house entries they need.

    Raises SeatingError.
    """
    active = [e.id for e in state.active(state.number)]
    ids = sorted([*active, *house_for(state, len(active))])
    if len(ids) < SEATS:
        raise SeatingError(f"{len(ids)} entries do not fill a table of five")
    return ids


def byes(state: State, order: Sequence[str]) -> Iterator[set[str]]:
    """The lowest of those who had fewest byes; rounds they were not seated in count.

    After that others with as few, first those that leave fewest forbidden pairs at the tables, for
    when the others cannot be seated.
    """
    over = len(order) % SEATS
    seated = dict.fromkeys(order, 0)
    for round_ in state.rounds:
        for table in round_.tables:
            for x in table:
                if x in seated:
                    seated[x] += 1
    rank = {x: k for k, x in enumerate(order)}
    lowest = sorted(order, key=lambda x: (-seated[x], -rank[x]))
    yield set(lowest[:over])
    pairs = [{*pair} for pair in state.forbidden if {*pair} <= seated.keys()]
    if over and pairs:
        least = seated[lowest[over - 1]]
        sure = [x for x in lowest[:over] if seated[x] > least]
        yield from _other_byes(sure, [x for x in lowest if seated[x] == least], over, pairs)


def _other_byes(
    sure: Sequence[str], open_: Sequence[str], over: int, pairs: Sequence[set[str]]
) -> Iterator[set[str]]:
    """Byes for `sure` and some of `open_`, `over` together. pairs: who must not meet."""
    need = over - len(sure)
    bound = [x for x in open_ if any(x in pair for pair in pairs)]
    bound = sorted(bound, key=lambda x: -sum(x in pair for pair in pairs))[:BOUND]
    found: list[tuple[int, int, list[str]]] = []
    for some in (c for k in range(need + 1) for c in combinations(bound, k)):
        rest = [x for x in open_ if x not in some][: need - len(some)]
        out = {*sure, *some, *rest}
        left = sum(not pair & out for pair in pairs)
        found.append((left, sum(open_.index(x) for x in (*some, *rest)), sorted(out)))
    for _, _, out_ in sorted(found)[:CHOICES]:
        yield set(out_)


def draw(
    state: State,
    order: Sequence[str],
    lots: Lots,
    *,
    memory: int | None = None,
    blocks: bool = False,
) -> Round:
    """The coming round for a ranked list, a bye for those whom no table takes.

    memory: how many rounds back meetings are avoided, None for all. blocks: the first five meet,
    the next five, …, again or not. Raises SeatingError, when no choice of byes helps.
    """
    cause: InfeasibleError | None = None
    for out in byes(state, order):
        try:
            return _seated(state, order, lots, out, memory, blocks=blocks)
        except InfeasibleError as error:
            cause = cause or error
    assert cause is not None, "there is a choice at least"
    raise cause


def _seated(
    state: State,
    order: Sequence[str],
    lots: Lots,
    out: set[str],
    memory: int | None,
    *,
    blocks: bool,
) -> Round:
    """The round in which `out` have the byes. Raises InfeasibleError."""
    ids, active = sorted(order), state.active(state.number)
    constraints = Constraints.of(ids, owners(active), state.spread, state.forbidden)
    index = {x: i for i, x in enumerate(ids)}
    seated = [index[x] for x in order if x not in out]
    played = [[[index.get(x, -1) for x in table] for table in r.tables] for r in state.rounds]
    recent = played if memory is None else played[max(0, len(played) - memory) :]
    if blocks:
        tables = _blocks(seated, constraints, lots)
    else:
        tables = group(seated, Meetings(len(ids), constraints.weights, recent), fast(lots))
    check_forbidden(ids, [tables], constraints)
    (chosen,) = continue_seats([tables], played)
    named = tuple(tuple(ids[i] for i in table) for table in chosen)
    return Round(state.number, named, tuple(sorted(out)))


def _blocks(seated: Sequence[int], constraints: Constraints, lots: Lots) -> Tables:
    """Blocks of five in order of rank; exchanged where two would meet who must or had better not.

    House entries are not spread: they stand where they stand.
    """
    tables, kept_apart = straight(seated), replace(constraints, spread=frozenset())
    if not conflicts([tables], kept_apart):
        return tables
    return group(seated, Meetings(constraints.n, kept_apart.weights), fast(lots))


def _pots(active: Sequence[Entrant], order: Sequence[str]) -> list[str]:
    """In fives of one from each fifth of the seeds; who has no seed comes after those who have."""
    seeds = {e.id: e.seed for e in active if e.seed is not None}
    ranked = sorted(order, key=lambda x: seeds.get(x, 1 + max(seeds.values(), default=0)))
    tables = len(ranked) // SEATS
    fives = [ranked[pot * tables + t] for t in range(tables) for pot in range(SEATS)]
    return fives + ranked[tables * SEATS :]


SWISS = Swiss()
