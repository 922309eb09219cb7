"""Swiss for tables of five."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.grouping import Meetings, group, straight
from baohuang.engine.tournament.lots import fast
from baohuang.engine.tournament.results import Adjustment
from baohuang.engine.tournament.scheme import NeedsAttention
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


def ranked_at(start):
    return ranking(start, ids(len(start.entrants)), lots(start.number))


@pytest.mark.parametrize("places", [(0, 1), (1, 4), (5, 9), (18, 19)])
@pytest.mark.parametrize("why", ["forbidden", "owner"])
def test_blocks_keep_apart_who_must_or_had_better_not_meet(places, why):
    """Of a block one goes to a next block for one of it; the other blocks stay."""
    start = play("swiss", swiss(entrants(20), rounds=3, last_round="blocks"), 2)
    order = ranked_at(start)
    pair = tuple(order[k] for k in places)
    if why == "forbidden":
        start = replace(start, forbidden=(pair,))
    else:
        field = tuple(replace(e, owner="o" if e.id in pair else None) for e in start.entrants)
        start = replace(start, entrants=field)
    tables = [set(t) for t in SWISS.next_round(start).round.tables]
    assert not any(set(pair) <= table for table in tables)
    moved = [len(table - set(order[5 * t : 5 * t + 5])) for t, table in enumerate(tables)]
    assert sorted(moved) == [0, 0, 1, 1]


def test_blocks_that_need_no_exchange_stay_as_they_stand():
    start = play("swiss", swiss(entrants(20), rounds=3, last_round="blocks"), 2)
    order = ranked_at(start)
    apart = replace(start, forbidden=((order[4], order[5]),))
    tables = [set(t) for t in SWISS.next_round(apart).round.tables]
    assert tables == [set(order[k : k + 5]) for k in range(0, 20, 5)]


@pytest.mark.parametrize("name", ["swiss", "ladder", "round_robin"])
@pytest.mark.parametrize("pair", [("e000", "e001"), ("e002", "e005"), ("e003", "e004")])
def test_a_bye_keeps_apart_who_must_not_meet_where_nothing_else_does(name, pair):
    """Six entries, two rounds: one of the pair sits out in each. A third round cannot be fair."""
    options = {"fill": "bye", **({"effort": 20} if name == "round_robin" else {})}
    start = state(name, entrants(6), rounds=2, **options)
    played = play(name, replace(start, forbidden=(pair,)), 2)
    assert sorted(x for r in played.rounds for x in r.byes) == sorted(pair)
    longer = state(name, entrants(6), rounds=3, **options)
    longer = play(name, replace(longer, forbidden=(pair,)))
    decision = FORMATS[name].next_round(longer)
    assert decision == NeedsAttention(f"these must not meet but have to: {' and '.join(pair)}")


@pytest.mark.parametrize("name", ["swiss", "ladder"])
@pytest.mark.parametrize("key", range(5))
def test_byes_stay_even_whom_ever_they_keep_apart(name, key):
    """Three who never meet, at two tables: one of them sits out of each round."""
    three = ids(11)
    draw(key=key).shuffle(three)
    never = tuple(combinations(three[:3], 2))
    start = replace(state(name, entrants(11), fill="bye", rounds=3), forbidden=never)
    played = play(name, start, 3)
    assert sorted(x for r in played.rounds for x in r.byes) == sorted(three[:3])


def test_a_choice_of_byes_never_gives_one_who_has_had_more():
    """Who has had a bye gets no second one while another has had none, whoever must not meet."""
    start = state("swiss", entrants(6), fill="bye", rounds=6)
    played = play("swiss", start, 1)
    had = played.rounds[0].byes[0]
    others = [x for x in ids(6) if x != had]
    second = SWISS.next_round(replace(played, forbidden=((had, others[0]),))).round
    assert second.byes == (others[0],)
