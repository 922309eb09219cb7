"""What no schedule can do better: counting bounds for tables of five.

With n entries, T tables a round and R rounds there are M = 10·T·R meetings over P = n(n-1)/2 pairs.
Two facts give the bounds: pairs are finite (pigeonhole), and with fewer than five tables two
rounds must share pairs, because the five of a new table come from at most four old ones.
"""

from __future__ import annotations

from math import comb

from .plan import SEATS

SHARED = {1: 10, 2: 4, 3: 2, 4: 1}
"""Pairs that one table shares at least with any one earlier round, by the number of tables.

Only for rounds in which everybody plays.
"""


def repeats_bound(n: int, rounds: int) -> int:
    """The least possible number of repeated meetings (plan.repeats)."""
    tables = n // SEATS
    by_pairs = 10 * tables * rounds - comb(n, 2)
    by_tables = 0 if n % SEATS else max(rounds - 1, 0) * tables * SHARED.get(tables, 0)
    return max(0, by_pairs, by_tables)


def square_bound(n: int, rounds: int) -> int:
    """The least possible sum over pairs of C(meetings, 2): Jensen, or the few tables."""
    tables, pairs = n // SEATS, comb(n, 2)
    each, over = divmod(10 * tables * rounds, pairs)
    jensen = pairs * comb(each, 2) + each * over
    few = 0 if n % SEATS else comb(rounds, 2) * tables * SHARED.get(tables, 0)
    return max(jensen, few)


def free_rounds_bound(n: int) -> int:
    """No schedule of n entries has more rounds than this without a repeated meeting."""
    return 1 if n < SEATS * SEATS and n % SEATS == 0 else (n - 1) // 4
