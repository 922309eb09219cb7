"""Sheets to ranked rows: points first, then an ordered list of tie-breaks.

Everything is exact (integers and fractions), so that equal is equal on every machine. A criterion
looks at one group of entries that are tied on all before it, because head to head means nothing
outside its group. Who is tied to the end shares a rank; the order of the rows is by id then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, groupby

from .results import MEASURES, RoleCount
from .sheets import Sheet

DECIMALS = 4
"""In a row's JSON; ranks use the exact values."""

LUCK = ("board_difference", "adjusted")
"""Of a row: deal scores less what others made of the same cards, less par."""

COUNTED_UP = ("average_place", "lot")
"""Criteria where less is better: kept negated, shown as they are."""


@dataclass(frozen=True)
class Field:
    """What criteria may look at besides the group: all sheets, and each entry's lot."""

    sheets: Mapping[str, Sheet]
    lot: Mapping[str, int]

    @cached_property
    def totals(self) -> dict[str, dict[int, int]]:
        """By entry and round."""
        return {x: {line.round: line.total for line in s.lines} for x, s in self.sheets.items()}

    @cached_property
    def total(self) -> dict[str, int]:
        return {x: sum(by_round.values()) for x, by_round in self.totals.items()}


Values = Mapping[str, Fraction]
Criterion = Callable[[Sequence[Sheet], Field], Values | None]
"""The group's values, higher is better; None where the criterion does not apply to the group."""


def points(group: Sequence[Sheet], _: Field) -> Values:
    """Total: points, penalties, rulings."""
    return {s.entry: Fraction(s.total) for s in group}


def by_board(group: Sequence[Sheet], field: Field) -> Values:
    """Total with the board difference in place of deal scores."""
    ahead = board_difference(group, field)
    return {s.entry: ahead[s.entry] + s.total - s.scored for s in group}


def by_par(group: Sequence[Sheet], field: Field) -> Values:
    """Total with points above par in place of deal scores."""
    above = adjusted(group, field)
    return {s.entry: above[s.entry] + s.total - s.scored for s in group}


SCORINGS: dict[str, Criterion] = {
    "points": points,
    "board_difference": by_board,
    "adjusted": by_par,
}
"""What ranks first; points come next where something else does."""


def firsts(group: Sequence[Sheet], _: Field) -> Values:
    """Deals in which it went out first (头客)."""
    return {s.entry: Fraction(s.places[0]) for s in group}


def average_place(group: Sequence[Sheet], _: Field) -> Values:
    """Mean place over its deals, negated (a low place is good); 3 for who played none."""
    return {s.entry: -_mean_place(s.places) for s in group}


def head_to_head(group: Sequence[Sheet], _: Field) -> Values | None:
    """Points ahead of the tied ones in rounds at the same table; only if all of them met."""
    gained = dict.fromkeys((s.entry for s in group), Fraction(0))
    for a, b in combinations(group, 2):
        shared = _shared_rounds(a, b)
        if not shared:
            return None
        ahead = Fraction(a.total_in(shared) - b.total_in(shared))
        gained[a.entry] += ahead
        gained[b.entry] -= ahead
    return gained


def opponents(group: Sequence[Sheet], field: Field) -> Values:
    """Strength of schedule: mean total of its opponents without the rounds they played with it.

    House opponents, and the four that a bye stands for, count 0.
    """
    return {s.entry: _strength(s, field) for s in group}


def board_difference(group: Sequence[Sheet], _: Field) -> Values:
    """Points ahead of who held the same cards at other tables (duplicate)."""
    return _measured(group, "board_difference")


def adjusted(group: Sequence[Sheet], _: Field) -> Values:
    """Points less their expected value (par); plain points where there is no par."""
    return _measured(group, "adjusted")


def _measured(group: Sequence[Sheet], how: str) -> Values:
    measure = MEASURES[how]
    return {s.entry: Fraction(sum(map(measure, s.results))) for s in group}


def best_round(group: Sequence[Sheet], _: Field) -> Values:
    """The best total of one round."""
    return {s.entry: Fraction(max((x.total for x in s.lines), default=0)) for s in group}


