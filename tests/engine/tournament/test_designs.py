"""Designs against their definitions."""

from itertools import combinations

import pytest

from baohuang.engine.tournament.bounds import free_rounds_bound, repeats_bound, square_bound
from baohuang.engine.tournament.designs import affine, galois, stored, transversal
from baohuang.engine.tournament.plan import meetings, repeats

from .conftest import met


def assert_rounds(plan, n):
    """Every round seats everybody once, at tables of five."""
    for tables in plan:
        assert sorted(x for table in tables for x in table) == list(range(n))
        assert all(len(table) == 5 for table in tables)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_affine_spaces_bring_every_pair_together_exactly_once(k):
    n = 5**k
    plan = affine.rounds(k, (n - 1) // 4)
    assert_rounds(plan, n)
    assert len(plan) == (n - 1) // 4
    assert met(plan) == {frozenset(pair): 1 for pair in combinations(range(n), 2)}


def test_dimension_knows_powers_of_five():
    assert [n for n in range(1, 700) if affine.dimension(n)] == [5, 25, 125, 625]


def test_formula_is_free_of_repeats_exactly_while_no_small_multiple_vanishes():
    """Zero repeats if and only if k·d is not 0 modulo m for k = 1..4 and 0 < d < rounds."""
    for m in range(5, 60):
        free = transversal.free_modulo(m)
        vanishing = [d for d in range(1, m + 1) if any(k * d % m == 0 for k in range(1, 5))]
        assert free == min(vanishing)


@pytest.mark.parametrize(
    ("m", "free"),
    [
        (5, 5),
        (7, 7),
        (8, 8),
        (9, 9),
        (10, 5),
        (11, 11),
        (16, 16),
        (20, 5),
        (27, 27),
        (40, 10),
        (2000, 500),
    ],
)
def test_transversal_plans_have_no_repeat(m, free):
    assert transversal.free_rounds(m) == free
    plan = transversal.rounds(m, min(free, 20))
    assert_rounds(plan, 5 * m)
    assert repeats(plan) == 0
    assert all(sorted(x // m for x in table) == [0, 1, 2, 3, 4] for table in plan[-1])


def test_formula_beyond_its_free_rounds_repeats():
    """m = 10 has five free rounds: the sixth meets again someone of the first."""
    sixth = [[i * 10 + (t + i * 5) % 10 for i in range(5)] for t in range(10)]
    assert repeats([*transversal.rounds(10, 5), sixth]) > 0


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 9, 16, 25, 27])
def test_fields_have_inverses_and_distribute(q):
    f = galois.field(q)
    units = range(1, q)
    assert all(sorted(f.multiply(a, b) for b in units) == list(units) for a in units)
    assert all(
        f.multiply(a, f.add(b, c)) == f.add(f.multiply(a, b), f.multiply(a, c))
        for a in units
        for b in units
        for c in (1, q - 1)
    )


@pytest.mark.parametrize("q", [6, 10, 12, 15, 100])
def test_there_is_no_field_of_another_order(q):
    assert galois.field(q) is None


@pytest.mark.parametrize(
    ("n", "rounds"), [(30, 6), (50, 9), (60, 10), (70, 11), (75, 12), (80, 13), (90, 15), (100, 16)]
)
def test_stored_schedules_have_no_repeat(n, rounds):
    assert stored.free_rounds(n) == rounds
    plan = stored.rounds(n, rounds)
    assert_rounds(plan, n)
    assert repeats(plan) == 0


@pytest.mark.parametrize("n", [20, 25, 30, 35, 40, 45])
def test_stored_round_robins_bring_every_pair_together_four_times(n):
    plan = stored.round_robin(n)
    assert_rounds(plan, n)
    assert len(plan) == n - 1
    assert met(plan) == {frozenset(pair): 4 for pair in combinations(range(n), 2)}


def test_bounds_by_hand():
    # 25 entries, 6 rounds: 300 meetings for 300 pairs; a 7th round of 50 meetings repeats all 50.
    assert [repeats_bound(25, r) for r in (6, 7, 12)] == [0, 50, 300]
    # 30 entries, 10 rounds: 600 meetings, 435 pairs.
    assert repeats_bound(30, 10) == square_bound(30, 10) == 165
    # One table meets all its ten pairs again in every round.
    assert repeats_bound(5, 3) == 20
    # 20 entries: each of the four tables of round 2 takes two from one table of round 1.
    assert [repeats_bound(20, r) for r in (1, 2)] == [0, 4]
    assert square_bound(20, 5) == 40
    assert [free_rounds_bound(n) for n in (10, 20, 25, 50, 125)] == [1, 1, 6, 12, 31]


@pytest.mark.parametrize("n", [25, 30, 35, 40, 45, 50, 55, 60, 65, 75, 100, 125, 500])
def test_no_design_beats_its_bound(n):
    most = max(transversal.free_rounds(n // 5), stored.free_rounds(n))
    assert most <= free_rounds_bound(n)
    assert repeats_bound(n, most) == 0


@pytest.mark.parametrize("rounds", [6, 7, 11, 17])
def test_repeating_the_affine_plane_meets_the_bound_on_squares(rounds):
    plan = [affine.rounds(2, 6)[r % 6] for r in range(rounds)]
    met_ = meetings(plan, 25)
    squares = sum(m * (m - 1) // 2 for i, row in enumerate(met_) for m in row[:i])
    assert squares == square_bound(25, rounds)
