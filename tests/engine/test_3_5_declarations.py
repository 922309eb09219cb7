"""rules.md 3.5: open guard, rebellion and kick, before the first lead."""

import pytest

from baohuang.engine import View

from .board import asked, hand, position, public, rules, say

# Emperor 2, guard 4.
MARKED = ("7C 7D", "8C 8D", "9C 9D E", "TC TD", "JC JD G")
SOLO = ("7C 7D", "8C 8D", "9C 9D G E", "TC TD", "JC JD")
CALLED = ("7C 7D", "8C 8D", "9C 9C 9C E", "TC TD", "JC 9C")


def simple(**options):
    return say(position(rules("lianzhong-simple", **options), *MARKED), "2 accept")


def biesan(*hands, **options):
    state = position(rules("biesan", hold_back=False, **options), *(hands or CALLED))
    return say(state, "2 accept")


def test_3_5_asked_in_playing_order_from_the_seat_after_the_emperor():
    state = simple()
    for seat, answers in [
        (3, ["rebel", "silent"]),
        (4, ["open", "silent"]),
        (0, ["rebel", "silent"]),
        (1, ["rebel", "silent"]),
    ]:
        assert (state.phase, *asked(state)) == ("declare", seat, answers)
        say(state, f"{seat} silent")
    assert (state.phase, state.seat, state.factor) == ("play", 2, 1)


def test_3_5_the_guard_may_show_himself_and_the_stakes_double():
    state = say(simple(), "3 silent", "4 open")
    assert (state.phase, state.factor) == ("play", 2)
    assert public(state)["guard"] == 4


def test_3_5_with_the_guard_open_a_rebellion_is_not_asked():
    state = say(simple(), "3 rebel", "4 open")
    assert (state.phase, state.factor, public(state)["rebels"]) == ("play", 2, [3])


def test_3_5_classic_has_the_open_guard_alone():
    hands = ("7C 7D", "8C 8D", "9C 9C 9C E", "TC TD", "JC 9C")
    state = say(position(rules("lianzhong-classic"), *hands), "2 accept", "2 silent")
    say(state, "1 silent", "0 silent", "4 silent", "3 silent")
    assert (state.phase, *asked(state)) == ("declare", 4, ["open", "silent"])
    twin = state.copy()
    say(state, "4 open")
    assert (state.factor, public(state)["guard"]) == (2, 4)
    say(twin, "4 silent")
    assert (twin.phase, twin.factor) == ("play", 1)
    # The seats that had nothing to say were answered for, and stand in the history like the guard.
    assert twin.history[-4:] == [(3, "silent"), (4, "silent"), (0, "silent"), (1, "silent")]


def test_3_5_all_that_is_said_is_public_at_once():
    state = say(simple(), "3 rebel")
    assert View(state, 4)["public"]["rebels"] == [3]
    assert View(state, 4)["history"][-1] == (3, "rebel")


def test_3_5_rebellion_succeeds_when_two_rebels_have_stood_up():
    state = say(simple(), "3 rebel", "4 silent", "0 rebel")
    assert (state.phase, state.factor) == ("play", 2)
    assert public(state)["guard"] == 4
    assert public(state)["rebels"] == [0, 3]


def test_3_5_seats_that_kept_silent_are_asked_once_more_after_a_first_rebel():
    state = say(simple(), "3 silent", "4 silent", "0 silent", "1 rebel")
    assert asked(state) == (3, ["rebel", "silent"])
    say(state, "3 silent")
    assert asked(state) == (4, ["open", "silent"])
    say(state, "4 silent")
    assert asked(state) == (0, ["rebel", "silent"])
    say(state, "0 rebel")
    assert (state.factor, public(state)["guard"], state.phase) == (2, 4, "play")


def test_3_5_the_second_round_ends_it_when_it_brings_nothing_new():
    state = say(simple(), "3 silent", "4 silent", "0 silent", "1 rebel")
    say(state, "3 silent", "4 silent", "0 silent")
    assert (state.phase, state.factor) == ("play", 1)


def test_3_5_the_guard_may_open_in_the_second_round():
    state = say(simple(), "3 silent", "4 silent", "0 rebel", "1 silent", "3 silent", "4 open")
    assert (state.factor, state.phase, public(state)["guard"]) == (2, "play", 4)


def test_3_5_failed_rebels_stay_marked_and_nothing_doubles():
    state = say(simple(), "3 rebel", "4 silent", "0 silent", "1 silent")
    while state.phase == "declare":
        say(state, f"{state.seat} silent")
    assert (state.factor, public(state)["rebels"], public(state)["guard"]) == (1, [3], None)
    say(state, "2 9")
    assert public(state)["rebels"] == [3]


