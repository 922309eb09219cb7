"""Who takes part, as far as seats are concerned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Entrant:
    """Who takes part. It is seated in rounds joined, joined + 1, …, up to before `left`.

    `absent`: rounds between that it misses (left and came back, did not show up). `owner`:
    entrants of one owner are kept apart when possible. `seed`: strength known before, 1 is the
    strongest; None if unknown. `house`: a house entry that plays like any other; house entries are
    spread over the tables where that spoils little else. `disqualified`: ranked after everybody
    else; what it played stays.
    """

    id: str
    joined: int = 1
    left: int | None = None
    owner: str | None = None
    seed: int | None = None
    house: bool = False
    absent: frozenset[int] = frozenset()
    disqualified: bool = False

    def active(self, number: int) -> bool:
        there = self.joined <= number and (self.left is None or number < self.left)
        return there and number not in self.absent


def took_part(entrants: Iterable[Entrant], drawn: int) -> tuple[Entrant, ...]:
    """Without late entries that no round of the first `drawn` was for; they have no lot either."""
    return tuple(e for e in entrants if e.joined <= max(drawn, 1))
