"""Transversal plans: five classes of m entries, a table takes one of each, classes never mix.

Entry (class i, x) has the number i·m + x. In round r table t seats class i's x = t + i·r. Two
entries of classes i and j meet in rounds r and r' only if (i - j)(r - r') = 0: over a field of m
elements nobody meets twice in m rounds; modulo m nobody does while k·d is never 0 modulo m for
1 <= k <= 4 and 0 < d < rounds.

Class i sits at seat (i + r) mod 5: after every five rounds everybody has had each seat once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from ..plan import SEATS, Plan
from .galois import Field, field


def free_modulo(m: int) -> int:
    """How many rounds modulo m have no repeated meeting."""
    return min(m // gcd(m, k) for k in range(1, SEATS))


def free_rounds(m: int) -> int:
    """How many rounds without a repeated meeting `rounds` can give for 5m entries."""
    return m if m >= SEATS and field(m) else free_modulo(m)


def rounds(m: int, count: int) -> Plan:
    """`count` rounds without a repeated meeting, 0 <= count <= free_rounds(m), seats in order."""
    galois = field(m) if count > free_modulo(m) else None
    place = _in_field(galois) if galois else _modulo(m)
    return [[_table(m, t, r, place) for t in range(m)] for r in range(count)]


def _table(m: int, t: int, r: int, place: Callable[[int, int, int], int]) -> list[int]:
    """Table t of round r, in seat order."""
    classes = [(seat - r) % SEATS for seat in range(SEATS)]
    return [i * m + place(t, i, r) for i in classes]


def _modulo(m: int) -> Callable[[int, int, int], int]:
    return lambda t, i, r: (t + i * r) % m


def _in_field(galois: Field) -> Callable[[int, int, int], int]:
    return lambda t, i, r: galois.add(t, galois.multiply(i, r))