def lot(group: Sequence[Sheet], field: Field) -> Values:
    """By lot: the smaller number is first."""
    return {s.entry: Fraction(-field.lot[s.entry]) for s in group}


TIE_BREAKS: dict[str, Criterion] = {
    criterion.__name__: criterion
    for criterion in (
        firsts,
        average_place,
        head_to_head,
        opponents,
        board_difference,
        adjusted,
        best_round,
        lot,
    )
}
DEFAULT_TIE_BREAKS = ("firsts", "average_place", "head_to_head")

Named = tuple[str | None, Criterion]
"""A criterion and the name under which its values are shown, if they are."""


class TieBreakError(ValueError):
    """An unknown or repeated tie-break, or `lot` without a draw."""


@dataclass(frozen=True)
class Row:
    """One line of the standings.

    points: scored (deal scores) + penalty + adjustment (rulings). `shared`: others have the same
    rank. board_difference, adjusted: deal scores above the boards' averages, above par; None where
    there is no such thing. tie_breaks: the values that made the order; None where one did not
    apply, missing where it was not needed.
    """

    rank: int
    shared: bool
    entry: str
    house: bool
    points: int
    scored: int
    penalty: int
    adjustment: int
    deals: int
    rounds: int
    byes: int
    places: tuple[int, ...]
    roles: Mapping[str, RoleCount]
    board_difference: Fraction | None
    adjusted: Fraction | None
    tie_breaks: Mapping[str, Fraction | None]

    def to_json(self) -> dict[str, object]:
        """JSON-able; fractions as decimals of four digits, the same on every machine.

        What is not known of LUCK is left out.
        """
        ties = {k: _decimal(v) for k, v in self.tie_breaks.items()}
        roles = {name: {"deals": c.deals, "points": c.points} for name, c in self.roles.items()}
        plain = {k: v for k, v in self.__dict__.items() if k not in LUCK}
        luck = {k: _decimal(v) for k in LUCK if (v := getattr(self, k)) is not None}
        lists = {"places": list(self.places), "roles": roles, "tie_breaks": ties}
        return {**plain, **luck, **lists}


def standings(
    sheets: Mapping[str, Sheet],
    tie_breaks: Sequence[str] = DEFAULT_TIE_BREAKS,
    *,
    lot: Callable[[str], int] | None = None,
    house: bool = True,
    progress: Mapping[str, tuple[int | Fraction, ...]] | None = None,
    scoring: str = "points",
) -> tuple[Row, ...]:
    """Rows from first to last. house=False leaves house entries out; ranks then skip them.

    lot: each entry's number for the tie-break `lot` (lots.py). progress: what ranks before points,
    higher is better (scheme.ranked_first); who is not named comes last. scoring: of SCORINGS.
    Raises TieBreakError.
    """
    check_tie_breaks(tie_breaks, scoring)
    if "lot" in tie_breaks and lot is None:
        raise TieBreakError("the tie-break lot needs a draw")
    field = Field(sheets, {entry: lot(entry) if lot else 0 for entry in sheets})
    ranked = [sheets[x] for x in sorted(sheets) if house or not sheets[x].house]
    values: dict[str, dict[str, Fraction | None]] = {s.entry: {} for s in ranked}
    criteria = _criteria(scoring, tie_breaks)
    rows: list[Row] = []
    for equal in _by_progress(ranked, progress or {}):
        for group in _split(equal, criteria, field, values):
            rank, shared = len(rows) + 1, len(group) > 1
            rows += [_row(s, rank, shared, values[s.entry]) for s in group]
    return tuple(rows)


def check_tie_breaks(names: Sequence[str], scoring: str = "points") -> None:
    """Raises TieBreakError."""
    if scoring not in SCORINGS:
        raise TieBreakError(f"no scoring {scoring}; there are {', '.join(SCORINGS)}")
    for name in names:
        if name not in TIE_BREAKS:
            raise TieBreakError(f"no tie-break {name}; there are {', '.join(TIE_BREAKS)}")
    if len(set(names)) < len(names):
        raise TieBreakError("a tie-break is named twice")


def decimal(value: Fraction) -> str:
    """A number below 10^18 with four decimals, halves to even."""
    scaled = round(value * 10**DECIMALS)
    whole, rest = divmod(abs(scaled), 10**DECIMALS)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{DECIMALS}}"


