"""rules.md 3.3: grabbing the throne for an open solo."""

import pytest

from baohuang.engine import PRESETS

from .board import asked, held, position, public, rules, say

HANDS = ("9C 9C 9C E", "8C", "7C", "9C", "TC")


def test_3_3_the_emperor_is_asked_first_right_after_he_accepted():
    state = say(position(rules("lianzhong-classic"), *HANDS), "0 accept")
    assert (state.phase, *asked(state)) == ("grab", 0, ["open", "silent"])


def test_3_3_if_the_emperor_declares_open_solo_nobody_can_grab():
    state = say(position(rules("lianzhong-classic"), *HANDS), "0 accept", "0 open")
    assert (state.phase, state.seat, state.emperor, state.solo) == ("play", 0, 0, "open")
    assert public(state)["solo"] == "open"


def test_3_3_the_others_are_asked_in_the_order_of_previous_seats():
    state = say(position(rules("lianzhong-classic"), *HANDS), "0 accept", "0 silent")
    for seat in (4, 3, 2, 1):
        assert asked(state) == (seat, ["grab", "silent"])
        say(state, f"{seat} silent")
    assert state.phase != "grab"


@pytest.mark.parametrize("grabber", [4, 3, 2, 1])
def test_3_3_the_first_to_claim_is_emperor_in_open_solo_and_leads(grabber):
    state = say(position(rules("lianzhong-classic"), *HANDS), "0 accept", "0 silent")
    while state.seat != grabber:
        say(state, f"{state.seat} silent")
    say(state, f"{grabber} grab")
    assert (state.emperor, state.solo, state.guard, state.factor) == (grabber, "open", -1, 1)
    assert state.leader == grabber
    # He led his only card, so he was not asked, and it won the deal.
    assert (state.phase, state.outcome().scores[grabber]) == ("over", 24)


def test_3_3_cards_stay_where_they_are():
    hands = ("9C 9C 9C E", "8C 8D", "7C", "9C", "TC TD")
    state = say(position(rules("lianzhong-classic"), *hands), "0 accept", "0 silent", "4 grab")
    assert held(state) == list(hands)
    assert asked(state) == (4, ["T", "TT"])


def test_3_3_nobody_grabs_the_call_phase_follows_without_open():
    hands = ("9C 9C 9C TC TC TC E", "8C", "7C", "9C", "TC")
    state = say(position(rules("lianzhong-classic"), *hands), "0 accept", "0 silent")
    say(state, "4 silent", "3 silent", "2 silent", "1 silent")
    assert (state.phase, *asked(state)) == ("call", 0, ["call 9C", "call TC"])


def test_3_3_a_seat_that_accepted_with_nothing_to_call_has_only_open_left():
    hands = ("9C 9D E", "8C", "7C", "9C", "TC")
    state = say(position(rules("lianzhong-classic"), *hands), "0 accept")
    assert state.history[-1] == (0, "open")
    assert (state.phase, state.solo, state.emperor) == ("play", "open", 0)


def test_3_3_off_in_lianzhong_simple_unless_it_is_switched_on():
    hands = ("9C E", "8C G", "7C", "9C", "TC")
    state = say(position(rules("lianzhong-simple"), *hands), "0 accept")
    assert state.phase == "declare"
    state = say(position(rules("lianzhong-simple", grab=True), *hands), "0 accept")
    assert (state.phase, *asked(state)) == ("grab", 0, ["open", "silent"])


@pytest.mark.parametrize("preset", ["wuren", "baike", "biesan", "jingji"])
def test_3_3_absent_elsewhere(preset):
    assert PRESETS[preset].grab is False


def test_3_3_with_both_marked_cards_and_open_declined_he_is_a_hidden_solo():
    """rules.md 8, details: `open` was declined in the grab step, so it is not asked again."""
    hands = ("9C G E", "8C", "7C", "9C", "TC")
    state = say(position(rules("lianzhong-simple", grab=True), *hands), "0 accept", "0 silent")
    say(state, "4 silent", "3 silent", "2 silent", "1 silent")
    assert (state.solo, state.guard, state.phase) == ("hidden", -1, "declare")
    assert public(state)["solo"] is None


def test_3_3_a_guard_may_grab_for_himself():
    """Grabbing comes before anybody is guard; the holder of the guard card plays alone too."""
    hands = ("9C E", "8C G 7D", "7C", "9C", "TC")
    state = say(position(rules("lianzhong-simple", grab=True), *hands), "0 accept", "0 silent")
    say(state, "4 silent", "3 silent", "2 silent", "1 grab")
    assert (state.emperor, state.solo, state.guard) == (1, "open", -1)
    assert [state.role(seat) for seat in range(5)] == ["rebel", "emperor", *["rebel"] * 3]
