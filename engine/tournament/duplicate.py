"""Duplicate: the same cards again with other people holding them, so that luck of the deal cancels.

A table replays its boards with its five entries moved round: in a replay, who sat at position p
takes seat a·p + b modulo 5. Five replays (a = 1) give everybody every hand of the board once. Ten
(a = 1, 2) also make all pairs neighbours equally often. Twenty (a = 1..4) put every ordered pair
of entries on every ordered pair of seats exactly once.

A replayed board is a match of one deal: in a longer match the second deal begins at the first
one's emperor, so that replays would not move the same hands round.

Boards may be shared by all tables of a round. What an entry made of a hand is then compared with
what all who held it made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .deals import DealRow, Hand
from .plan import SEATS, Round, Table

REPLAYS = (1, 5, 10, 20)
"""How often a board can be played by a table; 1 is no duplicate."""


@dataclass(frozen=True)
class Sitting:
    """One match of a round. Equal boards have equal cards. replay counts from 0."""

    table: int
    replay: int
    board: str
    deals: int
    seats: Table


def maps(replays: int) -> list[tuple[int, int]]:
    """(a, b) of every replay."""
    if replays not in REPLAYS:
        raise ValueError(f"{replays} replays: there are {', '.join(map(str, REPLAYS))}")
    if replays == 1:
        return [(1, 0)]
    return [(a, b) for a in range(1, replays // SEATS + 1) for b in range(SEATS)]


def moved(table: Sequence[str], a: int, b: int) -> Table:
    """The table in seat order after everybody at position p took seat a·p + b modulo 5."""
    seats = [""] * SEATS
    for p, entry in enumerate(table):
        seats[(a * p + b) % SEATS] = entry
    return tuple(seats)


def sittings(round_: Round, deals: int, replays: int = 1, *, shared: bool = False) -> list[Sitting]:
    """The matches of a round, table by table, in which everybody plays deals · replays deals.

    shared: all tables play the same boards. Board names are unique within a tournament.
    """
    made: list[Sitting] = []
    for number, table in enumerate(round_.tables, 1):
        board = f"{round_.number}" if shared else f"{round_.number}/{number}"
        if replays == 1:
            made.append(Sitting(number, 0, board, deals, table))
            continue
        made += [
            Sitting(number, k, f"{board}/{deal}", 1, moved(table, a, b))
            for deal in range(1, deals + 1)
            for k, (a, b) in enumerate(maps(replays))
        ]
    return made


def averages(rows: Iterable[DealRow]) -> dict[Hand, Fraction]:
    """What the holders of each hand made on average. Over the five hands of a deal: 0."""
    scores: dict[Hand, list[int]] = {}
    for row in rows:
        scores.setdefault(row.hand, []).append(row.score)
    return {hand: Fraction(sum(made), len(made)) for hand, made in scores.items()}


def board_differences(rows: Sequence[DealRow]) -> dict[tuple[str, str], Fraction]:
    """(entry, match) -> points above the average of the hands it held there."""
    average = averages(rows)
    found: dict[tuple[str, str], Fraction] = {}
    for row in rows:
        key = row.entry, row.match
        found[key] = found.get(key, Fraction(0)) + row.score - average[row.hand]
    return found


def centred(par: Mapping[Hand, Fraction]) -> dict[Hand, Fraction]:
    """Par less the mean of the five hands of its deal.

    So the differences of a deal add up to 0 and are fair whatever the model: only how much luck
    goes depends on it.
    """
    total: dict[tuple[str, int, int], Fraction] = {}
    for (board, deal, attempt, _), value in par.items():
        key = board, deal, attempt
        total[key] = total.get(key, Fraction(0)) + value
    return {hand: value - total[hand[:3]] / SEATS for hand, value in par.items()}
