"""Groups, then knockout: tables stay together for a stage, the best go on, down to one table.

A stage of T tables sends on the best `advance` of every table; the best of the others fill up the
last new table, so that nobody plays at a short one. A new stage has fewer tables than the one
before: where `advance` of every table would fill as many again (4 of 4, 3 or 2 tables, 3 of 2),
there is one table less, and the lowest of those who would go on do not. House entries fill the
groups and never go on. Who reached a later stage stands before who did not (`progress`); within a
stage the tournament's scoring decides, then whatever decides in its standings, then the draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from . import luck
from .filling import BOARDS, MOST_ROUNDS, house, missing, owners
from .grouping import deal_out
from .placing import Constraints
from .plan import SEATS, Round
from .results import Result
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
from .sheets import make_sheets
from .stages import Stage, by_table, length, stages, tables_after
from .standings import standings
from .staying import continued, fill, let_in, turned

GONE = Finished("nobody is left")


@dataclass(frozen=True)
class Knockout:
    """Groups, knockout stages, final."""

    name: str = "knockout"
    most_entries: int | None = None
    known: tuple[Option, ...] = (
        Option("group_rounds", 5, "rounds of the groups", 1, MOST_ROUNDS),
        Option("stage_rounds", 5, "rounds of each later stage", 1, MOST_ROUNDS),
        Option("final_rounds", 5, "rounds of the last table", 1, MOST_ROUNDS),
        Option("advance", 2, "how many of a table go on, as far as that makes fewer tables", 1, 4),
        Option("carry", "none", "points that count in a stage: its own, or all so far",
               words=("none", "all")),
        *BOARDS,
    )  # fmt: skip

    def options(self, raw: Mapping[str, object]) -> Options:
        return parse_options(self.known, raw)

    def rounds_total(self, options: Options, entries: int) -> int | None:
        tables, index, total = (entries + missing(entries)) // SEATS, 0, 0
        while tables:
            total += length(options, index, tables)
            tables, index = tables_after(options, tables), index + 1
        return total

    def next_round(self, state: State) -> Decision:
        if not state.active(state.number):
            return GONE
        so_far = list(stages(state.options, state.rounds))
        try:
            if not so_far:
                return Seated(_groups(state))
            if state.number <= so_far[-1].last:
                return _same_tables(state, so_far)
            if len(so_far[-1].tables) == 1:
                return Finished(f"all {state.number - 1} rounds are played")
            return _next_stage(state, so_far)
        except SeatingError as error:
            return NeedsAttention(str(error))

    def progress(self, state: State) -> Progress:
        """(stage reached, points that count in it).

        A later stage is reached by sitting at one of its tables: without the draw nobody can tell
        whether somebody with a bye by hand had got so far.
        """
        found: dict[str, tuple[int | Fraction, ...]] = {}
        results = luck.counted(state)
        for stage in stages(state.options, state.rounds):
            points = _points(state, results, stage)
            for x in stage.seated if stage.index else stage.seated | stage.byes:
                found[x] = (stage.index, points.get(x, 0))
        return found


def _points(state: State, results: Sequence[Result], stage: Stage) -> dict[str, int | Fraction]:
    """What each entry has made that counts in a stage: by the scoring, penalties, rulings."""
    first = 1 if state.options["carry"] == "all" else stage.first
    points: dict[str, int | Fraction] = {}
    for result in results:
        if first <= result.round <= stage.last:
            points[result.entry] = points.get(result.entry, 0) + luck.made(state, result)
    for ruled in state.ruled:
        if first <= ruled.round <= stage.last:
            points[ruled.entry] = points.get(ruled.entry, 0) + ruled.points
    return points


def _members(state: State, so_far: Sequence[Stage]) -> set[str]:
    """Who plays in the latest stage of `so_far`: who sat in it, or had a bye and had reached it."""
    stage = so_far[-1]
    byes = stage.byes - stage.seated
    if stage.index and byes:
        byes &= {*_going_on(_before(state, stage), so_far[:-1], len(stage.rounds[0].tables))}
    return stage.seated | byes


def _before(state: State, stage: Stage) -> State:
    """As it was when the stage began, by what counts now."""
    results = tuple(r for r in state.results if r.round < stage.first)
    return replace(state, rounds=state.rounds[: stage.first - 1], results=results)


def _groups(state: State) -> Round:
    """The first stage: one of each fifth of the seeds, or by lot."""
    lots, active = state.lots(state.number), state.active(state.number)
    order = [e.id for e in active]
    lots.shuffle(order)
    seeds = {e.id: e.seed for e in active if e.seed is not None}
    order.sort(key=lambda x: seeds.get(x, 1 + max(seeds.values(), default=0)))
    need = missing(len(order))
    return _seat(state, [*order, *house(state, need)], (len(order) + need) // SEATS, ())


def _next_stage(state: State, so_far: Sequence[Stage]) -> Decision:
    """The stage after a finished one."""
    before = so_far[-1].tables
    order = _going_on(state, so_far, tables_after(state.options, len(before)))
    if not order:
        return GONE
    tables = -(-len(order) // SEATS)
    need = tables * SEATS - len(order)
    return Seated(_seat(state, [*order, *house(state, need)], tables, before))


def _going_on(state: State, so_far: Sequence[Stage], tables: int) -> list[str]:
    """Those whom so many new tables take: the best of every table, then the best of the others."""
    stage, rank = so_far[-1], _ranked(state)
    active = {e.id for e in state.active(state.number)}
    order = sorted(_members(state, so_far) & active, key=rank.__getitem__)
    advance = int(state.options["advance"])
    place = {
        x: min(k, advance)
        for five in by_table(stage.homes(), order).values()
        for k, x in enumerate(five)
    }
    return sorted(order, key=lambda x: (place.get(x, advance), rank[x]))[: tables * SEATS]


def _ranked(state: State) -> dict[str, int]:
    """Everybody's position in the standings, as they are published; then by the draw."""
    sheets = make_sheets(
        state.entrants,
        state.rounds,
        luck.told(state.results, state.options),
        house={*state.spread},
        adjustments=state.adjustments,
    )
    rows = standings(
        sheets,
        state.tie_breaks,
        lot=state.lot,
        progress=KNOCKOUT.progress(state),
        scoring=state.scoring,
    )
    rank = {row.entry: row.rank for row in rows}
    by_lot = sorted(rank)
    state.lots(state.number).shuffle(by_lot)
    return {x: k for k, x in enumerate(sorted(by_lot, key=rank.__getitem__))}


