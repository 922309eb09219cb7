"""What a finished match leaves for the tournament: one row an entry.

Deal scores add up to 0 at a table. Penalties are at most 0, belong to one entry alone and are not
in `points`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

ROLES = ("emperor", "guard", "rebel", "solo")
"""solo: the emperor alone against four, open or hidden."""

NO_PLACES = (0, 0, 0, 0, 0)


@dataclass(frozen=True)
class RoleCount:
    """Deals in a role and the points made in them."""

    deals: int = 0
    points: int = 0

    def __add__(self, other: RoleCount) -> RoleCount:
        return RoleCount(self.deals + other.deals, self.points + other.points)


@dataclass(frozen=True)
class Result:
    """What one entry made in one finished match.

    round and table count from 1, seat from 0. points: sum of deal scores. penalty: at most 0.
    places[k]: deals in which it went out (k+1)th. board: points minus what the others who held the
    same cards made on average, over its deals; adjusted: points minus their expected value (par).
    Both are None where not known. stand_in: somebody else played for the entry, which was not
    there; what came out belongs to nobody.
    """

    entry: str
    round: int
    table: int
    match: str
    seat: int
    points: int
    penalty: int = 0
    deals: int = 0
    places: tuple[int, int, int, int, int] = NO_PLACES
    roles: Mapping[str, RoleCount] = field(default_factory=dict)
    house: bool = False
    board: Fraction | None = None
    adjusted: Fraction | None = None
    stand_in: bool = False


@dataclass(frozen=True)
class Adjustment:
    """A ruling's points for one entry in one round; positive or negative."""

    entry: str
    round: int
    points: int


COUNTED = ("scored", "abdicated")
"""Results of deals (contract.md section 2) whose scores count."""


def rows(
    entries: Sequence[str],
    deals: Sequence[Mapping[str, Any]],
    penalties: Sequence[int],
    *,
    round_: int,
    table: int,
    match: str,
    house: Collection[str] = (),
    stand_ins: Collection[int] = (),
) -> list[Result]:
    """The five rows of a match: `entries` and `penalties` by seat, `deals` as in its record.

    stand_ins: seats whose entry was not there.
    """
    counted = [deal for deal in deals if deal["result"] in COUNTED]
    return [
        Result(
            entry,
            round_,
            table,
            match,
            seat,
            points=sum(deal["scores"][seat] for deal in counted),
            penalty=penalties[seat],
            deals=len(counted),
            places=_places(counted, seat),
            roles=_roles(counted, seat),
            house=entry in house,
            stand_in=seat in stand_ins,
        )
        for seat, entry in enumerate(entries)
    ]


def role(deal: Mapping[str, Any], seat: int) -> str:
    """One of ROLES: what a seat was in a deal of a record."""
    if seat == deal["emperor"]:
        return "solo" if deal["solo"] else "emperor"
    return "guard" if seat == deal["guard"] else "rebel"


def _places(deals: Sequence[Mapping[str, Any]], seat: int) -> tuple[int, int, int, int, int]:
    had = [deal["places"][seat] for deal in deals if deal.get("places")]
    first, second, third, fourth, fifth = (had.count(place) for place in range(1, 6))
    return first, second, third, fourth, fifth


def _roles(deals: Sequence[Mapping[str, Any]], seat: int) -> dict[str, RoleCount]:
    counts: dict[str, RoleCount] = {}
    for deal in deals:
        name = role(deal, seat)
        counts[name] = counts.get(name, RoleCount()) + RoleCount(1, deal["scores"][seat])
    return counts
