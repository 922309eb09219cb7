"""Help between two entries: found where it is, and not where everybody is honest."""

from itertools import pairwise
from math import atan, pi
from random import Random

import pytest

from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set
from baohuang.engine.tournament import deals, duplicate
from baohuang.engine.tournament.collusion import LEAST, examine
from baohuang.engine.tournament.deals import DealRow
from baohuang.engine.tournament.student import incomplete_beta, two_sided

ENTRIES = 25
NAMES = [f"e{number:02}" for number in range(ENTRIES)]


def season(seed, *, rounds=60, spread=0.8, boards=3, gift=0.0, names=NAMES, pair=("e00", "e01")):
    """Made-up rounds of random tables on shared boards: hands, strengths, chance - and gifts.

    With `gift`, the first of `pair` passes so many points a deal to the second when they meet.
    """
    random = Random(seed)
    strength = {x: random.gauss(0, spread) for x in names}
    rows = []
    for number in range(rounds):
        order = random.sample(names, len(names))
        luck = {(b, p): random.gauss(0, 2) for b in range(boards) for p in range(5)}
        for table in range(0, len(order), 5):
            five = order[table : table + 5]
            for board in range(boards):
                rows += deal(random, five, strength, luck, f"{number}", board, table, gift, pair)
    return rows


def deal(random, five, strength, luck, name, board, table, gift, pair):
    made = {x: strength[x] + luck[board, p] + random.gauss(0, 2) for p, x in enumerate(five)}
    if set(pair) <= set(five):
        made[pair[0]] -= gift
        made[pair[1]] += gift
    mean = sum(made.values()) / 5
    return [
        DealRow(x, f"{name}/{table}/{board}", f"{name}/{board}", 1, 1, p, round(10 * (v - mean)),
                None, "rebel")
        for p, (x, v) in enumerate(made.items())
    ]  # fmt: skip


def test_help_is_found_with_its_direction_and_size():
    report = examine(season(1, gift=2.0))
    first, second = report.pairs[:2]
    assert (first.helper, first.helped) == ("e00", "e01")
    assert first.suspicious
    assert abs(first.help - 40) < 3 * first.error  # twenty points less here, twenty more there
    assert first.gain > 0
    assert first.cost > 0
    assert abs(first.gain + first.cost - first.help) < 1e-9
    assert not second.suspicious
    assert report.compared == report.rows == 60 * 3 * 25


def test_the_direction_does_not_follow_the_alphabet():
    report = examine(season(2, gift=2.0, pair=("e20", "e04")))
    assert (report.pairs[0].helper, report.pairs[0].helped) == ("e20", "e04")
    assert report.pairs[0].suspicious


def test_of_honest_fields_with_very_different_strengths_one_in_a_hundred_is_accused():
    accused = [
        seed
        for seed in range(20)
        if any(pair.suspicious for pair in examine(season(seed, spread=3.0, rounds=40)).pairs)
    ]
    assert len(accused) <= 1  # two or more of twenty have a chance of 1.7 %


def test_the_chances_of_honest_pairs_are_spread_evenly():
    chances = [
        pair.chance for seed in range(6) for pair in examine(season(100 + seed, rounds=40)).pairs
    ]
    assert len(chances) > 1500
    for level in (0.01, 0.05, 0.25, 0.5):
        share = sum(chance <= level for chance in chances) / len(chances)
        assert 0.6 * level <= share <= 1.4 * level


