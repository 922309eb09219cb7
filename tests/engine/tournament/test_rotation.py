"""The twenty seatings and the balance of seats, against their definitions."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine.tournament.designs import affine, stored, transversal
from baohuang.engine.tournament.lots import fast
from baohuang.engine.tournament.rotation import (
    TWENTY,
    History,
    continue_seats,
    even_neighbours,
    seat,
    single_table,
)

from ..strategies import law
from .conftest import draw, met, neighbours, seats_had


def as_sets(plan):
    return [[frozenset(table) for table in tables] for tables in plan]


def widest(plan):
    """The largest difference between two seat counts of one entry."""
    return max(max(had) - min(had) for had in seats_had(plan).values())


def test_the_twenty_are_twenty_orders_of_five():
    assert len(set(TWENTY)) == 20
    assert all(sorted(row) == [0, 1, 2, 3, 4] for row in TWENTY)


def test_every_five_rounds_of_the_twenty_are_a_latin_square():
    for block in range(0, 20, 5):
        columns = zip(*TWENTY[block : block + 5], strict=True)
        assert all(sorted(column) == [0, 1, 2, 3, 4] for column in columns)


def test_in_twenty_rounds_every_ordered_pair_has_every_ordered_pair_of_seats_once():
    times = Counter((row[a], row[b], a, b) for row in TWENTY for a, b in permutations(range(5), 2))
    assert len(times) == 20 * 20
    assert set(times.values()) == {1}


@pytest.mark.parametrize(
    ("rounds", "least", "most"), [(5, 0, 2), (10, 2, 3), (15, 3, 5), (20, 5, 5)]
)
def test_neighbours_of_the_twenty_are_the_proved_optimum_of_latin_squares(rounds, least, most):
    times = neighbours([[row] for row in TWENTY[:rounds]])
    counts = [times[pair] for pair in permutations(range(5), 2)]
    assert (min(counts), max(counts)) == (least, most)


IMPOSSIBLE = (4, 5)
"""Rounds in which seats and neighbours cannot both be within one: exact seats leave 0 to 2."""


def spreads(plan):
    """How far apart seat counts of any entry and seat, and neighbour counts, are."""
    had = [n for row in seats_had(plan).values() for n in row]
    times = neighbours(plan)
    counts = [times[pair] for pair in permutations(range(5), 2)]
    return max(had) - min(had), max(counts) - min(counts)


@pytest.mark.parametrize("rounds", range(1, 61))
def test_one_table_is_as_even_as_arithmetic_allows(rounds):
    plan = single_table(rounds)
    assert [sorted(five) for (five,) in plan] == [[0, 1, 2, 3, 4]] * rounds
    seats, after = spreads(plan)
    assert seats == (rounds % 5 > 0)
    assert after == (2 if rounds % 20 in IMPOSSIBLE else int(rounds % 4 > 0))


ALL_ALONG = (1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 14, 17, 18, 19, 20)


@pytest.mark.parametrize("rounds", range(1, 41))
def test_one_table_is_nearly_as_even_on_the_way(rounds):
    """Whoever stops early has had no seat three times more than another."""
    even = rounds % 20 in ALL_ALONG or rounds % 20 == 0
    plan = single_table(rounds)
    assert all(widest(plan[:k]) <= (1 if even else 2) for k in range(1, rounds + 1))


def test_the_table_of_twenty_begins_again():
    assert single_table(23)[20:] == single_table(3)


PLANS = st.integers(1, 4).flatmap(
    lambda tables: st.lists(
        st.permutations(range(5 * tables + 3)).map(
            lambda row: [list(row[i : i + 5]) for i in range(0, len(row) - 4, 5)]
        ),
        max_size=12,
    )
)


@given(PLANS)
@law(100)
def test_any_tables_get_seats_within_one_after_every_round(plan):
    seated = seat(plan)
    assert as_sets(seated) == as_sets(plan)
    for r in range(1, len(plan) + 1):
        assert widest(seated[:r]) <= 1


@given(PLANS, st.integers(0, 300))
@law(100)
def test_evening_neighbours_keeps_tables_and_seats(plan, work):
    seated = even_neighbours(plan, fast(draw()), work)
    assert as_sets(seated) == as_sets(plan)
    assert all(widest(seated[:r]) <= 1 for r in range(1, len(plan) + 1))


def cost(plan):
    return sum(n * (n - 1) // 2 for n in neighbours(plan).values())


def test_evening_neighbours_helps():
    plan = stored.round_robin(20)
    assert cost(even_neighbours(plan, fast(draw()), 15_000)) < cost(seat(plan)) * 2 / 3


def test_seats_of_the_transversal_formula_are_even_and_no_neighbour_repeats():
    plan = transversal.rounds(25, 20)
    assert all(had == [4, 4, 4, 4, 4] for had in seats_had(plan).values())
    assert max(neighbours(plan).values()) == 1
    assert max(met(plan).values()) == 1


def test_the_seat_least_had_is_chosen():
    past = History([])
    for i in range(5):
        past.had[i] = [1] * 5
        past.had[i][(i + 2) % 5] = 0
    assert past.choose([4, 3, 2, 1, 0]) == [3, 4, 0, 1, 2]


def test_no_neighbour_is_repeated_that_can_be_avoided():
    past = History([])
    for shift in range(5):
        past.note([(s + shift) % 5 for s in range(5)])
    assert not set(neighbours([[past.choose(range(5))]])) & set(past.times)


def test_continued_seats_stay_within_two_and_ignore_who_left():
    plan = affine.rounds(2, 6)
    played = seat(plan[:3])
    played[0][0][0] = -1
    seated = continue_seats(plan[3:], played)
    assert as_sets(seated) == as_sets(plan[3:])
    assert widest([*plan[:0], *seat(plan[:3]), *seated]) <= 2
