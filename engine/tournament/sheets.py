"""Results to sheets: one line a round for every entry, whatever happened to it in that round.

A round without a result is always classified (waiting, bye, out, late, absent), never left out.
Byes are worth 0, which is neutral where scores add up to 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .entrants import Entrant
from .plan import Round
from .results import Adjustment, Result, RoleCount


@dataclass(frozen=True)
class Line:
    """One entry's round. kind: played | waiting | bye | out | late | absent;
    out is knocked out.

    `results` has one row a match (several where boards are replayed). `opponents`: the other four.
    A round in which somebody else played for it throughout counts as absent.
    """

    round: int
    kind: str
    results: tuple[Result, ...] = ()
    opponents: tuple[str, ...] = ()
    adjustment: int = 0

    @property
    def points(self) -> int:
        return sum(r.points for r in self.results)

    @property
    def penalty(self) -> int:
        return sum(r.penalty for r in self.results)

    @property
    def total(self) -> int:
        return self.points + self.penalty + self.adjustment

    @property
    def deals(self) -> int:
        return sum(r.deals for r in self.results)

    def to_json(self) -> dict[str, object]:
        return {
            "round": self.round,
            "kind": self.kind,
            "points": self.points,
            "penalty": self.penalty,
            "adjustment": self.adjustment,
            "total": self.total,
            "deals": self.deals,
            "opponents": list(self.opponents),
            "matches": [r.match for r in self.results],
        }


@dataclass(frozen=True)
class Sheet:
    """One entry's lines, round 1 first."""

    entry: str
    house: bool
    lines: tuple[Line, ...]

    @property
    def total(self) -> int:
        """Points, penalties and adjustments."""
        return sum(line.total for line in self.lines)

    @property
    def scored(self) -> int:
        """Deal scores alone."""
        return sum(line.points for line in self.lines)

    @property
    def deals(self) -> int:
        return sum(line.deals for line in self.lines)

    @property
    def results(self) -> tuple[Result, ...]:
        return tuple(result for line in self.lines for result in line.results)

    @property
    def places(self) -> tuple[int, ...]:
        """Deals by place, first to fifth."""
        return tuple(sum(r.places[k] for r in self.results) for k in range(5))

    @property
    def roles(self) -> dict[str, RoleCount]:
        counts: dict[str, RoleCount] = {}
        for result in self.results:
            for name, count in result.roles.items():
                counts[name] = counts.get(name, RoleCount()) + count
        return counts

    def total_in(self, rounds: Collection[int]) -> int:
        """The total of some rounds only."""
        return sum(line.total for line in self.lines if line.round in rounds)

    def count(self, kind: str) -> int:
        return sum(line.kind == kind for line in self.lines)


def make_sheets(
    entrants: Sequence[Entrant],
    rounds: Sequence[Round],
    results: Iterable[Result],
    *,
    house: Collection[str] = (),
    adjustments: Iterable[Adjustment] = (),
    as_of: int | None = None,
) -> dict[str, Sheet]:
    """Sheets by id, of the entrants and of the house entries that were seated, sorted by id.

    Rounds after `as_of` are left out, with all that belongs to them.
    """
    rounds = [r for r in rounds if as_of is None or r.number <= as_of]
    by_line: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        by_line.setdefault((result.entry, result.round), []).append(result)
    ruled: dict[tuple[str, int], int] = {}
    for a in adjustments:
        ruled[a.entry, a.round] = ruled.get((a.entry, a.round), 0) + a.points
    tables = [{x: table for table in r.tables for x in table} for r in rounds]
    joined = {e.id: e.joined for e in entrants}
    used = {x for seated in tables for x in seated if x in house}
    return {
        x: Sheet(
            x,
            x in house,
            tuple(
                _line(x, r, seated, joined.get(x, 1), by_line, ruled)
                for r, seated in zip(rounds, tables, strict=True)
            ),
        )
        for x in sorted(joined.keys() | used)
    }


def _line(
    entry: str,
    round_: Round,
    seated: Mapping[str, Sequence[str]],
    joined: int,
    results: Mapping[tuple[str, int], Sequence[Result]],
    ruled: Mapping[tuple[str, int], int],
) -> Line:
    key = entry, round_.number
    played = sorted(results.get(key, ()), key=lambda r: (r.table, r.match))
    mine = tuple(r for r in played if not r.stand_in)
    kind = _kind(entry, round_, entry in seated, joined)
    if played:
        kind = "played" if mine else "absent"
    return Line(
        round_.number,
        kind,
        mine,
        tuple(x for x in seated.get(entry, ()) if x != entry),
        ruled.get(key, 0),
    )


def _kind(entry: str, round_: Round, seated: bool, joined: int) -> str:
    """Of a round without a result."""
    if seated:
        return "waiting"
    if entry in round_.byes or entry in round_.out:
        return "bye" if entry in round_.byes else "out"
    return "late" if round_.number < joined else "absent"
