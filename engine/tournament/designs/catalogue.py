"""The dispatcher: the construction that serves so many entries and rounds best."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan import SEATS, Plan
from . import affine, stored, transversal


@dataclass(frozen=True)
class Draft:
    """A plan over numbers, its source, and whether its tables are in seat order already."""

    plan: Plan
    source: str
    seated: bool = False


def full_rounds(n: int) -> int:
    """Rounds of a whole round robin of n entries: every pair equally often, or as near as known.

    One table: the twenty seatings. 5^k entries: once each. Otherwise four times each in n - 1
    rounds (n where somebody sits out every round; 18 for ten entries, where nine cannot be even).
    """
    if n <= SEATS:
        return 20
    if affine.dimension(n):
        return (n - 1) // 4
    return {10: 18}.get(n, n if n % SEATS else n - 1)


def design(n: int, rounds: int) -> Draft | None:
    """A plan that no schedule of this length can beat, if one is known."""
    return _whole(n, rounds) or _one_less(n, rounds)


def start(n: int, rounds: int) -> Draft | None:
    """The longest plan in which nobody meets twice, fewer than `rounds` rounds; to search from."""
    if n % SEATS or n < SEATS * SEATS:
        return None
    free = max(transversal.free_rounds(n // SEATS), stored.free_rounds(n))
    return _whole(n, min(free, rounds))


def _whole(n: int, rounds: int) -> Draft | None:
    """For entries that fill the tables."""
    if n % SEATS or n < 20:
        return None
    if n > 20 and rounds <= transversal.free_rounds(n // SEATS):
        return Draft(transversal.rounds(n // SEATS, rounds), "transversal formula", seated=True)
    if k := affine.dimension(n):
        return Draft(_again(affine.rounds(k, rounds), rounds), "affine space")
    if rounds <= stored.free_rounds(n):
        return Draft(stored.rounds(n, rounds), "stored, nobody meets twice")
    if plan := stored.few_repeats(n, rounds):
        return Draft(plan, "stored, few repeats")
    return _whole_round_robins(n, rounds) if stored.has_round_robin(n) else None


def _whole_round_robins(n: int, rounds: int) -> Draft | None:
    """Every pair equally often, again and again, and a good plan for the rounds that remain."""
    times, rest = divmod(rounds, n - 1)
    if not times:
        return None
    last = _whole(n, rest) if rest else Draft([], "")
    if last is None:
        return None
    return Draft(stored.round_robin(n) * times + last.plan, "stored, every pair equally often")


def _again(plan: Plan, rounds: int) -> Plan:
    return [plan[r % len(plan)] for r in range(rounds)]


def _one_less(n: int, rounds: int) -> Draft | None:
    """Delete an entry from a design: the four who would meet it have the byes of that round."""
    whole = _whole(n + 1, rounds) if n % SEATS == SEATS - 1 else None
    if whole is None:
        return None
    plan = _byes_in_turn(whole.plan, n)
    return Draft(plan, f"{whole.source}, one entry left out")


def _byes_in_turn(plan: Plan, n: int) -> Plan:
    """Rounds without the table of entry n, ordered so that byes stay as even as can be."""
    left = [(next(t for t in tables if n in t), tables) for tables in plan]
    byes, ordered = [0] * (n + 1), []
    while left:
        now = min(left, key=lambda item: sum(byes[i] ** 2 for i in item[0] if i != n))
        left.remove(now)
        for i in now[0]:
            byes[i] += 1
        ordered.append([table for table in now[1] if table is not now[0]])
    return ordered
