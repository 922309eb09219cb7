"""The fairness certificate: how equally a tournament treated its entries, and how equally it could.

Counts come from the rounds as they were drawn, not from what the drawing promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb

from .bounds import repeats_bound, square_bound
from .duplicate import sittings
from .entrants import Entrant
from .filling import owners
from .plan import SEATS, Round

MATRIX = 250
"""The largest field whose matrices are written out."""


@dataclass(frozen=True)
class Spread:
    """Least and most of a count over the entries, and the difference that cannot be avoided."""

    least: int
    most: int
    unavoidable: int

    @property
    def fair(self) -> bool:
        return self.most - self.least <= self.unavoidable


@dataclass(frozen=True)
class Certificate:
    """entries gives the order of all rows and columns.

    meetings[i][j]: rounds at one table. next[i][j]: matches in which j sat right after i. Both are
    None in fields of more than 250. pairs: how many pairs met 0, 1, 2, … times. seats[i]: matches
    in seats 0..4; seat 0 is dealt first. played, byes: rounds. repeats and squares (sum over pairs
    of C(meetings, 2)) stand beside their proved bounds, as neighbour_squares (the same over ordered
    pairs, one right after the other) beside what counting proves. apart: meetings of one owner's
    entries, (entry, entry, times). seat_spread: over entries that were seated equally often.
    """

    entries: tuple[str, ...]
    rounds: int
    meetings: tuple[tuple[int, ...], ...] | None
    next: tuple[tuple[int, ...], ...] | None
    pairs: tuple[int, ...]
    neighbours: tuple[int, ...]
    seats: tuple[tuple[int, ...], ...]
    played: tuple[int, ...]
    byes: tuple[int, ...]
    repeats: int
    repeats_bound: int
    squares: int
    squares_bound: int
    neighbour_squares: int
    neighbour_squares_bound: int
    seat_spread: Spread
    bye_spread: Spread
    apart: tuple[tuple[str, str, int], ...]

    def to_json(self) -> dict[str, object]:
        """JSON-able, with the distances from the bounds."""
        return {
            **asdict(self),
            "repeats_above_bound": self.repeats - self.repeats_bound,
            "squares_above_bound": self.squares - self.squares_bound,
            "neighbour_squares_above_bound": self.neighbour_squares - self.neighbour_squares_bound,
        }


def certificate(
    entrants: Sequence[Entrant],
    rounds: Sequence[Round],
    *,
    house: Collection[str] = (),
    replays: int = 1,
) -> Certificate:
    """The certificate of the rounds drawn so far. House entries that were seated have rows too.

    replays: as the boards of the tournament have it (duplicate.py); seats count in every replay.
    """
    used = {x for r in rounds for table in r.tables for x in table if x in house}
    ids = sorted({e.id for e in entrants} | used)
    index = {x: i for i, x in enumerate(ids)}
    met = Counter(pair for r in rounds for t in r.tables for pair in combinations(sorted(t), 2))
    tables = [s.seats for r in rounds for s in sittings(r, 1, replays)]
    after = Counter((t[s], t[(s + 1) % SEATS]) for t in tables for s in range(SEATS))
    seats = [[0] * SEATS for _ in ids]
    for table in tables:
        for s, x in enumerate(table):
            seats[index[x]][s] += 1
    byes = Counter(x for r in rounds for x in r.byes)
    played = Counter(x for r in rounds for table in r.tables for x in table)
    bound, squares = _bounds(rounds, len(ids))
    return Certificate(
        entries=tuple(ids),
        rounds=len(rounds),
        meetings=_matrix(index, met, both=True),
        next=_matrix(index, after, both=False),
        pairs=_histogram(met, comb(len(ids), 2)),
        neighbours=_histogram(after, len(ids) * (len(ids) - 1)),
        seats=tuple(map(tuple, seats)),
        played=tuple(played[x] for x in ids),
        byes=tuple(byes[x] for x in ids),
        repeats=sum(times - 1 for times in met.values()),
        repeats_bound=bound,
        squares=_squares(met),
        squares_bound=squares,
        neighbour_squares=_squares(after),
        neighbour_squares_bound=_spread_out(SEATS * len(tables), len(ids) * (len(ids) - 1)),
        seat_spread=_seat_spread(seats),
        bye_spread=_even([byes[e.id] for e in entrants if _whole(e)]),
        apart=_apart(entrants, met),
    )


def _bounds(rounds: Sequence[Round], n: int) -> tuple[int, int]:
    """Of repeats and squares; by pairs alone where the field changed."""
    fields = {frozenset([*r.byes, *(x for t in r.tables for x in t)]) for r in rounds}
    if len(fields) == 1 and len(next(iter(fields))) == n:
        return repeats_bound(n, len(rounds)), square_bound(n, len(rounds))
    meetings, pairs = sum(10 * len(r.tables) for r in rounds), comb(n, 2)
    return max(0, meetings - pairs), _spread_out(meetings, pairs)


def _spread_out(times: int, pairs: int) -> int:
    """The least sum of C(count, 2) over so many pairs whose counts add up to `times`: Jensen."""
    each, over = divmod(times, pairs) if pairs else (0, 0)
    return pairs * comb(each, 2) + each * over


def _squares(counts: Mapping[tuple[str, str], int]) -> int:
    return sum(comb(times, 2) for times in counts.values())


def _matrix(
    index: Mapping[str, int], counts: Mapping[tuple[str, str], int], *, both: bool
) -> tuple[tuple[int, ...], ...] | None:
    if len(index) > MATRIX:
        return None
    rows = [[0] * len(index) for _ in index]
    for (x, y), times in counts.items():
        rows[index[x]][index[y]] = times
        if both:
            rows[index[y]][index[x]] = times
    return tuple(map(tuple, rows))


def _histogram(counts: Mapping[tuple[str, str], int], pairs: int) -> tuple[int, ...]:
    """How many pairs have the count 0, 1, …"""
    times = Counter(counts.values())
    times[0] = pairs - len(counts)
    return tuple(times[k] for k in range(max(times) + 1))


def _seat_spread(seats: Iterable[Sequence[int]]) -> Spread:
    """The widest of the entries' own differences."""
    had = [(min(row), max(row), int(sum(row) % SEATS > 0)) for row in seats]
    least, most, unavoidable = max(had, key=lambda row: row[1] - row[0], default=(0, 0, 0))
    return Spread(least, most, unavoidable)


def dealt_first_spread(first: Sequence[int], deals: Sequence[int]) -> Spread:
    """Over entries that were dealt equally many deals: those who differ most in how many first."""
    alike: dict[int, list[int]] = {}
    for count, dealt in zip(first, deals, strict=True):
        alike.setdefault(dealt, []).append(count)
    spreads = map(_even, alike.values())
    return max(spreads, key=lambda s: s.most - s.least, default=Spread(0, 0, 0))


def _even(counts: Sequence[int]) -> Spread:
    """Over entries that are entitled to the same."""
    if not counts:
        return Spread(0, 0, 0)
    return Spread(min(counts), max(counts), int(sum(counts) % len(counts) > 0))


def _whole(entrant: Entrant) -> bool:
    """Whether it was there from first to last; a round missed counts as a bye."""
    return entrant.joined <= 1 and entrant.left is None and not entrant.absent


def _apart(
    entrants: Sequence[Entrant], met: Mapping[tuple[str, str], int]
) -> tuple[tuple[str, str, int], ...]:
    pairs = (pair for group in owners(entrants) for pair in combinations(sorted(group), 2))
    return tuple((x, y, met[x, y]) for x, y in sorted(pairs) if met.get((x, y)))
