"""The certificate against counts made otherwise."""

import json
from dataclasses import replace

import pytest

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.fairness import Spread, certificate, dealt_first_spread
from baohuang.engine.tournament.plan import Round

from .conftest import ids, met, neighbours
from .play import HOUSE, entrants, play, state


def certified(name, field, **options):
    played = play(name, state(name, field, **options))
    return played, certificate(played.entrants, played.rounds, house=HOUSE)


def test_twenty_five_entries_in_six_rounds_are_perfect():
    _, made = certified("round_robin", entrants(25))
    assert made.pairs == (0, 300)
    assert (made.repeats, made.repeats_bound, made.squares, made.squares_bound) == (0, 0, 0, 0)
    assert made.seat_spread.fair
    assert made.bye_spread == Spread(0, 0, 0)
    assert set(made.played) == {6}


def test_a_single_table_over_twenty_rounds_is_perfect():
    _, made = certified("single_table", entrants(5), rounds=20)
    assert made.seats == ((4,) * 5,) * 5
    assert made.neighbours == (0, 0, 0, 0, 0, 20)
    assert made.repeats == made.repeats_bound == 190


def test_counts_agree_with_the_rounds():
    played, made = certified("round_robin", entrants(12), rounds=5, fill="bye")
    together, after = (
        met([r.tables for r in played.rounds]),
        neighbours([r.tables for r in played.rounds]),
    )
    for i, x in enumerate(ids(12)):
        for j, y in enumerate(ids(12)):
            assert made.meetings[i][j] == (together[frozenset((x, y))] if x != y else 0)
            assert made.next[i][j] == after[x, y]
        assert made.byes[i] == sum(x in r.byes for r in played.rounds)
    assert sum(times * pairs for times, pairs in enumerate(made.pairs)) == 5 * 2 * 10
    assert made.bye_spread.fair


def test_house_entries_have_rows_and_owners_are_named():
    field = [Entrant(x, owner="o") for x in ids(3)]
    _, made = certified("round_robin", field, rounds=2)
    assert len(made.entries) == 5
    assert made.apart == (("e000", "e001", 2), ("e000", "e002", 2), ("e001", "e002", 2))


def test_the_bound_after_a_change_of_the_field_counts_pairs_alone():
    rounds = [Round(1, (("a", "b", "c", "d", "e"),)), Round(2, (("a", "b", "c", "d", "f"),))]
    made = certificate([Entrant(x) for x in "abcdef"], rounds)
    assert (made.repeats, made.repeats_bound) == (6, 5), "20 meetings, 15 pairs"


def test_replays_even_out_the_seats():
    field = entrants(5)
    rounds = [Round(1, (tuple(ids(5)),))]
    assert certificate(field, rounds).seat_spread == Spread(0, 1, 1)
    assert certificate(field, rounds, replays=5).seats == ((1,) * 5,) * 5


def test_an_unfair_tournament_is_called_so():
    table = tuple(ids(5))
    made = certificate(entrants(5), [Round(n, (table,)) for n in range(1, 4)])
    assert made.seat_spread == Spread(0, 3, 1)
    assert not made.seat_spread.fair


@pytest.mark.parametrize("n", [5, 12])
def test_it_is_json(n):
    _, made = certified("round_robin", entrants(n), rounds=2)
    text = json.loads(json.dumps(made.to_json()))
    assert text["repeats_above_bound"] == made.repeats - made.repeats_bound


def test_large_fields_have_no_matrix():
    field = entrants(255)
    rounds = [Round(1, tuple(tuple(ids(255)[i : i + 5]) for i in range(0, 255, 5)))]
    made = certificate(field, rounds)
    assert made.meetings is None
    assert made.pairs == (255 * 127 - 510, 510)


@pytest.mark.parametrize(
    ("rounds", "bound"), [(1, 0), (4, 0), (5, 5), (8, 20), (10, 10 * 3 + 10 * 1), (20, 20 * 10)]
)
def test_neighbours_have_a_bound_beside_them(rounds, bound):
    """Five arcs a round over twenty ordered pairs: all once in four rounds, then again."""
    _, made = certified("single_table", entrants(5), rounds=rounds)
    assert made.neighbour_squares_bound == bound
    assert made.neighbour_squares == sum(
        pairs * times * (times - 1) // 2 for times, pairs in enumerate(made.neighbours)
    )
    assert made.neighbour_squares >= bound
    assert made.to_json()["neighbour_squares_above_bound"] == made.neighbour_squares - bound


def test_the_twenty_seatings_reach_the_bound_of_neighbours():
    _, made = certified("single_table", entrants(5), rounds=20)
    assert made.neighbour_squares == made.neighbour_squares_bound == 200


def test_ten_replays_of_a_table_reach_the_bound_of_neighbours_of_both_sides():
    """50 arcs over 20 pairs: s and 2s modulo 5 give half of the pairs five each, in that order."""
    made = certificate(entrants(5), [Round(1, (tuple(ids(5)),))], replays=10)
    assert made.neighbour_squares_bound == 10 * 3 + 10 * 1, "ten thrice and ten twice at best"
    assert made.neighbours == (10, 0, 0, 0, 0, 10)
    assert made.neighbour_squares == 10 * 10


def test_a_round_missed_counts_as_a_bye_and_makes_no_bye_unfair():
    """One of six misses six rounds, so the other five have the byes: eleven and more, all alike."""
    start = play("swiss", state("swiss", entrants(6), rounds=12, fill="bye"), 1)
    missing = next(x for x in ids(6) if x not in start.rounds[0].byes)
    field = tuple(
        replace(e, absent=frozenset(range(2, 8)) if e.id == missing else frozenset())
        for e in start.entrants
    )
    played = play("swiss", replace(start, entrants=field))
    made = certificate(played.entrants, played.rounds, house=HOUSE)
    assert dict(zip(made.entries, made.byes, strict=True))[missing] == 0
    assert made.bye_spread.fair
    assert made.bye_spread.least >= 1


def test_byes_of_those_who_missed_nothing_decide_what_is_unavoidable():
    """Two byes over two entries go even; that a third, who came late, had one does not matter."""
    field = [*entrants(2), Entrant("late", joined=2)]
    rounds = [Round(1, (), ("e000",)), Round(2, (), ("late",)), Round(3, (), ("e000",))]
    assert certificate(field, rounds).bye_spread == Spread(0, 2, 0)
    assert certificate(field, rounds[:2]).bye_spread == Spread(0, 1, 1)


def test_who_was_dealt_first_is_compared_among_those_with_as_many_deals():
    """Two with ten deals: 2 and 4 first. Three with five deals: 0, 1 and 1."""
    assert dealt_first_spread([2, 0, 4, 1, 1], [10, 5, 10, 5, 5]) == Spread(2, 4, 0)
    assert dealt_first_spread([0, 1, 1], [5, 5, 5]) == Spread(0, 1, 1)
    assert dealt_first_spread([3], [5]) == Spread(3, 3, 0)
    assert dealt_first_spread([], []) == Spread(0, 0, 0)
