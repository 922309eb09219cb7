"""What a finished match leaves for the tournament: one row an entry.

Deal scores add up to 0 at a table. Penalties are at most 0, belong to one entry alone and are not
in `points`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .plan import SEATS

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
class Held:
    """What one entry made of one hand: a counted deal of a match.

    packet: which fifth of the shuffled cards, counted from the seat dealt first. place: 1 to 5,
    None where the deal has none (abdicated). par: the expected score of the hand, centred in its
    deal; None where the tournament has no par.
    """

    deal: int
    attempt: int
    packet: int
    score: int
    place: int | None
    role: str
    par: Fraction | None = None

    def to_json(self) -> list[int | str | None]:
        """A short list, for storing."""
        par = None if self.par is None else str(self.par)
        return [self.deal, self.attempt, self.packet, self.score, self.place, self.role, par]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Held:
        """What `to_json` gave."""
        deal, attempt, packet, score, place, role_, par = data
        worth = None if par is None else Fraction(par)
        return cls(deal, attempt, packet, score, place, role_, worth)


@dataclass(frozen=True)
class Result:
    """What one entry made in one finished match.

    round and table count from 1, seat from 0. points: sum of deal scores. penalty: at most 0.
    places[k]: deals in which it went out (k+1)th. board: points minus what the others who held the
    same cards made on average, over its deals; adjusted: points minus their expected value (par).
    Both are worked out from all results that count (luck.py) and None where not known. stand_in:
    somebody else played for the entry, which was not there; what came out belongs to nobody.
    cards: the name of the board; equal names have equal cards. hands: what it made deal by deal,
    where luck is to be told.
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
    cards: str = ""
    hands: tuple[Held, ...] = ()


@dataclass(frozen=True)
class Adjustment:
    """A ruling's points for one entry in one round; positive or negative."""

    entry: str
    round: int
    points: int


def _points(result: Result) -> int | Fraction:
    return result.points


def _ahead(result: Result) -> int | Fraction:
    return result.board or Fraction(0)


def _above(result: Result) -> int | Fraction:
    return result.points if result.adjusted is None else result.adjusted


MEASURES: dict[str, Callable[[Result], int | Fraction]] = {
    "points": _points,
    "board_difference": _ahead,
    "adjusted": _above,
}
"""What a result counts in place of its deal scores, by what ranks first (standings.SCORINGS)."""


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
    cards: str = "",
    par: Mapping[tuple[int, int, int], Fraction] | None = None,
) -> list[Result]:
    """The five rows of a match: `entries` and `penalties` by seat, `deals` as in its record.

    stand_ins: seats whose entry was not there. par: by (deal, attempt, packet); hands that are not
    in it count as 0.
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
            cards=cards,
            hands=held(counted, seat, par),
        )
        for seat, entry in enumerate(entries)
    ]


def held(
    deals: Sequence[Mapping[str, Any]],
    seat: int,
    par: Mapping[tuple[int, int, int], Fraction] | None = None,
) -> tuple[Held, ...]:
    """What a seat made of its hands in counted deals of a record."""
    made = []
    for deal in deals:
        packet = (seat - deal["first"]) % SEATS
        hand = deal["number"], deal["attempt"], packet
        place = deal["places"][seat] if deal.get("places") else None
        worth = None if par is None else par.get(hand, Fraction(0))
        made.append(Held(*hand, deal["scores"][seat], place, role(deal, seat), worth))
    return tuple(made)


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
