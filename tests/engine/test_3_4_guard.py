"""rules.md 3.4: marked and called guards, hidden and open solos, and when they become public."""

import pytest

from baohuang.engine import View

from .board import asked, hand, plain, position, public, rules, say

ROLES = ["emperor", "rebel", "rebel", "guard", "rebel"]


def roles(state):
    return [View(state, seat)["role"] for seat in range(5)]


# -- marked card ----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["lianzhong-simple", "jingji"])
def test_3_4_the_holder_of_the_guard_card_is_the_guard(preset):
    state = position(rules(preset), "7C E", "8C", "9C", "TC G", "JC")
    if preset == "lianzhong-simple":
        say(state, "0 accept")
    assert (state.guard, state.solo) == (3, None)
    assert roles(state) == ROLES


def test_3_4_the_guard_card_given_away_with_no_throne_stays_where_it_is():
    """A gift is never a joker: the guard is who was dealt the card."""
    state = position(rules(), "7C E", "8C", "9C", "TC G", "JC")
    say(state, "0 yield", "4 yield", "3 yield", "2 accept")
    assert (state.emperor, state.guard) == (2, 3)


@pytest.mark.parametrize("preset", ["lianzhong-simple", "jingji"])
def test_3_4_marked_emperor_with_both_cards_is_a_solo_hidden_if_he_says_nothing(preset):
    state = say(position(rules(preset), "7C G E", "8C", "9C", "TC", "JC"), "0 accept")
    assert (state.phase, *asked(state)) == ("call", 0, ["hidden", "open"])
    say(state, "0 hidden")
    assert (state.solo, state.guard, state.factor) == ("hidden", -1, 1)
    assert public(state)["solo"] is None


@pytest.mark.parametrize(("preset", "factor"), [("lianzhong-simple", 1), ("jingji", 2)])
def test_3_4_marked_open_if_he_declares_it(preset, factor):
    state = position(rules(preset), "7C 8D G E", "8C", "9C", "TC", "JC")
    say(state, "0 accept", "0 open")
    assert (state.solo, state.factor, state.phase) == ("open", factor, "play")
    assert public(state)["solo"] == "open"


def test_3_4_marked_without_open_solo_both_cards_are_a_hidden_solo_unasked():
    ruleset = rules("jingji", open_solo="none")
    state = say(position(ruleset, "7C G E", "8C", "9C", "TC", "JC"), "0 accept")
    assert (state.phase, state.solo) == ("declare", "hidden")


# -- called card ----------------------------------------------------------------------------------


def test_3_4_the_holder_of_the_fourth_is_the_guard():
    hands = ("9C 9C 9C TC TC TC E", "8C", "TC", "9C", "JC")
    state = say(position(rules("biesan"), *hands), "0 accept")
    assert asked(state) == (0, ["call 9C", "call TC"])
    twin = state.copy()
    say(state, "0 call 9C")
    say(twin, "0 call TC")
    assert (state.guard, twin.guard) == (3, 2)
    assert roles(state) == ROLES


def test_3_4_only_the_guard_knows():
    hands = ("9C 9C 9C TC TC TC E", "8C", "TC", "9C", "JC")
    state = say(position(rules("biesan"), *hands), "0 accept", "0 call 9C")
    for seat in range(5):
        assert View(state, seat)["public"]["guard"] is None
        assert View(state, seat)["role"] == ROLES[seat]


def test_3_4_if_the_emperor_holds_the_fourth_too_it_is_a_hidden_solo():
    hands = ("9C 9C 9C 9C TC TC TC E", "8C", "TC", "AC", "JC")
    state = say(position(rules("biesan"), *hands), "0 accept", "0 call 9C")
    assert (state.solo, state.guard, state.called) == ("hidden", -1, "9C")
    assert public(state) | {"guard": None, "solo": None} == public(state)


def test_3_4_wuren_showing_all_four_makes_it_open():
    hands = ("9C 9C 9C 9C TC TC TC", "8C", "TC", "AC", "JC")
    state = say(position(rules("wuren"), *hands, offered=0), "0 accept")
    assert asked(state) == (0, ["call 9C", "call TC", "open 9C"])
    twin = state.copy()
    say(state, "0 open 9C")
    assert (state.solo, state.called, state.factor) == ("open", "9C", 2)
    say(twin, "0 call 9C")
    assert (twin.solo, twin.factor, public(twin)["solo"]) == ("hidden", 1, None)


