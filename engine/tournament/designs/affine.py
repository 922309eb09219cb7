"""The affine space AG(k, 5): 5^k entries, every pair together exactly once in (5^k - 1)/4 rounds.

Entries are points, tables are lines, a round is a class of parallel lines. k = 2 is the affine
plane of 25 points and 6 rounds.
"""

from __future__ import annotations

from itertools import product

from ..plan import Plan

Vector = tuple[int, ...]


def dimension(n: int) -> int:
    """k with 5^k = n, or 0."""
    k = 0
    while n > 1 and n % 5 == 0:
        n //= 5
        k += 1
    return k if n == 1 else 0


def rounds(k: int, count: int) -> Plan:
    """The first `count` rounds (0 <= count <= (5^k - 1)/4)."""
    return [_parallel_lines(direction) for direction in _directions(k)[:count]]


def _directions(k: int) -> list[Vector]:
    """One vector a direction: the first coordinate that is not 0 is 1."""
    return [v for v in product(range(5), repeat=k) if next((x for x in v if x), 0) == 1]


def _parallel_lines(direction: Vector) -> list[list[int]]:
    """All lines along `direction`; the pivot coordinate of the first point of each is 0."""
    pivot = direction.index(1)
    starts = (p for p in product(range(5), repeat=len(direction)) if p[pivot] == 0)
    return [[_number(p, direction, step) for step in range(5)] for p in starts]


def _number(point: Vector, direction: Vector, step: int) -> int:
    number = 0
    for x, d in zip(point, direction, strict=True):
        number = number * 5 + (x + step * d) % 5
    return number
