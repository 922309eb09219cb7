"""The dispatcher: who meets when, byes, wishes and prohibitions."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baohuang.engine.tournament.bounds import repeats_bound
from baohuang.engine.tournament.designs.catalogue import full_rounds
from baohuang.engine.tournament.plan import Schedule
from baohuang.engine.tournament.seating import (
    InfeasibleError,
    SeatingError,
    schedule,
)

from ..strategies import law
from .conftest import draw, ids, met, seats_had


def byes(made):
    return Counter(x for out in made.byes for x in out)


NOT_ON_THE_WAY = (5, 8)
"""Entries and rounds: there neighbours are as even as can be at the end, which excludes seats
within one after every round (test_one_table.py).
"""


def assert_sound(made, entries, rounds):
    """Everybody is at one table or sits out, tables are full, byes and seats within one."""
    assert len(made.rounds) == len(made.byes) == rounds
    for tables, out in zip(made.rounds, made.byes, strict=True):
        assert sorted([*(x for table in tables for x in table), *out]) == sorted(entries)
        assert all(len(table) == 5 for table in tables)
        assert len(out) == len(entries) % 5
    had = byes(made)
    counts = [had[x] for x in entries]
    assert max(counts) - min(counts) <= 1
    most = 2 if (len(entries), rounds) == NOT_ON_THE_WAY else 1
    for upto in range(1, rounds + 1):
        assert all(max(s) - min(s) <= most for s in seats_had(made.rounds[:upto]).values())
    assert all(max(s) - min(s) <= 1 for s in seats_had(made.rounds).values())


def test_twenty_five_entries_meet_exactly_once_in_six_rounds():
    made = schedule(ids(25), 6, draw())
    assert_sound(made, ids(25), 6)
    assert met(made.rounds) == {frozenset(pair): 1 for pair in combinations(ids(25), 2)}
    assert (made.repeats, made.bound) == (0, 0)


@pytest.mark.parametrize(
    ("n", "rounds"),
    [
        (24, 6),
        (30, 6),
        (35, 7),
        (49, 9),
        (50, 9),
        (60, 10),
        (75, 12),
        (99, 16),
        (100, 16),
        (500, 20),
    ],
)
def test_nobody_meets_twice(n, rounds):
    made = schedule(ids(n), rounds, draw())
    assert_sound(made, ids(n), rounds)
    assert max(met(made.rounds).values()) == 1
    assert made.repeats == 0


def test_ten_thousand_entries_over_twenty_rounds():
    made = schedule([f"{i:05}" for i in range(10_000)], 20, draw())
    assert made.repeats == 0
    assert all(had == [4, 4, 4, 4, 4] for had in seats_had(made.rounds).values())


@pytest.mark.parametrize("n", [20, 24, 30])
def test_a_whole_round_robin_brings_every_pair_together_equally_often(n):
    rounds = full_rounds(n)
    made = schedule(ids(n), rounds, draw())
    assert_sound(made, ids(n), rounds)
    assert len(set(met(made.rounds).values())) == 1
    assert len(set(byes(made).values())) <= 1


def test_six_entries_each_sit_out_once_and_meet_four_times():
    made = schedule(ids(6), full_rounds(6), draw())
    assert byes(made) == dict.fromkeys(ids(6), 1)
    assert met(made.rounds) == {frozenset(pair): 4 for pair in combinations(ids(6), 2)}


def test_whole_rounds():
    assert [full_rounds(n) for n in (5, 6, 10, 20, 25, 30, 125)] == [20, 6, 18, 19, 6, 29, 31]


@law(20)
@example(*NOT_ON_THE_WAY, 0)
@given(st.integers(5, 34), st.integers(0, 8), st.integers(0, 2**32))
def test_every_field_gets_sound_rounds(n, rounds, key):
    made = schedule(ids(n), rounds, draw(key=key), moves=2000)
    assert_sound(made, ids(n), rounds)
    assert made.repeats >= made.bound == repeats_bound(n, rounds)


@pytest.mark.parametrize("n", [5, 12, 25, 27, 30])
def test_the_order_of_the_input_does_not_matter(n):
    entries = ids(n)
    made = schedule(entries, 4, draw(), moves=2000)
    assert schedule(entries[::-1], 4, draw(), moves=2000) == made
    assert schedule(entries[3:] + entries[:3], 4, draw(), moves=2000) == made


@pytest.mark.parametrize("n", [5, 12, 25, 30])
def test_another_draw_gives_other_tables_and_the_same_draw_the_same(n):
    assert schedule(ids(n), 4, draw(), moves=2000) == schedule(ids(n), 4, draw(), moves=2000)
    assert schedule(ids(n), 4, draw(), moves=2000) != schedule(ids(n), 4, draw(key=1), moves=2000)


def test_one_owners_agents_never_meet_where_the_design_has_room():
    """Five rounds of 25 leave classes of five that never meet."""
    groups = [ids(25)[:4], ids(25)[4:9], ids(25)[9:11]]
    made = schedule(ids(25), 5, draw(), keep_apart=groups)
    assert made.repeats == 0
    together = met(made.rounds)
    assert not any(together[frozenset(p)] for group in groups for p in combinations(group, 2))


def test_many_owners_are_kept_apart_in_a_large_field():
    groups = [ids(500)[i : i + 3] for i in range(0, 450, 3)]
    made = schedule(ids(500), 20, draw(), keep_apart=groups)
    assert made.repeats == 0
    together = met(made.rounds)
    assert not any(together[frozenset(p)] for group in groups for p in combinations(group, 2))


def test_house_entries_do_not_spoil_a_perfect_design():
    made = schedule(ids(25), 6, draw(), house=ids(25)[:2], moves=50_000)
    assert made.repeats == 0


def test_a_forbidden_pair_never_meets():
    never = [("e000", "e001"), ("e003", "e002")]
    made = schedule(ids(10), 6, draw(), forbidden=never)
    together = met(made.rounds)
    assert not any(together[frozenset(pair)] for pair in never)


def test_a_forbidden_pair_that_has_to_meet_is_named():
    with pytest.raises(InfeasibleError, match="e001 and e003") as caught:
        schedule(ids(5), 1, draw(), forbidden=[("e003", "e001")])
    assert caught.value.pairs == (("e001", "e003"),)


def test_played_rounds_count_for_meetings_and_byes():
    whole = schedule(ids(10), 2, draw())
    rest = schedule(ids(11), 5, draw(key=1), played=whole.rounds)
    out = byes(rest)
    assert out["e010"] == 0, "who came late has no bye before the others"
    assert [out[x] for x in ids(10)].count(1) == 5


def test_played_rounds_do_not_bind_who_has_left():
    played = schedule(ids(11), 2, draw()).rounds
    made = schedule(ids(10), 2, draw(), played=played)
    assert all(not out for out in made.byes)


def test_nonsense_is_refused():
    with pytest.raises(SeatingError, match="do not fill a table"):
        schedule(ids(4), 1, draw())
    with pytest.raises(SeatingError, match="entered twice: e001"):
        schedule([*ids(5), "e001"], 1, draw())
    with pytest.raises(SeatingError, match="-1 rounds"):
        schedule(ids(5), -1, draw())


def test_a_schedule_survives_storing():
    made = schedule(ids(11), 3, draw(), moves=2000)
    assert Schedule.from_json(made.to_json()) == made
    with pytest.raises(ValueError, match="rounds"):
        Schedule.from_json({"rounds": 3})