def test_3_4_classic_without_grab_declares_open_in_the_call_phase_whatever_he_holds():
    ruleset = rules("lianzhong-classic", grab=False)
    hands = ("9C 9C 9C TD E", "8C", "9C", "TC", "JC")
    state = say(position(ruleset, *hands), "0 accept")
    assert asked(state) == (0, ["call 9C", "open"])
    say(state, "0 open")
    assert (state.solo, state.factor, state.called) == ("open", 1, None)
    nothing = say(position(ruleset, "9C TD E", "8C", "9C", "TC", "JC"), "0 accept")
    assert (nothing.history[-1], nothing.solo) == ((0, "open"), "open")


@pytest.mark.parametrize(
    ("callable_", "expected"),
    [
        ("any", ["call 7C", "call 2S"]),
        ("no_twos", ["call 7C"]),
        ("jokers_too", ["call 7C", "call 2S", "call x", "call X"]),
    ],
)
def test_3_4_callable_cards(callable_, expected):
    """Three sevens, twos, small jokers, and with the emperor card three big ones."""
    hands = ("7C 7C 7C 2S 2S 2S x x x X X E", "8C 2S 7C", "9C", "X x", "TC")
    state = position(rules("baike", callable=callable_), *hands)
    say(state, "0 accept")
    assert (asked(state) if len(expected) > 1 else (0, ["call " + str(state.called)])) == (
        0,
        expected,
    )


@pytest.mark.parametrize(
    ("preset", "callable_"),
    [
        ("lianzhong-classic", "any"),
        ("biesan", "any"),
        ("wuren", "no_twos"),
        ("baike", "jokers_too"),
    ],
)
def test_3_4_callable_by_rule_set(preset, callable_):
    assert rules(preset).callable == callable_


def test_3_4_calls_are_listed_from_the_lowest_rank_and_suit():
    """contract.md 1 sorts cards by rank, then C D H S; rules.md 6 has autoplay call the lowest."""
    own = "9S 9S 9S 9C 9C 9C 6H 6H 6H 9D 9D 9D 9H 9H 9H E"
    hands = (own, "6H", "9C", "9D", "9S 9H")
    state = say(position(rules("biesan"), *hands), "0 accept")
    assert asked(state) == (0, [f"call {card}" for card in ("6H", "9C", "9D", "9H", "9S")])


def test_3_4_showing_is_public():
    hands = ("9C 9C 9C TC TC TC E", "8C", "TC", "9C", "JC")
    state = say(position(rules("biesan"), *hands), "0 accept", "0 call 9C")
    assert [View(state, seat)["public"]["called"] for seat in range(5)] == ["9C"] * 5


# -- the called trump -----------------------------------------------------------------------------

TRUMP = ("9C 9C 9C E", "8C X", "2C TD", "9C 9D AC", "JC")


def test_3_4_the_fourth_copy_becomes_the_called_trump():
    """baike: the guard's 9C is `*`; his other nine stays a nine."""
    state = say(position(rules("baike"), *TRUMP), "0 accept")
    assert state.called == "9C"
    say(state, "0 9")
    assert asked(state) == (1, ["pass", "X"])
    say(state, "1 X", "3 *")
    assert state.guard_public
    assert hand(state, 3) == "9D AC"
    assert asked(state) == (3, ["9", "A"])


def test_3_4_the_emperors_three_are_no_trumps():
    state = say(position(rules("baike"), *TRUMP), "0 accept")
    assert asked(state) == (0, ["9", "X", "99", "9X", "999", "99X", "999X"])


def test_3_4_the_trump_hangs_like_a_joker_and_ranks_above_the_big_joker():
    hands = ("9C 9C 9C TC TC E", "8C X X", "2C TD", "9C KC KD", "JC JD")
    state = say(position(rules("baike"), *hands), "0 accept", "0 TTX")
    # TTX: only a set with `*` in it can answer, card against card: * > X, K > T, K > T
    assert asked(state) == (3, ["pass", "KK*"])