def test_3_5_stakes_double_once_for_open_guard_or_rebellion():
    for script in (
        ["3 rebel", "4 silent", "0 rebel"],
        ["3 rebel", "4 open"],
        ["3 silent", "4 open"],
    ):
        assert say(simple(), *script).factor == 2


def test_3_5_a_rebellion_shows_a_hidden_solo():
    state = say(position(rules("lianzhong-simple"), *SOLO), "2 accept", "2 hidden")
    say(state, "3 silent", "4 rebel", "0 rebel")
    assert (state.factor, state.solo, public(state)["solo"]) == (2, "hidden", "hidden")
    assert public(state)["guard"] is None


def test_3_5_in_a_hidden_solo_all_four_may_rebel():
    state = say(position(rules("lianzhong-simple"), *SOLO), "2 accept", "2 hidden")
    for seat in (3, 4, 0, 1):
        assert asked(state) == (seat, ["rebel", "silent"])
        say(state, f"{seat} silent")
    assert public(state)["solo"] is None


def test_3_5_in_an_open_solo_nothing_is_asked():
    state = say(position(rules("lianzhong-simple"), *SOLO), "2 accept", "2 open")
    assert state.phase == "play"
    assert [answer for _, answer in state.history] == ["accept", "open"]


def test_3_5_without_the_option_the_guard_cannot_show_himself():
    state = simple(open_guard=False)
    say(state, "3 silent")
    assert asked(state) == (0, ["rebel", "silent"])
    assert state.history[-1] == (4, "silent")


@pytest.mark.parametrize("preset", ["wuren", "baike"])
def test_3_5_no_declarations_in_wuren_and_baike(preset):
    assert (rules(preset).open_guard, rules(preset).rebellion) == (False, False)


# -- kick -----------------------------------------------------------------------------------------


def test_3_5_kick_after_a_rebellion_emperor_and_guard_are_asked_the_first_doubles_again():
    state = say(biesan(), "3 rebel", "4 silent", "0 rebel")
    assert (state.phase, *asked(state), state.factor) == ("kick", 2, ["kick", "silent"], 2)
    twin = state.copy()
    say(state, "2 kick")
    assert (state.phase, state.factor) == ("play", 4)
    say(twin, "2 silent")
    assert asked(twin) == (4, ["kick", "silent"])
    say(twin, "4 kick")
    assert (twin.phase, twin.factor) == ("play", 4)


def test_3_5_kick_after_a_rebellion_nobody_kicks():
    state = say(biesan(), "3 rebel", "4 silent", "0 rebel", "2 silent", "4 silent")
    assert (state.phase, state.factor) == ("play", 2)


def test_3_5_kick_after_a_rebellion_against_a_hidden_solo_asks_the_emperor_alone():
    hands = ("7C 7D", "8C 8D", "9C 9C 9C 9C E", "TC TD", "JC JD")
    state = say(biesan(*hands), "3 rebel", "4 rebel")
    assert asked(state) == (2, ["kick", "silent"])
    say(state, "2 silent")
    assert (state.phase, state.factor) == ("play", 2)


def test_3_5_kick_after_an_open_guard_the_rebels_are_asked_two_double_again():
    state = say(biesan(), "3 silent", "4 open")
    for seat in (3, 0, 1):
        assert (state.phase, *asked(state)) == ("kick", seat, ["kick", "silent"])
        say(state, f"{seat} {'silent' if seat == 0 else 'kick'}")
    assert (state.phase, state.factor) == ("play", 4)


@pytest.mark.parametrize("kicker", [3, 0, 1, None])
def test_3_5_kick_of_one_rebel_is_not_enough(kicker):
    state = say(biesan(), "3 silent", "4 open")
    for seat in (3, 0, 1):
        say(state, f"{seat} {'kick' if seat == kicker else 'silent'}")
    assert (state.phase, state.factor) == ("play", 2)


def test_3_5_kick_doubles_once():
    """The third rebel is not asked when two have kicked: the factor never passes 4."""
    state = say(biesan(), "3 silent", "4 open", "3 kick", "0 kick")
    assert (state.phase, state.factor) == ("play", 4)


def test_3_5_no_kick_when_nothing_was_declared():
    state = say(biesan(), "3 silent", "4 silent", "0 silent", "1 silent")
    assert (state.phase, state.factor) == ("play", 1)


def test_3_5_no_kick_after_one_rebel():
    state = say(biesan(), "3 rebel", "4 silent", "0 silent", "1 silent")
    while state.phase == "declare":
        say(state, f"{state.seat} silent")
    assert (state.phase, state.factor) == ("play", 1)


def test_3_5_declaring_changes_no_cards():
    state = say(simple(), "3 rebel", "4 silent", "0 rebel")
    assert [hand(state, seat) for seat in range(5)] == list(MARKED)
