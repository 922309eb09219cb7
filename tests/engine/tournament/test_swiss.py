"""Swiss for tables of five."""

from collections import Counter
from dataclasses import replace

import pytest

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.grouping import Meetings, group, straight
from baohuang.engine.tournament.lots import fast
from baohuang.engine.tournament.results import Adjustment
from baohuang.engine.tournament.swiss import ranking

from .conftest import draw, ids, met, seats_had
from .play import HOUSE, entrants, lots, play, state

SWISS = FORMATS["swiss"]


def swiss(field, **options):
    return state("swiss", field, **options)


def meetings(played):
    return met([r.tables for r in played.rounds])


@pytest.mark.parametrize(("n", "rounds"), [(50, 5), (100, 10), (500, 20), (1000, 20)])
def test_nobody_meets_twice(n, rounds):
    played = play("swiss", swiss(entrants(n), rounds=rounds), rounds)
    assert max(meetings(played).values()) == 1
    had = seats_had([r.tables for r in played.rounds])
    assert all(max(seats) - min(seats) <= 2 for seats in had.values())


@pytest.mark.soak
def test_ten_thousand_entries_over_twenty_rounds_never_meet_twice():
    played = play("swiss", swiss(entrants(10_000), rounds=20), 20)
    assert max(meetings(played).values()) == 1


def test_level_entries_meet():
    """After a round, the first table holds five winners of it."""
    played = play("swiss", swiss(entrants(50), rounds=2), 2)
    points = {r.entry: r.points for r in played.results if r.round == 1}
    assert [points[x] for x in played.rounds[1].tables[0]] == [4] * 5
    assert [points[x] for x in played.rounds[1].tables[-1]] == [-4] * 5


def test_tables_follow_the_standings_closely():
    """On average an entry is under two tables away from the one its rank would give it."""
    start = play("swiss", swiss(entrants(100), rounds=6), 5)
    rank = {x: i for i, x in enumerate(ranking(start, ids(100), lots(6)))}
    tables = SWISS.next_round(start).round.tables
    away = [abs(rank[x] // 5 - t) for t, table in enumerate(tables) for x in table]
    assert sum(away) / len(away) < 2


def test_rulings_count():
    start = play("swiss", swiss(entrants(25), rounds=2), 1)
    last = min(start.results, key=lambda r: r.points).entry
    ruled = replace(start, adjustments=(Adjustment(last, 1, 100),))
    assert last in SWISS.next_round(ruled).round.tables[0]
    assert last not in SWISS.next_round(start).round.tables[0]


def test_byes_differ_by_at_most_one_and_go_to_the_lowest():
    played = play("swiss", swiss(entrants(12), rounds=6, fill="bye"), 6)
    out = Counter(x for r in played.rounds for x in r.byes)
    assert out == dict.fromkeys(ids(12), 1)
    first = {r.entry: r.points for r in played.results if r.round == 1}
    second = played.rounds[1].byes
    below = [x for x, p in first.items() if p < max(first[y] for y in second)]
    assert set(below) <= set(second) | set(played.rounds[0].byes)


def test_a_late_entry_has_no_bye_before_the_others():
    field = [*entrants(11), Entrant("late", joined=3)]
    played = play("swiss", swiss(field, rounds=5, fill="bye"), 5)
    assert all("late" not in r.byes for r in played.rounds)


def test_house_entries_are_spread():
    played = play("swiss", swiss(entrants(23), rounds=4), 4)
    for r in played.rounds:
        assert all(len(set(HOUSE) & set(table)) <= 1 for table in r.tables)


def test_owners_are_kept_apart_and_forbidden_pairs_never_meet():
    field = [Entrant(x, owner=f"o{i // 2}") for i, x in enumerate(ids(40))]
    start = replace(swiss(field, rounds=4), forbidden=(("e000", "e007"),))
    played = meetings(play("swiss", start, 4))
    assert not any(played[frozenset(ids(40)[i : i + 2])] for i in range(0, 40, 2))
    assert not played[frozenset(("e000", "e007"))]


def test_pots_seat_one_of_each_fifth_of_the_seeds():
    field = [Entrant(x, seed=i + 1) for i, x in enumerate(ids(25))]
    tables = SWISS.next_round(swiss(field, first_round="pots")).round.tables
    assert all(sorted(int(x[1:]) // 5 for x in table) == [0, 1, 2, 3, 4] for table in tables)


def test_blocks_in_the_last_round():
    start = play("swiss", swiss(entrants(25), rounds=3, last_round="blocks"), 2)
    points = Counter()
    for r in start.results:
        points[r.entry] += r.points
    tables = SWISS.next_round(start).round.tables
    least = [min(points[x] for x in table) for table in tables]
    most = [max(points[x] for x in table) for table in tables]
    assert all(low >= high for low, high in zip(least, most[1:], strict=False))


def test_grouping_without_history_is_blocks_of_rank():
    order = list(range(50))
    assert [sorted(t) for t in group(order, Meetings(50, {}), fast(draw()))] == straight(order)


def test_grouping_repairs_what_the_window_left():
    """Only the top ten exist and 0..4 have met: someone must cross over, and tables stay near."""
    meetings = Meetings(10, {})
    meetings.add([0, 1, 2, 3, 4])
    tables = group(list(range(10)), meetings, fast(draw()))
    # Five of one old table over two new ones: two and three of them share, at least 1 + 3 pairs.
    again = sum(meetings.clash(i, table) for table in tables for i in table) // 2
    assert again == 4
