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
from .filling import BOARDS, FILL, MOST_ROUNDS, house_for, owners
from .grouping import Meetings, group, straight
from .lots import Lots, fast
from .placing import Constraints
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


def byes(state: State, order: Sequence[str]) -> set[str]:
    """The lowest of those who had fewest byes; rounds they were not seated in count."""
    seated = dict.fromkeys(order, 0)
    for round_ in state.rounds:
        for table in round_.tables:
            for x in table:
                if x in seated:
                    seated[x] += 1
    lowest = [(-seated[x], -rank, x) for rank, x in enumerate(order)]
    return {x for _, _, x in sorted(lowest)[: len(order) % SEATS]}


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
    the next five, …, again or not. Raises SeatingError.
    """
    ids, active = sorted(order), state.active(state.number)
    out = byes(state, order)
    constraints = Constraints.of(ids, owners(active), state.spread, state.forbidden)
    index = {x: i for i, x in enumerate(ids)}
    seated = [index[x] for x in order if x not in out]
    played = [[[index.get(x, -1) for x in table] for table in r.tables] for r in state.rounds]
    recent = played if memory is None else played[max(0, len(played) - memory) :]
    if blocks:
        tables = straight(seated)
    else:
        tables = group(seated, Meetings(len(ids), constraints.weights, recent), fast(lots))
    check_forbidden(ids, [tables], constraints)
    (chosen,) = continue_seats([tables], played)
    named = tuple(tuple(ids[i] for i in table) for table in chosen)
    return Round(state.number, named, tuple(sorted(out)))


def _pots(active: Sequence[Entrant], order: Sequence[str]) -> list[str]:
    """In fives of one from each fifth of the seeds; who has no seed comes after those who have."""
    seeds = {e.id: e.seed for e in active if e.seed is not None}
    ranked = sorted(order, key=lambda x: seeds.get(x, 1 + max(seeds.values(), default=0)))
    tables = len(ranked) // SEATS
    fives = [ranked[pot * tables + t] for t in range(tables) for pot in range(SEATS)]
    return fives + ranked[tables * SEATS :]


SWISS = Swiss()
