"""Who sits where: seats, dealer order and neighbours over the rounds of a tournament.

A match keeps its seats over its deals (contract.md section 2) and seat 0 is dealt first in its
first deal, so an entry's seats over the rounds carry its dealer order too; the seat after one's own
is the next neighbour.

Theorem (König; de Werra): for any tables, seats can be chosen so that everybody has every seat
equally often, to within one. Split every entry into copies of five consecutive games; copies and
tables form a bipartite graph of degree at most five, whose edges five colours (seats) suffice
for. Because copies are consecutive games, the balance holds after every round, not only at the
end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, permutations

from .designs import stored
from .plan import SEATS, Plan

TWENTY: tuple[tuple[int, int, int, int, int], ...] = (
    (0, 2, 1, 4, 3), (1, 0, 3, 2, 4), (2, 4, 0, 3, 1), (3, 1, 4, 0, 2), (4, 3, 2, 1, 0),
    (0, 1, 2, 3, 4), (1, 3, 0, 4, 2), (2, 0, 4, 1, 3), (3, 4, 1, 2, 0), (4, 2, 3, 0, 1),
    (0, 4, 3, 1, 2), (1, 2, 4, 3, 0), (2, 3, 1, 0, 4), (3, 0, 2, 4, 1), (4, 1, 0, 2, 3),
    (0, 3, 4, 2, 1), (1, 4, 2, 0, 3), (2, 1, 3, 4, 0), (3, 2, 0, 1, 4), (4, 0, 1, 3, 2),
)  # fmt: skip
"""One table over rounds: row k says who of 0..4 has seat 0, 1, … in round k, then again from row 0.

After 5, 10, 15, 20 rounds every seat was had equally often; after 20 every ordered pair was
neighbours five times and had every ordered pair of seats once. Neighbour counts are 0-2, 2-3, 3-5,
5 after 5, 10, 15, 20 rounds: the best that is possible with every five rounds a Latin square.
"""

ORDERS = tuple(permutations(range(SEATS)))


def single_table(rounds: int) -> Plan:
    """The twenty seatings as often as they fit; then seats made for as many rounds as are left.

    Where so many are known to be impossible, or not needed, the first of the twenty.
    """
    cycles, left = divmod(rounds, len(TWENTY))
    last = stored.one_table(left) or TWENTY[:left]
    return [[list(row)] for row in (*TWENTY * cycles, *last)]


def seat(plan: Plan) -> Plan:
    """The same tables with seats balanced for everybody after every round."""
    return Colouring(plan).plan()


class Colouring:
    """Seats as edge colours: `table_of[copy][seat]` and `copy_at[table][seat]`, -1 where free.

    A copy is five consecutive games of one entry; tables are numbered through all rounds.
    """

    def __init__(self, plan: Plan) -> None:
        self.widths = [len(tables) for tables in plan]
        self.entry_of: list[int] = []
        self.table_of: list[list[int]] = []
        self.copy_at: list[list[int]] = []
        games: dict[int, int] = {}
        newest: dict[int, int] = {}
        for tables in plan:
            for table in tables:
                self.copy_at.append([-1] * SEATS)
                for entry in table:
                    if games.get(entry, 0) % SEATS == 0:
                        newest[entry] = self._new_copy(entry)
                    games[entry] = games.get(entry, 0) + 1
                    self._join(newest[entry], len(self.copy_at) - 1)

    def plan(self) -> Plan:
        """The tables in seat order, round by round."""
        tables = iter([[self.entry_of[c] for c in copies] for copies in self.copy_at])
        return [[next(tables) for _ in range(width)] for width in self.widths]

    def swap(self, table: int, a: int, b: int) -> list[int]:
        """Exchange seats a and b at `table` and wherever that forces it; the tables touched."""
        touched = [table]
        known = {table}
        for t in touched:
            x, y = self.copy_at[t][a], self.copy_at[t][b]
            for other in (self.table_of[x][b], self.table_of[y][a]):
                if other >= 0 and other not in known:
                    known.add(other)
                    touched.append(other)
        self.exchange(touched, a, b)
        return touched

    def exchange(self, tables: Sequence[int], a: int, b: int) -> None:
        """Swap seats a and b at tables that `swap` returned; twice undoes it."""
        moved = {copy for t in tables for copy in (self.copy_at[t][a], self.copy_at[t][b])}
        for t in tables:
            seats = self.copy_at[t]
            seats[a], seats[b] = seats[b], seats[a]
        for copy in moved:
            places = self.table_of[copy]
            places[a], places[b] = places[b], places[a]

    def _new_copy(self, entry: int) -> int:
        self.entry_of.append(entry)
        self.table_of.append([-1] * SEATS)
        return len(self.entry_of) - 1

    def _join(self, copy: int, table: int) -> None:
        """Give `copy` a seat at `table`, moving others along one alternating path if need be."""
        places, seats = self.table_of[copy], self.copy_at[table]
        mine = [s for s in range(SEATS) if places[s] < 0]
        a = next((s for s in mine if seats[s] < 0), -1)
        if a < 0:
            a, b = mine[0], seats.index(-1)
            self._clear(table, a, b)
        places[a], seats[a] = table, copy

    def _clear(self, table: int, a: int, b: int) -> None:
        """Free seat a at `table`, where b is free: the path of a's and b's moves the other way."""
        copy = self.copy_at[table][a]
        self.copy_at[table][a] = -1
        while copy >= 0:
            onward = self.table_of[copy][b]
            self.copy_at[table][b], self.table_of[copy][b] = copy, table
            self.table_of[copy][a] = onward
            if onward < 0:
                return
            displaced = self.copy_at[onward][a]
            self.copy_at[onward][a], self.copy_at[onward][b] = copy, -1
            table, copy = onward, displaced


def even_neighbours(plan: Plan, word: Callable[[], int], work: int) -> Plan:
    """Seats as `seat` gives them, then seats exchanged in attempts to even neighbours.

    Attempts keep the balance of seats; one is taken back when the sum over ordered neighbours of
    C(times, 2) grows. They end when they have touched `work` tables.
    """
    colouring = Colouring(plan)
    times: dict[tuple[int, int], int] = {}
    _count(colouring, range(len(colouring.copy_at)), times, 1)
    if max(times.values(), default=0) <= 1:
        return colouring.plan()
    while work > 0:
        choice, pair = divmod(word() % (len(colouring.copy_at) * 20), 20)
        a, b = divmod(pair, 4)
        work -= _try_exchange(colouring, choice, a, b + (b >= a), times)
    return colouring.plan()


def _try_exchange(
    colouring: Colouring, table: int, a: int, b: int, times: dict[tuple[int, int], int]
) -> int:
    """Exchange two seats unless that costs; the number of tables touched."""
    touched = colouring.swap(table, a, b)
    colouring.exchange(touched, a, b)
    before = _count(colouring, touched, times, -1)
    colouring.exchange(touched, a, b)
    after = _count(colouring, touched, times, 1)
    if after > before:
        _count(colouring, touched, times, -1)
        colouring.exchange(touched, a, b)
        _count(colouring, touched, times, 1)
    return len(touched)


def _count(
    colouring: Colouring, tables: Sequence[int], times: dict[tuple[int, int], int], step: int
) -> int:
    """Add (step 1) or remove (step -1) the tables' neighbours; by how much the cost changed."""
    change = 0
    entry_of = colouring.entry_of
    for t in tables:
        seats = [entry_of[copy] for copy in colouring.copy_at[t]]
        for arc in zip(seats, seats[1:] + seats[:1], strict=True):
            now = times.get(arc, 0)
            change += now if step > 0 else now - 1
            times[arc] = now + step
    return change


