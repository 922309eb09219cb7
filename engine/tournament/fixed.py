"""Formats whose seats do not depend on results: single table and round robin of tables.

The whole schedule is made before round 1. Withdrawals and late entries change it as little as
possible: a house entry takes over a free place, a late entry takes over from a house entry, and who
comes back has his own place again; only when that does not come out (byes, or five places free)
are the coming rounds made anew. So they are after byes by hand, which the others have to make up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .comers import Acquaintance, Places
from .designs.catalogue import full_rounds
from .filling import BOARDS, FILL, MOST_ROUNDS, by_house, house_for, missing, owners
from .plan import SEATS, Round, Table
from .scheme import (
    Course,
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
from .search import MOVES
from .seating import SeatingError, schedule


@dataclass(frozen=True)
class Fixed:
    """A schedule made in advance; the two formats differ in their options and size only."""

    name: str
    known: tuple[Option, ...]
    most_entries: int | None = None

    def options(self, raw: Mapping[str, object]) -> Options:
        return parse_options(self.known, raw)

    def rounds_total(self, options: Options, entries: int) -> int | None:
        rounds = options["rounds"]
        if isinstance(rounds, int):
            return rounds
        return full_rounds(entries + (missing(entries) if by_house(options, entries) else 0))

    def next_round(self, state: State) -> Decision:
        number = state.number
        total = self.rounds_total(state.options, len(state.active(1)))
        if total is not None and number > total:
            return Finished(f"all {total} rounds are played")
        if not state.active(number):
            return Finished("nobody is left")
        try:
            course = self._course(state, number)
        except SeatingError as error:
            return NeedsAttention(str(error))
        return Seated(_round(course, number), course)

    def progress(self, state: State) -> Progress:
        return {}

    def _course(self, state: State, number: int) -> Course:
        """The course of round `number`: as handed in, or made again from round 1 on."""
        course, at = state.course, number - 1
        if course is None:
            course, at = self._new(state, 1), 1
        for later in range(at + 1, number + 1):
            kept = None if _upset(state, course, later) else self._handed_over(state, course, later)
            course = kept or self._new(state, later)
        return course

    def _new(self, state: State, number: int) -> Course:
        """A schedule for all rounds from `number` on. Raises SeatingError."""
        active = state.active(number)
        ids = [e.id for e in active]
        house = house_for(state, len(ids))
        total = self.rounds_total(state.options, len(state.active(1))) or number
        made = schedule(
            [*ids, *house],
            total - number + 1,
            state.lots(number),
            keep_apart=owners(active),
            house=state.spread,
            forbidden=state.forbidden,
            moves=1000 * int(state.options["effort"]),
            played=[r.tables for r in state.rounds[: number - 1]],
        )
        return Course(number, made, {x: x for x in [*ids, *house]})

    def _handed_over(self, state: State, course: Course, number: int) -> Course | None:
        """The same course with free places taken over, or None if that does not come out."""
        active = {e.id for e in state.active(number)}
        comers = sorted(active - set(course.who.values()))
        free = [place for place, x in sorted(course.who.items()) if x not in active]
        free.sort(key=lambda place: course.who[place] not in state.house)
        if not free and not comers:
            return course
        if any(course.schedule.byes) or not by_house(state.options, len(active)):
            return None
        if not 0 <= len(free) - len(comers) < SEATS:
            return None
        who = {**course.who, **_settled(state, course, number, free, comers)}
        own = {**course.own, **{x: p for p, x in who.items() if x in active and x != p}}
        rest = [place for place in free if who[place] not in active]
        taken = replace(course, who=_with_house(who, rest, state.house), own=own)
        return taken if _allowed(taken, number, state.forbidden) else None


EFFORT = Option(
    "effort", MOVES // 1000, "thousands of exchanges tried where no design serves", 0, 100_000
)


def _upset(state: State, course: Course, number: int) -> bool:
    """Whether byes of the round before were others than planned, and there are more to come."""
    last = number - 1
    if last < course.start or not any(course.schedule.byes[number - course.start :]):
        return False
    return _round(course, last).byes != tuple(sorted(state.rounds[last - 1].byes))


def _settled(
    state: State, course: Course, number: int, free: Sequence[str], comers: Sequence[str]
) -> dict[str, str]:
    """Free places for comers: their own first, then where they clash and meet again least."""
    if not comers:
        return {}
    active = {e.id for e in state.active(number)}
    own = {x: frozenset({x, course.own.get(x, x)}) for x in comers}
    taken = {place: x for place, x in course.who.items() if x in active}
    meets = _meetings(course.schedule.rounds[number - course.start :], free)
    then = replace(state, rounds=state.rounds[: number - 1])
    return Places(free, meets, taken, own).fill(comers, Acquaintance(then, comers))


def _meetings(rounds: Sequence[Sequence[Table]], places: Sequence[str]) -> dict[str, Counter[str]]:
    """How often each of `places` meets every other place."""
    found: dict[str, Counter[str]] = {place: Counter() for place in places}
    for table in (table for tables in rounds for table in tables):
        for place in table:
            if place in found:
                found[place].update(other for other in table if other != place)
    return found


def _with_house(
    who: Mapping[str, str], places: Sequence[str], house: Sequence[str]
) -> Mapping[str, str]:
    """House entries at `places`; those that are there already stay. Raises SeatingError."""
    stay = {place for place in places if who[place] in house}
    spare = iter([x for x in house if x not in {who[place] for place in stay}])
    filled = dict(who)
    for place in places:
        if place not in stay:
            filled[place] = next(spare, "")
    if "" in filled.values():
        raise SeatingError(f"{len(places)} house entries are needed, {len(house)} are there")
    return filled


def _allowed(course: Course, number: int, forbidden: Sequence[tuple[str, str]]) -> bool:
    """Whether no forbidden pair meets from round `number` on."""
    pairs = [{x, y} for x, y in forbidden]
    tables = (t for tables in course.schedule.rounds[number - course.start :] for t in tables)
    return not pairs or not any(
        pair <= {course.who[place] for place in table} for table in tables for pair in pairs
    )


def _round(course: Course, number: int) -> Round:
    k, who = number - course.start, course.who
    tables = tuple(tuple(who[x] for x in table) for table in course.schedule.rounds[k])
    return Round(number, tables, tuple(sorted(who[x] for x in course.schedule.byes[k])))


SINGLE_TABLE = Fixed(
    "single_table",
    (
        Option("rounds", 5, "rounds of the table; twenty are perfectly even", 1, MOST_ROUNDS),
        EFFORT,
        *BOARDS,
    ),
    most_entries=9,
)

ROUND_ROBIN = Fixed(
    "round_robin",
    (
        Option("rounds", "full", "full: every pair equally often", 1, MOST_ROUNDS, ("full",)),
        FILL,
        EFFORT,
        *BOARDS,
    ),
)