def test_cards_that_nobody_else_held_count_as_they_are_and_see_less():
    shared = season(3, gift=1.0)
    own = [
        DealRow(r.entry, r.match, r.match, 1, 1, r.packet, r.score, None, "rebel") for r in shared
    ]
    alone, together = examine(own), examine(shared)
    assert (alone.compared, together.compared) == (0, len(shared))
    errors = [sorted(pair.error for pair in report.pairs) for report in (alone, together)]
    middle = [found[len(found) // 2] for found in errors]
    assert middle[1] < 0.85 * middle[0]


def test_two_who_always_or_hardly_ever_meet_cannot_be_judged():
    always = examine(season(4, names=NAMES[:5], rounds=30, gift=2.0))
    assert (always.pairs, always.untested) == ((), 10)
    seldom = examine(season(4, rounds=LEAST // 3))
    assert seldom.pairs == ()
    assert seldom.untested > 0
    assert examine([]).pairs == ()


def test_replays_of_a_board_are_one_observation():
    """The same five play a board five times: that is no more than they made in the middle."""
    rows = season(5, rounds=30, boards=1)
    five_times = [
        DealRow(r.entry, f"{r.match}/{k}", r.match, 1, 1, r.packet, r.score, None, "rebel")
        for r in rows
        for k in range(5)
    ]
    once, many = examine(five_times[::5]), examine(five_times)
    assert once.boards == many.boards == 30 * 5
    assert [p.chance for p in many.pairs] == pytest.approx([p.chance for p in once.pairs])


def test_when_a_table_has_had_all_hands_of_a_board_its_luck_is_gone_without_other_tables():
    """Hands that are worth ever so much change nothing once everybody has held each."""
    random, rows = Random(9), []
    for number in range(40):
        five = random.sample(NAMES[:10], 5)
        made = {x: random.gauss(0, 1) for x in five}
        worth = [random.gauss(0, 100) for _ in range(5)]
        for k in range(5):
            for p, x in enumerate(five):
                seat = (p + k) % 5
                score = round(1000 * (made[x] + worth[seat] - sum(worth) / 5))
                match = f"{number}/{k}"
                rows.append(DealRow(x, match, f"{number}", 1, 1, seat, score, None, "rebel"))
    errors = [pair.error for pair in examine(rows).pairs]
    assert errors
    assert max(errors) < 3_000  # in thousandths: by the hands alone it would be 20,000 and more


def test_two_of_the_house_are_not_tested():
    rows = season(6, rounds=40)
    some, all_ = examine(rows, house=set(NAMES[5:])), examine(rows)
    assert all(pair.helper < "e05" or pair.helped < "e05" for pair in some.pairs)
    among_others = 20 * 19 // 2
    assert len(all_.pairs) - len(some.pairs) <= among_others
    assert len(some.pairs) + some.untested == 25 * 24 // 2 - among_others


def test_adjusted_chances_are_holms():
    pairs = examine(season(6, rounds=40)).pairs
    m = len(pairs)
    assert pairs[0].adjusted == pytest.approx(min(1.0, m * pairs[0].chance))
    assert all(a.adjusted <= b.adjusted for a, b in pairwise(pairs))
    assert all(pair.chance <= pair.adjusted <= 1 for pair in pairs)


RULES = rule_set("lianzhong-simple")


class Helper:
    """Plays like `greedy`, but never beats its friend, and stands aside when he may win."""

    def __init__(self, friend):
        self.friend = friend

    def choose(self, view, lots, seats):
        friend = seats.get(self.friend)
        if friend is not None and view["phase"] == "play" and "pass" in view["legal"]:
            return "pass"
        return BOTS["greedy"].choose(view, lots)


def sat(five, board, helper):
    """One deal of a board, played by greedy bots and perhaps a helper."""
    match = Match(RULES, board.encode().ljust(32, b"."), 1)
    seats = {x: seat for seat, x in enumerate(five)}
    while not match.over:
        lots = Draw(bytes(32), f"{board}/{match.turn}/{match.seat}")
        who = five[match.seat]
        if helper and who == helper[0]:
            match.answer(Helper(helper[1]).choose(match.look(), lots, seats))
        else:
            match.answer(BOTS["greedy"].choose(match.look(), lots))
    return match.deals_done


def played(rounds, helper=None, names=10):
    """Rounds of two tables on shared boards, each board replayed five times."""
    random, rows = Random(7), []
    entries = [f"b{number}" for number in range(names)]
    for number in range(rounds):
        order = random.sample(entries, names)
        for table in range(0, names, 5):
            for k, (a, b) in enumerate(duplicate.maps(5)):
                five = duplicate.moved(order[table : table + 5], a, b)
                name, board = f"{number}/{table}/{k}", f"board {number}"
                rows += deals.rows(five, sat(five, board, helper), match=name, board=board)
    return rows


def test_a_bot_that_stands_aside_for_its_friend_is_found_in_real_play():
    report = examine(played(60, ("b3", "b8")))
    found = {(pair.helper, pair.helped) for pair in report.pairs if pair.suspicious}
    assert found == {("b3", "b8")}


def test_equal_bots_in_real_play_are_not_accused():
    report = examine(played(40))
    assert [pair for pair in report.pairs if pair.suspicious] == []


@pytest.mark.parametrize(
    ("t", "freedom", "chance"),
    [
        (0.0, 5, 1.0),
        (12.706, 1, 0.05),
        (63.657, 1, 0.01),
        (4.303, 2, 0.05),
        (2.228, 10, 0.05),
        (3.169, 10, 0.01),
        (2.042, 30, 0.05),
        (1.96, 1e6, 0.05),
        (-2.228, 10, 0.05),
    ],
)
def test_students_t_is_that_of_the_tables(t, freedom, chance):
    assert two_sided(t, freedom) == pytest.approx(chance, rel=2e-3)


def test_with_one_degree_of_freedom_it_is_cauchys():
    for t in (0.1, 1.0, 7.5, 1e4):
        assert two_sided(t, 1) == pytest.approx(1 - 2 * atan(t) / pi, rel=1e-9)


def test_the_incomplete_beta_function_is_x_where_both_are_one_and_mirrors():
    for x in (0.0, 0.2, 0.7, 1.0):
        assert incomplete_beta(1, 1, x) == pytest.approx(x)
        assert incomplete_beta(2.5, 4, x) == pytest.approx(1 - incomplete_beta(4, 2.5, 1 - x))