BOTH, SEATS_FIRST = (1, 3), (100, 1)
"""What seat counts and a repeated neighbour weigh: where tables change there are many neighbours
to choose from; a table that stays together has few, and its seats come first."""


class History:
    """Seats and neighbours that entries had; negative numbers are nobody any more.

    weights: of seat counts, by their square, and of a repeated neighbour.
    """

    def __init__(self, played: Plan, weights: tuple[int, int] = BOTH) -> None:
        self.seat, self.repeated = weights
        seats = list(zip(*chain.from_iterable(played), strict=True))  # seats[s]: who sat there
        self.had: dict[int, list[int]] = {i: [0] * SEATS for i in set().union(*seats)}
        self.times: Counter[tuple[int, int]] = Counter()
        for s, column in enumerate(seats):
            for i in column:
                self.had[i][s] += 1
            self.times.update(zip(column, seats[(s + 1) % SEATS], strict=True))

    def note(self, table: Sequence[int]) -> None:
        """A table in seat order that was, or will be, played."""
        for s, i in enumerate(table):
            self.had.setdefault(i, [0] * SEATS)[s] += 1
            self.times[i, table[(s + 1) % SEATS]] += 1

    def choose(self, table: Sequence[int]) -> list[int]:
        """Seats for a table when the future is unknown (Swiss, knockout): the best of 120 orders.

        `weights` say what is best.
        """
        five, none = sorted(table), [0] * SEATS
        c0, c1, c2, c3, c4 = zip(
            *([self.seat * (2 * count + 1) for count in self.had.get(i, none)] for i in five),
            strict=True,
        )
        costs = [c0[p] + c1[q] + c2[r] + c3[s] + c4[t] for p, q, r, s, t in ORDERS]
        arcs = [[self.repeated * self.times.get((i, j), 0) for j in five] for i in five]
        if any(map(any, arcs)):
            costs = [
                cost + arcs[p][q] + arcs[q][r] + arcs[r][s] + arcs[s][t] + arcs[t][p]
                for cost, (p, q, r, s, t) in zip(costs, ORDERS, strict=True)
            ]
        return [five[x] for x in ORDERS[costs.index(min(costs))]]


def continue_seats(plan: Plan, played: Plan, weights: tuple[int, int] = BOTH) -> Plan:
    """Seats for coming rounds, one after the other, given the played ones."""
    past = History(played, weights)
    seated: Plan = []
    for tables in plan:
        seated.append([past.choose(table) for table in tables])
        for table in seated[-1]:
            past.note(table)
    return seated
