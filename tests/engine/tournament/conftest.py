"""What the tests of seats and standings share."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest

from baohuang.engine.draw import Draw


def draw(name: str = "seats", key: int = 0) -> Draw:
    """A draw that every call begins anew."""
    return Draw(key.to_bytes(32, "big"), name)


@pytest.fixture
def lots() -> Callable[..., Draw]:
    return draw


def ids(n: int) -> list[str]:
    """e000, e001, …"""
    return [f"e{i:03}" for i in range(n)]


def met(rounds: Sequence[Sequence[Sequence[object]]]) -> Counter[frozenset[object]]:
    """How often each pair sat at one table."""
    pairs = (p for tables in rounds for table in tables for p in combinations(table, 2))
    return Counter(map(frozenset, pairs))


def seats_had(rounds: Sequence[Sequence[Sequence[object]]]) -> dict[object, list[int]]:
    """How often everybody had each seat."""
    had: dict[object, list[int]] = {}
    for tables in rounds:
        for table in tables:
            for seat, entry in enumerate(table):
                had.setdefault(entry, [0] * 5)[seat] += 1
    return had


def neighbours(rounds: Sequence[Sequence[Sequence[object]]]) -> Counter[tuple[object, object]]:
    """How often the second sat right after the first."""
    return Counter(
        (table[s], table[(s + 1) % 5]) for tables in rounds for table in tables for s in range(5)
    )
