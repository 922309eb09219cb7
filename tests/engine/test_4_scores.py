"""rules.md 4: what a deal is worth. The figures are written out by hand, S3's table included."""

from itertools import permutations

import pytest

from baohuang.engine.scoring import deal_scores

from .board import position, rules, say
from .walk import random_walk

# Places of emperor and guard (either way round) -> emperor, guard, each rebel.
S3_TABLE = {
    (1, 2): (6, 3, -3),
    (1, 3): (4, 2, -2),
    (1, 4): (2, 1, -1),
    (1, 5): (0, 0, 0),
    (2, 3): (2, 1, -1),
    (2, 4): (0, 0, 0),
    (2, 5): (-2, -1, 1),
    (3, 4): (-2, -1, 1),
    (3, 5): (-4, -2, 2),  # printed as a second "3rd and 4th"
    (4, 5): (-6, -3, 3),
}
# 4, 2, 0, -2, -4 for the places, summed over the side; the guard gets half, rebels minus half.
WUREN = {
    (1, 2): (6, 3, -3),
    (1, 3): (4, 2, -2),
    (1, 4): (2, 1, -1),
    (1, 5): (0, 0, 0),
    (2, 3): (2, 1, -1),
    (2, 4): (0, 0, 0),
    (2, 5): (-2, -1, 1),
    (3, 4): (-2, -1, 1),
    (3, 5): (-4, -2, 2),
    (4, 5): (-6, -3, 3),
}
BIESAN = dict.fromkeys(S3_TABLE, (-2, -1, 1)) | {
    (1, 2): (2, 1, -1),
    (1, 3): (2, 1, -1),
    (2, 3): (0, 0, 0),
}
PAIRS = {"lianzhong": S3_TABLE, "jingji": S3_TABLE, "wuren": WUREN, "biesan": BIESAN}

# Place of the emperor -> emperor, each of the others.
HIDDEN = {
    "lianzhong": {1: (12, -3), 2: (0, 0), 3: (-12, 3), 4: (-12, 3), 5: (-12, 3)},
    "jingji": {1: (16, -4), 2: (8, -2), 3: (0, 0), 4: (-8, 2), 5: (-16, 4)},
    "wuren": {1: (16, -4), 2: (8, -2), 3: (0, 0), 4: (-8, 2), 5: (-16, 4)},
    "biesan": {1: (4, -1), 2: (0, 0), 3: (-4, 1), 4: (-4, 1), 5: (-4, 1)},
}
OPEN = {
    "lianzhong": {1: (24, -6), 2: (-24, 6), 3: (-24, 6), 4: (-24, 6), 5: (-24, 6)},
    "jingji": {1: (32, -8), 2: (16, -4), 3: (0, 0), 4: (-16, 4), 5: (-32, 8)},
    "wuren": {1: (32, -8), 2: (16, -4), 3: (0, 0), 4: (-16, 4), 5: (-32, 8)},
}
TABLES = sorted(PAIRS)


def by_hand(table, emperor, guard, solo, places):
    """The scores of a deal without doublings but an open solo's own."""
    if solo is None:
        pair = tuple(sorted((places[emperor], places[guard])))
        e, g, r = PAIRS[table][pair]
        return tuple({emperor: e, guard: g}.get(seat, r) for seat in range(5))
    e, r = (OPEN if solo == "open" else HIDDEN)[table][places[emperor]]
    return tuple(e if seat == emperor else r for seat in range(5))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("pair", list(S3_TABLE))
def test_4_ten_place_pairs_two_against_three(table, pair):
    """Both ways round, and wherever the two sit; emperor's score is always twice the guard's."""
    for places in permutations(range(1, 6)):
        for emperor, guard in permutations(range(5), 2):
            if (places[emperor], places[guard]) in (pair, pair[::-1]):
                scores = deal_scores(table, emperor, guard, None, places)
                assert scores == by_hand(table, emperor, guard, None, places)
                assert sum(scores) == 0


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("place", [1, 2, 3, 4, 5])
def test_4_hidden_solo_by_the_emperors_place(table, place):
    places = (place, *(p for p in range(1, 6) if p != place))
    expected = by_hand(table, 0, None, "hidden", places)
    assert deal_scores(table, 0, -1, "hidden", places) == expected
    assert sum(expected) == 0


