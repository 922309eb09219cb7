"""Groups, then knockout: tables stay together for a stage, the best go on, down to one table.

A stage of T tables sends on the best `advance` of every table; the best of the others fill up the
last new table, so that nobody plays at a short one. House entries fill the groups and never go
on. Who reached a later stage stands before who did not (`progress`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from .filling import BOARDS, MOST_ROUNDS, house, missing, owners
from .grouping import deal_out
from .placing import Constraints
from .plan import SEATS, Round
from .rotation import TWENTY, continue_seats
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
class Stage:
    """Rounds first..last (numbers), as they were played so far; `index` counts from 0."""

    index: int
    first: int
    last: int
    rounds: tuple[Round, ...]

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """As they sat in its latest round."""
        return self.rounds[-1].tables


@dataclass(frozen=True)
class Knockout:
    """Groups, knockout stages, final."""

    name: str = "knockout"
    most_entries: int | None = None
    known: tuple[Option, ...] = (
        Option("group_rounds", 5, "rounds of the groups", 1, MOST_ROUNDS),
        Option("stage_rounds", 5, "rounds of each later stage", 1, MOST_ROUNDS),
        Option("final_rounds", 5, "rounds of the last table", 1, MOST_ROUNDS),
        Option("advance", 2, "how many of a table go on", 1, 4),
        Option("carry", "none", "points that count in a stage: its own, or all so far",
               words=("none", "all")),
        *BOARDS,
    )  # fmt: skip

    def options(self, raw: Mapping[str, object]) -> Options:
        return parse_options(self.known, raw)

    def rounds_total(self, options: Options, entries: int) -> int | None:
        tables, index, total = (entries + missing(entries)) // SEATS, 0, 0
        while tables:
            total += _length(options, index, tables)
            tables, index = _tables_after(options, tables), index + 1
        return total

    def next_round(self, state: State) -> Decision:
        if not state.active(state.number):
            return Finished("nobody is left")
        stages = list(_stages(state))
        try:
            if not stages:
                return Seated(_groups(state))
            if state.number <= stages[-1].last:
                return Seated(_same_tables(state, stages[-1]))
            if len(stages[-1].tables) == 1:
                return Finished(f"all {state.number - 1} rounds are played")
            return Seated(_next_stage(state, stages[-1]))
        except SeatingError as error:
            return NeedsAttention(str(error))

    def progress(self, state: State) -> Progress:
        """(stage reached, points that count in it)."""
        found: dict[str, tuple[int, ...]] = {}
        for stage in _stages(state):
            points = _points(state, stage)
            for x in {x for r in stage.rounds for table in r.tables for x in table}:
                found[x] = (stage.index, points.get(x, 0))
        return found


def _length(options: Options, index: int, tables: int) -> int:
    """Rounds of a stage; a single table is the final, be it the first stage."""
    if tables == 1:
        return int(options["final_rounds"])
    return int(options["stage_rounds" if index else "group_rounds"])


def _tables_after(options: Options, tables: int) -> int:
    """Of the stage after one of `tables`; always fewer, 0 after the final."""
    return min(-(-tables * int(options["advance"]) // SEATS), tables - 1)


def _stages(state: State) -> Iterator[Stage]:
    first, index = 1, 0
    while first <= len(state.rounds):
        length = _length(state.options, index, len(state.rounds[first - 1].tables))
        last = first + length - 1
        yield Stage(index, first, last, state.rounds[first - 1 : last])
        first, index = last + 1, index + 1


def _points(state: State, stage: Stage) -> dict[str, int]:
    """What each entry has made that counts in a stage: points, penalties, rulings."""
    first = 1 if state.options["carry"] == "all" else stage.first
    points: dict[str, int] = {}
    for result in state.counted:
        if first <= result.round <= stage.last:
            made = result.points + result.penalty
            points[result.entry] = points.get(result.entry, 0) + made
    for ruled in state.adjustments:
        if first <= ruled.round <= stage.last:
            points[ruled.entry] = points.get(ruled.entry, 0) + ruled.points
    return points


def _groups(state: State) -> Round:
    """The first stage: one of each fifth of the seeds, or by lot."""
    lots, active = state.lots(state.number), state.active(state.number)
    order = [e.id for e in active]
    lots.shuffle(order)
    seeds = {e.id: e.seed for e in active if e.seed is not None}
    order.sort(key=lambda x: seeds.get(x, 1 + max(seeds.values(), default=0)))
    need = missing(len(order))
    return _seat(state, [*order, *house(state, need)], (len(order) + need) // SEATS, ())


def _next_stage(state: State, stage: Stage) -> Round:
    """The stage after a finished one. The draw breaks ties."""
    points, active = _points(state, stage), {e.id for e in state.active(state.number)}
    lot = sorted(x for table in stage.tables for x in table)
    state.lots(state.number).shuffle(lot)
    lot.sort(key=lambda x: -points.get(x, 0))
    rank = {x: i for i, x in enumerate(lot)}
    place = {
        x: i
        for table in stage.tables
        for i, x in enumerate(sorted((x for x in table if x in active), key=rank.__getitem__))
    }
    advance = int(state.options["advance"])
    order = sorted(place, key=lambda x: (min(place[x], advance), rank[x]))
    tables = min(_tables_after(state.options, len(stage.tables)), -(-len(order) // SEATS))
    order = order[: tables * SEATS]
    return _seat(state, [*order, *house(state, tables * SEATS - len(order))], tables, stage.tables)


def _same_tables(state: State, stage: Stage) -> Round:
    """The stage goes on: the seatings of one table in turn; house entries for who has left.

    In the first stage a late entry takes over from a house entry.
    """
    active = {e.id for e in state.active(state.number)}
    kept = [t for t in stage.tables if active & set(t)]
    comers = sorted(active - {x for t in kept for x in t}) if stage.index == 0 else []
    stay = [x for t in kept for x in t if x in state.house]
    spare = [x for x in state.house if x not in stay]
    who: dict[str, str] = {}
    for x in (x for t in kept for x in t if x not in active):
        if comers:
            who[x] = comers.pop(0)
        elif x not in stay:
            who[x] = spare.pop(0) if spare else ""
    if "" in who.values():
        raise SeatingError(f"{len(who)} house entries are needed, {len(state.house)} are there")
    k = state.number - stage.first
    now, before = TWENTY[k % len(TWENTY)], TWENTY[(k - 1) % len(TWENTY)]
    turned = [[t[before.index(label)] for label in now] for t in kept]
    return _round(state, [[who.get(x, x) for x in t] for t in turned])


def _seat(
    state: State, order: Sequence[str], tables: int, before: Sequence[Sequence[str]]
) -> Round:
    """Deal a ranked list out over tables; who sat together before, or has one owner, apart."""
    ids = sorted(order)
    index = {x: i for i, x in enumerate(ids)}
    active = state.active(state.number)
    constraints = Constraints.of(ids, owners(active), state.spread, state.forbidden)
    weights = constraints.weights
    for table in before:
        for i, j in combinations(sorted(index[x] for x in table if x in index), 2):
            weights[i, j] = weights.get((i, j), 0) + 1
    plan = [deal_out([index[x] for x in order], tables, weights)]
    check_forbidden(ids, plan, constraints)
    (seated,) = continue_seats(
        plan, [[[index.get(x, -1) for x in t] for t in r.tables] for r in state.rounds]
    )
    return _round(state, [[ids[i] for i in table] for table in seated])


def _round(state: State, tables: Sequence[Sequence[str]]) -> Round:
    placed = {x for table in tables for x in table}
    out = tuple(e.id for e in state.active(state.number) if e.id not in placed)
    return Round(state.number, tuple(map(tuple, tables)), (), out)


KNOCKOUT = Knockout()
