"""rules.md 3.7: when a deal ends, and who is in which place."""

import pytest

from .board import plain, position, rules, say


def test_3_7_places_go_by_the_order_of_going_out():
    state = plain("7C 7D 7H E", "8C 8D G", "9C", "TC", "JC")
    say(state, "0 7", "1 pass", "2 9", "3 T", "4 J")
    assert state.out == [2, 3, 4]
    assert state.outcome().places == (4, 5, 1, 2, 3)


def test_3_7_ends_when_the_emperors_side_is_out_whole():
    """Emperor 0 first, guard 3 second; 1, 2 and 4 get the other places from the emperor on."""
    state = plain("E", "7C 7D", "8C 8D", "G", "9C 9D")
    say(state, "1 7", "2 pass", "3 x")
    assert state.result == "scored"
    assert state.outcome().places == (1, 3, 4, 2, 5)
    assert state.outcome().scores == (6, -3, -3, 3, -3)


def test_3_7_ends_when_the_rebels_are_out_whole():
    """Emperor 0 and guard 3 keep cards: from the emperor on he is 4th, the guard 5th."""
    state = plain("7C 7D E", "8C", "9C", "TC TD G", "JC")
    say(state, "0 7", "1 8", "2 9", "3 pass", "4 J")
    assert state.result == "scored"
    assert state.outcome().places == (4, 1, 2, 5, 3)
    assert state.outcome().scores == (-6, 3, 3, -3, 3)


def test_3_7_the_rest_in_playing_order_from_the_emperor_not_from_seat_0():
    state = position(rules("jingji"), "9C", "TC", "JC JD G", "7C 7D E", "8C")
    say(state, "4 silent", "0 silent", "1 silent", "2 silent", "3 7", "4 8", "0 9", "1 T")
    assert state.outcome().places == (2, 3, 5, 4, 1)


def test_3_7_places_3_and_4_lose_although_that_side_is_out_first():
    state = plain("7C E", "8C", "9C", "TC G", "TD JD")
    say(state, "0 7", "1 8", "2 9", "3 T", "4 pass")
    # Only 0 could beat the ten; he passes, and 3 leads the guard card, his last: 0 beats it.
    say(state, "0 pass")
    assert (state.out, state.seat) == ([1, 2, 3], 0)
    say(state, "0 X")
    assert state.outcome().places == (4, 1, 2, 3, 5)
    assert state.outcome().scores == (-2, 1, 1, -1, 1)


def wuren():
    hands = ("9C 9C 9C", "7C 7D", "8C 8D", "9C", "TC TD")
    return say(position(rules("wuren"), *hands, offered=0), "0 accept", "0 999X")


def test_3_7_wuren_ends_when_one_seat_is_left():
    """Emperor and guard are out, first and second; the three others play on for their places."""
    state = say(wuren(), "1 7", "2 8", "3 9")
    assert state.out == [0, 3]
    assert state.result is None
    say(state, "4 T")
    # 4 leads its last ten, 1 inherits and leads its last seven: 2 is left.
    assert state.result == "scored"
    assert state.outcome().places == (1, 4, 5, 2, 3)


def test_3_7_the_end_option_decides_not_the_preset():
    hands = ("9C 9C 9C", "7C 7D", "8C 8D", "9C", "TC TD")
    state = position(rules("wuren", end="side_out"), *hands, offered=0)
    say(state, "0 accept", "0 999X", "1 7", "2 8", "3 9")
    assert state.result == "scored"


# -- solos ----------------------------------------------------------------------------------------


def solo(kind, *hands, **options):
    """Emperor 0 holds both marked cards; nothing is declared."""
    preset = options.pop("preset", "lianzhong-simple")
    state = position(rules(preset, open_guard=False, rebellion=False, **options), *hands)
    return say(state, "0 accept", f"0 {kind}")


def test_3_7_open_solo_under_lianzhong_ends_when_anyone_is_out():
    state = say(solo("open", "7C 7D G E", "8C", "9C 9D", "TC TD", "JC JD"), "0 7", "1 8")
    assert state.result == "scored"
    assert state.out == [1]
    assert state.outcome().scores == (-24, 6, 6, 6, 6)
    assert state.outcome().places == (2, 1, 3, 4, 5)


def test_3_7_open_solo_under_lianzhong_won():
    state = say(solo("open", "7C G E", "8C 8D", "9C 9D", "TC TD", "JC JD"), "0 7xX")
    assert state.outcome().scores == (24, -6, -6, -6, -6)


def test_3_7_hidden_solo_ends_when_the_emperor_is_out():
    state = solo("hidden", "7C 7D G E", "8C", "9C 9D", "TC TD", "JC JD")
    say(state, "0 7", "1 8", "2 pass", "3 pass", "4 pass")
    assert state.result is None
    say(state, "0 X")
    assert state.result is None
    say(state, "0 7x")
    assert state.result == "scored"
    assert state.out == [1, 0]
    assert state.outcome().scores == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("scores", ["lianzhong", "biesan"])
def test_3_7_hidden_solo_is_settled_when_two_others_are_out(scores):
    """Third, fourth or fifth is the same loss."""
    options = {"scores": scores} | ({"open_solo": "none"} if scores == "biesan" else {})
    ruleset = rules("lianzhong-simple", open_guard=False, rebellion=False, **options)
    hands = ("7C 7D G E", "8C", "9C", "TC TD", "JC JD")
    state = say(position(ruleset, *hands), "0 accept")
    if state.phase == "call":
        say(state, "0 hidden")
    say(state, "0 7", "1 8")
    assert state.result is None
    say(state, "2 9")
    assert state.result == "scored"
    assert state.outcome().places == (3, 1, 2, 4, 5)
    lost = {"lianzhong": (-12, 3, 3, 3, 3), "biesan": (-4, 1, 1, 1, 1)}[scores]
    assert state.outcome().scores == lost


@pytest.mark.parametrize("scores", ["jingji", "wuren"])
@pytest.mark.parametrize("kind", ["hidden", "open"])
def test_3_7_under_jingji_and_wuren_scores_a_solo_goes_on_until_four_others_are_out(scores, kind):
    hands = ("7C 7D G E", "8C", "9C", "TC", "JC")
    state = say(solo(kind, *hands, scores=scores), "0 7", "1 8", "2 9", "3 T")
    assert state.result is None
    say(state, "4 J")
    assert state.outcome().places == (5, 1, 2, 3, 4)
    factor = 2 if kind == "open" else 1
    assert state.outcome().scores == tuple(factor * n for n in (-16, 4, 4, 4, 4))


def test_3_7_a_solo_ends_with_the_emperor_even_where_one_seat_must_be_left():
    state = solo("hidden", "7C G E", "8C 8D", "9C 9D", "TC TD", "JC JD", end="one_left")
    say(state, "0 7xX")
    assert state.result == "scored"
    assert state.outcome().places == (1, 2, 3, 4, 5)