def doubled(ruleset, kind):
    """A played-out small deal of each kind, 400 times: (state, factor expected)."""
    both = kind in ("hidden", "open")
    hands = (
        "7C 9D TH E" + (" G" if both else ""),
        "8C 9C TD",
        "7D QC",
        "8D JC TC" + ("" if both else " G"),
        "7H 8H KC",
    )
    for number in range(400):
        state = position(ruleset, *hands)
        say(state, "0 accept")
        if state.phase == "call":
            say(state, f"0 {kind}")
        for _ in random_walk(state, number):
            pass
        yield state


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", ["pair", "hidden", "open"])
def test_4_played_deals_are_scored_by_the_table(table, kind):
    """Places come from play, figures from the table above; every pair and every place occurs."""
    if table == "biesan" and kind == "open":
        with pytest.raises(ValueError, match="open_solo"):
            rules("lianzhong-simple", scores="biesan")
        return
    options = {"open_guard": False, "rebellion": False, "end": "one_left", "scores": table}
    if table == "biesan":
        options["open_solo"] = "none"
    seen = set()
    for state in doubled(rules("lianzhong-simple", **options), kind):
        outcome = state.outcome()
        guard = 3 if kind == "pair" else None
        solo = None if kind == "pair" else kind
        assert outcome.scores == by_hand(table, 0, guard, solo, outcome.places)
        assert state.factor == (2 if kind == "open" and table != "lianzhong" else 1)
        seen.add((outcome.places[0], outcome.places[3]) if kind == "pair" else outcome.places[0])
    if kind == "pair":
        assert seen == set(permutations(range(1, 6), 2))
    else:
        settled = {("lianzhong", "open"): {1, 2}, ("lianzhong", "hidden"): {1, 2, 3}}
        settled[("biesan", "hidden")] = {1, 2, 3}
        assert seen == settled.get((table, kind), {1, 2, 3, 4, 5})


# -- doublings ------------------------------------------------------------------------------------


def finished(state):
    """Emperor 0 leads everything he has, then the guard 3 goes out on the next trick."""
    say(state, "0 7X", "1 8", "2 pass", "3 x")
    return state


HANDS = ("7C E", "8C 8D", "9C 9D", "G", "TC TD")


def test_4_open_guard_multiplies_all_scores():
    state = position(rules("lianzhong-simple", rebellion=False), *HANDS)
    say(state, "0 accept", "3 open")
    assert finished(state).outcome().scores == (12, -6, -6, 6, -6)


def test_4_rebellion_multiplies_all_scores():
    state = position(rules("lianzhong-simple"), *HANDS)
    say(state, "0 accept", "1 rebel", "2 rebel")
    assert finished(state).outcome().scores == (12, -6, -6, 6, -6)


def test_4_rebellion_against_a_hidden_solo_doubles_its_table():
    state = position(rules("lianzhong-simple"), "7C G E", "8C 8D", "9C 9D", "QC", "TC TD")
    say(state, "0 accept", "0 hidden", "1 rebel", "2 rebel", "0 7xX")
    assert state.outcome().scores == (24, -6, -6, -6, -6)
    assert (state.factor, state.solo) == (2, "hidden")


def test_4_kick_doubles_once_more():
    hands = ("9C 9C 9C E", "8C 8D", "TC TD", "9C", "JC JD")
    state = position(rules("biesan"), *hands)
    say(state, "0 accept", "1 rebel", "2 rebel", "0 kick", "0 999X", "1 8", "2 pass", "3 *")
    assert state.factor == 4
    assert state.outcome().scores == (8, -4, -4, 4, -4)


def test_4_an_open_solo_of_wuren_is_doubled():
    hands = ("9C 9C 9C 9C", "8C 8D", "TC TD", "7C", "JC JD")
    state = position(rules("wuren"), *hands, offered=0)
    say(state, "0 accept", "0 open 9C", "0 9999X")
    assert state.outcome().scores == (32, -8, -8, -8, -8)
    assert state.factor == 2


# -- what wuren reports ---------------------------------------------------------------------------


def test_4_wuren_reports_the_side_score_and_0_is_a_draw():
    """S1's example: emperor 1st, guard 4th: 4 - 2 = 2. And 1st with 5th is a draw."""
    hands = ("9C 9C 9C", "7C", "8C", "9C 3C", "TC")
    state = position(rules("wuren"), *hands, offered=0)
    say(state, "0 accept", "0 999X", "2 8", "3 9")
    won = state.copy()
    say(won, "4 T")
    assert state.phase == "play"
    outcome = won.outcome()
    assert outcome.places[0] == 1
    assert outcome.side == {4: 2, 5: 0}[outcome.places[3]]
    assert outcome.scores[0] == outcome.side
