"""One table: where seats within one after every round and neighbours within one exclude each other.

Seats are within one after every round exactly if every five rounds are a Latin square and the rest
is the beginning of one. There are 1,344 Latin squares up to the order of their rows, so all that
can be put together is tried.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from baohuang.engine.tournament.designs import stored

ORDERS = list(permutations(range(5)))
ARCS = {pair: k for k, pair in enumerate(permutations(range(5), 2))}
SQUARES = 1344


def neighbours(rows):
    """How often each of the 20 ordered pairs sits one right after the other."""
    counts = np.zeros(len(ARCS), np.int64)
    for row in rows:
        for seat, x in enumerate(row):
            counts[ARCS[x, row[(seat + 1) % 5]]] += 1
    return counts


def beginnings(length):
    """All sets of so many rounds in which nobody has a seat twice."""
    found = []

    def grow(start, rows):
        if len(rows) == length:
            found.append(tuple(rows))
            return
        for k in range(start, len(ORDERS)):
            if all(x != y for row in rows for x, y in zip(row, ORDERS[k], strict=True)):
                grow(k + 1, [*rows, ORDERS[k]])

    grow(0, [])
    return found


def vectors(length):
    """What neighbours such sets can have, each once."""
    return np.unique([neighbours(rows) for rows in beginnings(length)], axis=0)


def exists(rounds, squares, rests):
    """Whether some squares and the beginning of another have every pair `rounds / 4` times, up or
    down.
    """
    low, high = rounds // 4, -(-rounds // 4)
    sums = squares if rounds < 10 else np.unique(_both(squares, squares, high), axis=0)
    if rounds >= 15:
        sums = np.unique(_both(sums, squares, high), axis=0)
    return any(bool(((sums + rest >= low) & (sums + rest <= high)).all(1).any()) for rest in rests)


def _both(some, others, high):
    sums = (some[:, None, :] + others[None, :, :]).reshape(-1, len(ARCS))
    return sums[(sums <= high).all(1)]


@pytest.fixture(scope="module")
def squares():
    assert len(beginnings(5)) == SQUARES
    return vectors(5)


@pytest.mark.parametrize("rounds", [8, 9, 12, 15, 16])
def test_these_rounds_leave_a_choice_between_the_way_and_the_end(squares, rounds):
    rests = vectors(rounds % 5) if rounds % 5 else np.zeros((1, len(ARCS)), np.int64)
    assert not exists(rounds, squares, rests)
    at_the_end = neighbours(stored.one_table(rounds))
    assert at_the_end.max() - at_the_end.min() == (rounds % 4 > 0)


@pytest.mark.parametrize("rounds", [6, 7, 10, 11, 13, 14, 17, 18, 19])
def test_the_others_have_both(squares, rounds):
    """So the search finds what there is."""
    assert exists(rounds, squares, vectors(rounds % 5) if rounds % 5 else np.zeros((1, len(ARCS))))
