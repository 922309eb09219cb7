"""Swiss for tables of five: whoever stands alike meets, nobody meets twice while that can be.

Every round is drawn from the standings before it. Who has a bye is the lowest of those who had
fewest; a round missed counts as one, so coming late earns none. Swiss suits fields of more than
ten entries for every round to play; a smaller one has met before standings tell much, and a round
robin serves it better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .entrants import Entrant
from .filling import FILL, MOST_ROUNDS, house_for, owners
from .grouping import Meetings, group, straight
from .lots import Lots, fast
from .placing import Constraints
from .plan import SEATS, Plan, Round
from .rotation import continue_seats
from .scheme import (
    Decision,
    Finished,
    NeedsAttention,
    Option,
    Options,
    Seated,
    State,
    parse_options,
)
from .seating import SeatingError, check_forbidden


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
            return Seated(_round(state, number, last=number == total))
        except SeatingError as error:
            return NeedsAttention(str(error))


def ranking(state: State, ids: Sequence[str], lots: Lots) -> list[str]:
    """By points with penalties and rulings, then first places, then lot; the best first."""
    order = sorted(ids)
    lots.shuffle(order)
    number = state.number
    points = dict.fromkeys(order, 0)
    firsts = dict.fromkeys(order, 0)
    for result in state.results:
        if result.entry in points and result.round < number:
            points[result.entry] += result.points + result.penalty
            firsts[result.entry] += result.places[0]
    for ruled in state.adjustments:
        if ruled.entry in points and ruled.round < number:
            points[ruled.entry] += ruled.points
    return sorted(order, key=lambda x: (-points[x], -firsts[x]))


def _round(state: State, number: int, *, last: bool) -> Round:
    """Raises SeatingError."""
    active = state.active(number)
    house = house_for(state, len(active))
    ids = sorted([*(e.id for e in active), *house])
    if len(ids) < SEATS:
        raise SeatingError(f"{len(ids)} entries do not fill a table of five")
    lots = state.lots(number)
    order = ranking(state, ids, lots)
    out = _byes(state, order)
    playing = [x for x in order if x not in out]
    if number == 1 and state.options["first_round"] == "pots":
        playing = _pots(active, playing)
    constraints = Constraints.of(ids, owners(active), house, state.forbidden)
    index = {x: i for i, x in enumerate(ids)}
    numbers = [index[x] for x in playing]
    played = _played(state, index)
    if last and state.options["last_round"] == "blocks":
        tables = straight(numbers)
    else:
        meetings = Meetings(len(ids), constraints.weights, played)
        tables = group(numbers, meetings, fast(lots))
    check_forbidden(ids, [tables], constraints)
    (seated,) = continue_seats([tables], played)
    named = tuple(tuple(ids[i] for i in table) for table in seated)
    return Round(number, named, tuple(sorted(out)))


def _byes(state: State, order: Sequence[str]) -> set[str]:
    """The lowest of those who had fewest byes; rounds they were not seated in count."""
    seated = dict.fromkeys(order, 0)
    for round_ in state.rounds:
        for table in round_.tables:
            for x in table:
                if x in seated:
                    seated[x] += 1
    lowest = [(-seated[x], -rank, x) for rank, x in enumerate(order)]
    return {x for _, _, x in sorted(lowest)[: len(order) % SEATS]}


def _pots(active: Sequence[Entrant], order: Sequence[str]) -> list[str]:
    """In fives of one from each fifth of the seeds; who has no seed comes after those who have."""
    seeds = {e.id: e.seed for e in active if e.seed is not None}
    ranked = sorted(order, key=lambda x: seeds.get(x, len(order) + max(seeds.values(), default=0)))
    tables = len(ranked) // SEATS
    return [ranked[pot * tables + t] for t in range(tables) for pot in range(SEATS)]


def _played(state: State, index: Mapping[str, int]) -> Plan:
    """The rounds so far in numbers; -1 for who is not in the field."""
    return [[[index.get(x, -1) for x in table] for table in r.tables] for r in state.rounds]


SWISS = Swiss()