def _same_tables(state: State, so_far: Sequence[Stage]) -> Decision:
    """The stage goes on with the same tables; house entries for who has left.

    Who comes back has his own table again. In the first stage a late entry takes over from a house
    entry, where it meets nobody whom it must not.
    """
    stage, homes = so_far[-1], so_far[-1].homes()
    active = {e.id for e in state.active(state.number)}
    there = {x for table in stage.tables for x in table}
    comers = sorted((active & _members(state, so_far) if stage.index else active) - there)
    wanted = {homes[x] for x in comers if x in homes}
    kept = [t for t, five in enumerate(stage.tables) if t in wanted or active & set(five)]
    if not kept:
        return GONE
    tables = [list(stage.tables[t]) for t in kept]
    at = {x: kept.index(homes[x]) for x in comers if x in homes}
    let_in(state, tables, comers, at, stage.last + 1 - state.number)
    fill(state, tables)
    return Seated(_round(state, turned(state, stage, tables)))


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
    return _round(state, continued(state, [[ids[i] for i in table] for table in plan[0]]))


def _round(state: State, tables: Sequence[Sequence[str]]) -> Round:
    placed = {x for table in tables for x in table}
    out = tuple(e.id for e in state.active(state.number) if e.id not in placed)
    return Round(state.number, tuple(map(tuple, tables)), (), out)


KNOCKOUT = Knockout()
