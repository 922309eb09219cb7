"""The certificate against counts made otherwise."""

import json

import pytest

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.fairness import Spread, certificate
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
