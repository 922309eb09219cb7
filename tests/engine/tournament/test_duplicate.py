"""Duplicate boards, par, and the rows they are made from."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine.tournament.deals import DealRow, rows
from baohuang.engine.tournament.duplicate import (
    averages,
    board_differences,
    centred,
    maps,
    moved,
    sittings,
)
from baohuang.engine.tournament.luck import told
from baohuang.engine.tournament.plan import Round
from baohuang.engine.tournament.results import Held, Result

from ..strategies import law

FIVE = tuple("abcde")
ROUND = Round(3, (FIVE, tuple("fghij")))


def seatings(replays):
    return [moved(FIVE, a, b) for a, b in maps(replays)]


@pytest.mark.parametrize("replays", [5, 10, 20])
def test_everybody_holds_every_hand_equally_often(replays):
    had = Counter((x, seat) for table in seatings(replays) for seat, x in enumerate(table))
    assert set(had.values()) == {replays // 5}
    assert len(had) == 25


@pytest.mark.parametrize("replays", [10, 20])
def test_ten_make_all_pairs_neighbours_equally_often(replays):
    beside = Counter(
        frozenset((table[s], table[(s + 1) % 5])) for table in seatings(replays) for s in range(5)
    )
    assert len(beside) == 10
    assert set(beside.values()) == {replays // 2}


def test_twenty_put_every_ordered_pair_on_every_ordered_pair_of_seats_once():
    had = Counter(
        (table[p], table[q], p, q) for table in seatings(20) for p, q in permutations(range(5), 2)
    )
    assert len(had) == 400
    assert set(had.values()) == {1}


def test_other_numbers_of_replays_are_refused():
    with pytest.raises(ValueError, match="4 replays: there are 1, 5, 10, 20"):
        maps(4)


def test_a_round_without_duplicate_is_one_match_a_table():
    assert [(s.table, s.board, s.deals, s.seats) for s in sittings(ROUND, 8)] == [
        (1, "3/1", 8, FIVE),
        (2, "3/2", 8, tuple("fghij")),
    ]


def test_replayed_boards_are_matches_of_one_deal():
    made = sittings(ROUND, 2, 5)
    assert len(made) == 2 * 2 * 5
    assert {s.deals for s in made} == {1}
    assert [s.board for s in made[:10]] == ["3/1/1"] * 5 + ["3/1/2"] * 5
    assert made[1].seats == tuple("eabcd"), "everybody moves one seat on"
    assert len({(s.table, s.board, s.replay) for s in made}) == len(made)


def test_shared_boards_have_one_name_at_all_tables():
    assert [s.board for s in sittings(ROUND, 8, shared=True)] == ["3", "3"]
    assert {s.board for s in sittings(ROUND, 1, 5, shared=True)} == {"3/1"}


def row(entry, score, packet, match="m", board="b", deal=1):
    return DealRow(entry, match, board, deal, 1, packet, score, None, "rebel")


def test_packets_are_counted_from_the_seat_dealt_first():
    deal = {"result": "scored", "number": 4, "attempt": 2, "first": 3, "emperor": 3, "guard": 0,
            "solo": None, "scores": [1, -1, -1, 2, -1], "places": [1, 3, 4, 2, 5]}  # fmt: skip
    made = rows("vwxyz", [deal, {**deal, "result": "redeal"}], match="m", board="b")
    assert [(r.entry, r.packet, r.score, r.place, r.role) for r in made] == [
        ("v", 2, 1, 1, "guard"),
        ("w", 3, -1, 3, "rebel"),
        ("x", 4, -1, 4, "rebel"),
        ("y", 0, 2, 2, "emperor"),
        ("z", 1, -1, 5, "rebel"),
    ]
    assert made[0].hand == ("b", 4, 2, 2)


def test_board_differences_by_hand():
    """Two tables, one deal: hand 0 made 4 and 2, mean 3; hand 1 made -4 and -2, mean -3."""
    made = [
        row("a", 4, 0, "m1"),
        row("b", -4, 1, "m1"),
        row("c", 2, 0, "m2"),
        row("d", -2, 1, "m2"),
    ]
    assert board_differences(made) == {
        ("a", "m1"): 1, ("b", "m1"): -1, ("c", "m2"): -1, ("d", "m2"): 1,
    }  # fmt: skip


SCORES = st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=1, max_size=6)


def table_rows(scores):
    return [
        row(f"{match}{seat}", score, seat, f"m{match}")
        for match, four in enumerate(scores)
        for seat, score in enumerate([*four, -sum(four)])
    ]


@given(SCORES)
@law(100)
def test_board_differences_add_up_to_nothing(scores):
    made = table_rows(scores)
    assert sum(board_differences(made).values()) == 0
    assert sum(averages(made).values()) == 0


def results_of(made, par=None):
    """Results that know their hands; par by packet."""
    return [
        Result(
            r.entry, 1, 1, r.match, r.packet, r.score, deals=1, cards=r.board,
            hands=(Held(1, 1, r.packet, r.score, None, "rebel", par and par[r.packet]),),
        )
        for r in made
    ]  # fmt: skip


ALONE = {"boards": 1, "shared_boards": False}


@given(SCORES, st.lists(st.integers(-5, 5), min_size=5, max_size=5))
@law(100)
def test_whatever_par_says_differences_add_up_to_nothing(scores, par):
    known = centred({("b", 1, 1, packet): Fraction(value) for packet, value in enumerate(par)})
    assert sum(known.values()) == 0
    by_packet = [known["b", 1, 1, packet] for packet in range(5)]
    made = told(results_of(table_rows(scores), by_packet), ALONE)
    assert sum(r.adjusted for r in made) == 0


def test_perfect_par_takes_all_luck_out():
    made = results_of(table_rows([[4, 2, 0, -2]]), [Fraction(x) for x in (4, 2, 0, -2, -4)])
    assert {r.adjusted for r in told(made, ALONE)} == {0}


def test_replays_of_one_table_cancel_the_luck_of_the_deal():
    """Every hand is worth what it is worth whoever holds it: after five replays all are level."""
    worth = [6, 1, 0, -2, -5]
    made = [
        row(entry, worth[seat], seat, f"m{k}")
        for k, table in enumerate(seatings(5))
        for seat, entry in enumerate(table)
    ]
    total = Counter()
    for (entry, _), ahead in board_differences(made).items():
        total[entry] += ahead
    assert set(total.values()) == {0}
    assert {x: sum(r.score for r in made if r.entry == x) for x in FIVE} == dict.fromkeys(FIVE, 0)


def test_results_are_told_what_others_made_of_their_cards():
    """Two tables: hand 0 made 4 and 2, mean 3. Without the second table there is no mean."""
    made = results_of([row("a", 4, 0, "m1"), row("c", 2, 0, "m2")])
    shared = {"boards": 1, "shared_boards": True}
    assert [(r.board, r.adjusted) for r in told(made, shared)] == [(1, None), (-1, None)]
    assert [r.board for r in told(made[:1], shared)] == [0]
    assert [r.board for r in told(made, ALONE)] == [None, None]
    assert [r.board for r in told(made, {**ALONE, "boards": 5})] == [1, -1]


def test_hands_are_stored_and_read_again():
    hand = Held(3, 2, 4, -1, None, "solo", Fraction(-7, 5))
    assert hand.to_json() == [3, 2, 4, -1, None, "solo", "-7/5"]
    assert Held.from_json(hand.to_json()) == hand