def _decimal(value: Fraction | None) -> str | None:
    return None if value is None else decimal(value)


def _criteria(scoring: str, tie_breaks: Sequence[str]) -> list[Named]:
    first: list[Named] = [(None, SCORINGS[scoring])]
    next_: list[Named] = [] if scoring == "points" else [(None, points)]
    return [*first, *next_, *((name, TIE_BREAKS[name]) for name in tie_breaks)]


def _by_progress(
    sheets: list[Sheet], progress: Mapping[str, tuple[int | Fraction, ...]]
) -> list[list[Sheet]]:
    """The sheets in groups that came equally far, the farthest first."""

    def far(sheet: Sheet) -> tuple[int | Fraction, ...]:
        return progress.get(sheet.entry, ())

    ordered = sorted(sheets, key=far, reverse=True)
    return [list(group) for _, group in groupby(ordered, key=far)]


def _split(
    group: list[Sheet],
    criteria: Sequence[Named],
    field: Field,
    values: Mapping[str, dict[str, Fraction | None]],
) -> Iterator[list[Sheet]]:
    """The group in order, as groups that stay tied; the values used are noted on the way."""
    if not criteria or len(group) == 1:
        yield group
        return
    (name, criterion), rest = criteria[0], criteria[1:]
    found = criterion(group, field)
    if name is not None:
        for sheet in group:
            values[sheet.entry][name] = _shown(name, None if found is None else found[sheet.entry])
    if found is None:
        yield from _split(group, rest, field, values)
        return
    ordered = sorted(group, key=lambda sheet: (-found[sheet.entry], sheet.entry))
    for _, tied in groupby(ordered, key=lambda sheet: found[sheet.entry]):
        yield from _split(list(tied), rest, field, values)


def _shown(name: str, value: Fraction | None) -> Fraction | None:
    return -value if value is not None and name in COUNTED_UP else value


def _row(sheet: Sheet, rank: int, shared: bool, values: Mapping[str, Fraction | None]) -> Row:
    lines = sheet.lines
    known = sheet.results
    return Row(
        rank,
        shared,
        sheet.entry,
        sheet.house,
        points=sheet.total,
        scored=sheet.scored,
        penalty=sum(line.penalty for line in lines),
        adjustment=sum(line.adjustment for line in lines),
        deals=sheet.deals,
        rounds=sheet.count("played"),
        byes=sheet.count("bye"),
        places=sheet.places,
        roles=sheet.roles,
        board_difference=_sum([r.board for r in known]),
        adjusted=_sum([r.adjusted for r in known]),
        tie_breaks=values,
    )


def _sum(values: Sequence[Fraction | None]) -> Fraction | None:
    """Of those that are known; None if none is."""
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) if known else None


def _mean_place(places: Sequence[int]) -> Fraction:
    deals = sum(places)
    total = sum(k * had for k, had in enumerate(places, 1))
    return Fraction(total, deals) if deals else Fraction(3)


def _shared_rounds(a: Sheet, b: Sheet) -> set[int]:
    """Rounds in which both played at one table."""
    there = {line.round for line in b.lines if line.kind == "played"}
    return {
        line.round
        for line in a.lines
        if line.kind == "played" and b.entry in line.opponents and line.round in there
    }


def _strength(sheet: Sheet, field: Field) -> Fraction:
    shared: dict[str, list[int]] = {}
    for line in sheet.lines:
        for x in line.opponents if line.kind == "played" else ():
            shared.setdefault(x, []).append(line.round)
    strengths = sum(len(rounds) * _without(x, rounds, field) for x, rounds in shared.items())
    count = sum(map(len, shared.values())) + 4 * sheet.count("bye")
    return Fraction(strengths, count) if count else Fraction(0)


def _without(opponent: str, rounds: Sequence[int], field: Field) -> int:
    """An opponent's total without the rounds played together; house entries: 0."""
    if opponent not in field.sheets or field.sheets[opponent].house:
        return 0
    made = field.totals[opponent]
    return field.total[opponent] - sum(made[r] for r in rounds)