def test_3_4_biesan_the_trump_is_above_the_emperor_card_which_is_a_big_joker():
    hands = ("9C 9C 9C 4C 4D E", "8C X 8D", "2C TD", "9C KC", "JC JD")
    ruleset = rules("biesan", hold_back=False, open_guard=False, rebellion=False, kick=False)
    state = say(position(ruleset, *hands), "0 accept", "0 X")
    assert asked(state) == (3, ["pass", "*"])


def test_3_4_the_trump_lies_with_a_hidden_solo_too():
    hands = ("9C 9C 9C 9C TC TC E", "8C X X", "2C TD", "9D KC KD", "JC JD")
    state = say(position(rules("baike"), *hands), "0 accept")
    assert state.solo == "hidden"
    assert "9*" in state.legal
    assert "9999" not in state.legal
    assert "999*" in state.legal


@pytest.mark.parametrize(("joker", "others"), [("X", "X X E"), ("x", "x x x E")])
def test_3_4_a_called_joker_becomes_the_trump(joker, others):
    hands = (f"7C {others}", "8C", "2C TD", f"{joker} KC", "JC JD")
    state = say(position(rules("baike"), *hands), "0 accept")
    assert state.called == joker
    assert state.guard == 3
    say(state, "0 " + joker)
    if joker == "x":
        say(state, "3 *")
        assert state.guard_public
    else:
        assert asked(state) == (3, ["pass", "*"])


def test_3_4_without_the_option_the_fourth_copy_is_an_ordinary_card():
    hands = ("9C 9C 9C E", "8C X", "2C TD", "9C 9D", "JC")
    state = say(position(rules("wuren"), *(h.replace(" E", "") for h in hands), offered=0))
    say(state, "0 accept", "0 9", "1 pass")
    assert asked(state) == (2, ["pass", "T", "2"])


# -- becoming public ------------------------------------------------------------------------------


def test_3_4_public_when_the_called_card_is_played_and_that_copy_is_played_last():
    hands = ("3C 9C 9C 9C 4D", "8C", "TC TD", "9C 9D 9H 2C", "JC JD")
    state = say(position(rules("wuren"), *hands, offered=0), "0 accept")
    say(state, "0 3", "1 pass", "2 pass", "3 9")
    assert not state.guard_public
    assert hand(state, 3) == "9C 9H 2C"
    say(state, "4 pass", "0 pass", "2 pass", "3 9")
    assert not state.guard_public
    assert hand(state, 3) == "9C 2C"
    say(state, "4 pass", "0 pass", "2 pass", "3 9")
    assert state.guard_public
    assert public(state)["guard"] == 3
    assert hand(state, 3) == "2C"


def test_3_4_public_at_once_when_all_copies_go_together():
    hands = ("3C 3D 9C 9C 9C 4D", "8C", "TC TD", "9C 9D 2C", "JC JD")
    state = say(position(rules("wuren"), *hands, offered=0), "0 accept")
    say(state, "0 33", "2 pass", "3 99")
    assert public(state)["guard"] == 3


def test_3_4_public_when_the_guard_card_is_played_and_it_is_the_last_small_joker():
    state = plain("7C 7D E", "8C", "9C", "TC x G", "JC")
    say(state, "0 7", "1 pass", "2 pass", "3 x")
    assert not state.guard_public
    assert hand(state, 3) == "TC G"
    say(state, "0 pass", "3 x")
    assert public(state)["guard"] == 3


def test_3_4_the_emperors_own_copies_tell_nothing():
    hands = ("9C 9C 9C 4D", "8C", "TC TD", "9C 9D 2C", "JC JD")
    state = say(position(rules("wuren"), *hands, offered=0), "0 accept", "0 999")
    assert public(state)["guard"] is None


def test_3_4_another_seats_card_of_that_rank_tells_nothing():
    hands = ("3C 9C 9C 9C 4D", "9D 8C", "TC TD", "9C 2C", "JC JD")
    state = say(position(rules("wuren"), *hands, offered=0), "0 accept", "0 3", "1 9")
    assert public(state)["guard"] is None
    assert state.guard == 3
