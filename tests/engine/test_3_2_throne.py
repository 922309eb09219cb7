"""rules.md 3.2: the throne, offered and refused in its six ways."""

import pytest

from baohuang.engine import PRESETS, DealState

from .board import asked, hand, held, position, public, rules, say, slots

# Nobody has three alike here but where a test says so; marked-guard hands have a G.
SIMPLE = ("7C 2H E", "8C G", "9C KC KH", "TC 2D", "JC x X")
TWICE = ["0 yield", "4 yield", "3 yield", "2 yield", "1 yield"]


# -- every family ---------------------------------------------------------------------------------


def test_3_2_first_offered_is_the_holder_of_the_emperor_card():
    state = position(rules(), "7C", "8C", "9C G", "TC E", "JC")
    assert asked(state) == (3, ["accept", "yield"])


def test_3_2_first_offered_is_the_random_seat_where_it_was_laid_aside():
    state = position(rules("wuren"), "7C", "8C", "9C 9C 9C", "TC", "9C", offered=2)
    assert asked(state) == (2, ["accept", "yield"])
    assert hand(state, 2) == "9C 9C 9C E"


@pytest.mark.parametrize("preset", ["lianzhong-classic", "lianzhong-simple"])
def test_3_2_yields_to_the_previous_seat(preset):
    state = position(rules(preset), "7C", "8C E", "9C G", "TC", "JC")
    say(state, "1 yield", "0 yield", "4 yield", "3 yield")
    assert state.seat == 2


@pytest.mark.parametrize("preset", ["wuren", "baike", "biesan"])
def test_3_2_yields_to_the_previous_seat_where_a_card_must_be_called(preset):
    own = [f"{r}{s} {r}{s} {r}{s}" for r, s in zip("6789T", "CDHSC", strict=True)]
    if preset != "wuren":
        own[1] += " E"
    state = position(rules(preset), *own, offered=1)
    say(state, "1 yield", "0 yield", "4 yield", "3 yield")
    assert state.seat == 2


def test_3_2_the_emperor_card_travels_with_the_offer():
    state = position(rules("lianzhong-classic"), "7C E", "8C", "9C", "TC", "JC")
    say(state, "0 yield")
    assert (hand(state, 0), hand(state, 4)) == ("7C", "JC E")
    assert public(state)["hand_sizes"] == [1, 1, 1, 1, 2]
    say(state, "4 yield", "3 accept")
    assert held(state) == ["7C", "8C", "9C", "TC E", "JC"]
    assert state.emperor == 3


def test_3_2_a_seat_that_cannot_call_cannot_accept():
    """Seats 0, 4 and 3 have no three alike; the throne moves on to 2 by itself."""
    state = position(rules("biesan"), "7C E", "8C", "9C 9C 9C", "TC", "JC 9C")
    assert asked(state) == (2, ["accept", "yield"])
    assert state.history == [(0, "yield"), (4, "yield"), (3, "yield")]


def test_3_2_a_seat_that_cannot_call_may_accept_where_it_may_declare_an_open_solo():
    state = position(rules("lianzhong-classic"), "7C E", "8C", "9C", "TC", "JC")
    assert asked(state) == (0, ["accept", "yield"])


@pytest.mark.parametrize("option", ["show_four", "none"])
def test_3_2_showing_four_is_no_way_to_accept_without_a_card_to_call(option):
    ruleset = rules("lianzhong-classic", open_solo=option, grab=False)
    state = position(ruleset, "7C E", "8C 8C 8C", "9C", "8C", "JC")
    assert state.seat == 1


def test_3_2_a_throne_it_cannot_take_moves_on_with_the_same_gift_as_a_refusal():
    """Seat 4, the second refuser, cannot call; its 2 goes on with the emperor card all the same."""
    state = position(rules("biesan"), "7C 7C 7C E", "8C", "9C", "TC TC TC", "JC 2S")
    say(state, "0 yield")
    assert asked(state) == (3, ["accept", "yield"])
    assert hand(state, 3) == "TC TC TC 2S E"
    assert hand(state, 4) == "JC"


def test_3_2_what_travels_counts_as_held_by_the_seat_that_is_asked():
    """Seat 3 has two 2C; the gift of seat 4 is the third, so it may accept and call it."""
    state = position(rules("biesan"), "7C 7C 7C E", "7C", "2C", "2C 2C", "2C")
    say(state, "0 yield")
    assert asked(state) == (3, ["accept", "yield"])
    say(state, "3 accept")
    assert (state.called, state.guard) == ("2C", 2)


def test_3_2_a_gift_is_of_the_lowest_suit():
    state = position(rules("biesan"), "7C 7C 7C E", "7C", "9C", "TC TC TC", "2S 2H 2D 2S")
    say(state, "0 yield")
    assert hand(state, 3) == "TC TC TC 2D E"


# -- lianzhong-classic ----------------------------------------------------------------------------


def test_3_2_classic_gives_no_gift():
    state = position(rules("lianzhong-classic"), "7C 2C E", "8C 2C", "9C 2D", "TC 2H", "JC 2S")
    say(state, *TWICE, *TWICE[:3])
    assert [h.replace(" E", "") for h in held(state)] == [
        "7C 2C", "8C 2C", "9C 2D", "TC 2H", "JC 2S",
    ]  # fmt: skip


def test_3_2_classic_second_round_the_first_seat_must_accept_with_exactly_three_alike():
    hands = ("9C 9C 9C E", "8C", "9D", "9C", "JC")
    state = say(position(rules("lianzhong-classic"), *hands), *TWICE)
    assert state.history[5] == (0, "accept")
    assert (state.phase, state.emperor) == ("grab", 0)


@pytest.mark.parametrize(
    "own",
    ["9C 9C", "9C 9C 9D 9D", "9C 9C 9C 9C", "x x x", "X X"],
    ids=["two", "two suits", "four alike", "small jokers", "three big jokers with E"],
)
def test_3_2_classic_not_if_it_cannot_call_or_could_only_call_four_alike(own):
    state = say(position(rules("lianzhong-classic"), own + " E", "8C", "9D", "TC", "JC"), *TWICE)
    assert asked(state) == (0, ["accept", "yield"])


def test_3_2_classic_three_and_four_alike_must_accept():
    hands = ("9C 9C 9C 9C TD TD TD E", "8C", "9D", "TC", "JC")
    state = say(position(rules("lianzhong-classic"), *hands), *TWICE)
    assert (state.phase, state.emperor) == ("grab", 0)


def test_3_2_classic_only_the_first_seat_is_forced():
    hands = ("7C E", "8C 8C 8C", "9C 9C 9C", "TC", "JC JC JC")
    state = say(position(rules("lianzhong-classic"), *hands), *TWICE, "0 yield")
    assert asked(state) == (4, ["accept", "yield"])
    say(state, *TWICE[1:])
    assert state.result == "redeal"


def test_3_2_classic_after_two_rounds_redeal():
    state = position(rules("lianzhong-classic"), "7C E", "8C", "9C", "TC", "JC")
    say(state, *TWICE, *TWICE[:4])
    assert state.result is None
    say(state, TWICE[4])
    assert state.result == "redeal"
    assert state.history == [(int(line[0]), "yield") for line in TWICE * 2]


# -- lianzhong-simple -----------------------------------------------------------------------------


def test_3_2_simple_gift_from_the_second_refuser_on():
    """0 gives nothing, 4 has jokers and a J: gives the J; 3 a 2; 2 without a 2 its lower king."""
    state = position(rules(), *SIMPLE)
    say(state, "0 yield")
    assert hand(state, 4) == "JC x X E"
    say(state, "4 yield")
    assert (hand(state, 4), hand(state, 3)) == ("x X", "TC JC 2D E")
    say(state, "3 yield")
    assert (hand(state, 3), hand(state, 2)) == ("TC", "9C JC KC KH 2D E")
    say(state, "2 yield")
    assert (hand(state, 2), hand(state, 1)) == ("9C KH", "8C JC KC 2D G E")
    say(state, "1 accept")
    assert held(state) == ["7C 2H", "8C JC KC 2D G E", "9C KH", "TC", "x X"]


def test_3_2_simple_second_round_gifts_go_on():
    """In the second round the first seat is a second refuser too; each gives of its own cards."""
    state = say(position(rules(), *SIMPLE), *TWICE)
    assert hand(state, 0) == "7C 8C JC KC 2D 2H E"
    assert hand(state, 1) == "G"
    say(state, "0 yield")
    assert hand(state, 0) == "7C"
    assert hand(state, 4) == "8C JC KC 2D 2H x X E"
    say(state, "4 yield")  # only jokers of its own: gives nothing
    assert hand(state, 4) == "x X"
    say(state, "3 yield")  # its last card, the ten
    assert hand(state, 3) == ""
    assert hand(state, 2) == "8C 9C TC JC KC KH 2D 2H E"


def test_3_2_simple_a_gift_is_the_seats_own_not_one_that_travels():
    """Seat 3 has a 2D and is handed another: its own goes on too, and none is given twice."""
    state = position(rules(), "7C E", "8C G", "9C", "TC 2D 2D", "JC 2D")
    say(state, "0 yield", "4 yield", "3 yield")
    assert hand(state, 2) == "9C 2D 2D E"
    assert hand(state, 3) == "TC 2D"
    say(state, "2 yield", "1 yield", "0 yield", "4 yield")  # 9C, 8C, 7C, JC
    assert hand(state, 3) == "7C 8C 9C TC JC 2D 2D 2D E"
    say(state, "3 yield")
    assert hand(state, 3) == "TC"
    assert hand(state, 2) == "7C 8C 9C JC 2D 2D 2D E"


def test_3_2_simple_nobody_is_forced_and_after_two_rounds_redeal():
    state = say(position(rules(), *SIMPLE), *TWICE, *TWICE)
    assert state.result == "redeal"


# -- wuren ----------------------------------------------------------------------------------------

WUREN = (
    "7C 7C 7C 7C",
    "8C 8C 8C 2S",
    "9C 9C 9C 2C 2D",
    "TC TC TC AC",
    "JC JC JC 2H",
)


def test_3_2_wuren_gift_is_one_two_or_none():
    state = say(position(rules("wuren"), *WUREN, offered=0), "0 yield")
    assert hand(state, 4) == "JC JC JC 2H E"
    say(state, "4 yield")
    assert hand(state, 3) == "TC TC TC AC 2H E"
    say(state, "3 yield")  # no two: none
    assert hand(state, 2) == "9C 9C 9C 2C 2D 2H E"
    say(state, "2 yield")
    assert hand(state, 1) == "8C 8C 8C 2C 2H 2S E"


def test_3_2_wuren_the_first_seat_is_asked_once_more_with_all_gifts():
    state = say(position(rules("wuren"), *WUREN, offered=0), *TWICE)
    assert asked(state) == (0, ["accept", "yield"])
    assert hand(state, 0) == "7C 7C 7C 7C 2C 2H 2S E"
    say(state, "0 accept")
    assert state.emperor == 0


def test_3_2_wuren_refuses_again_the_deal_is_void():
    state = say(position(rules("wuren"), *WUREN, offered=0), *TWICE, "0 yield")
    assert state.result == "redeal"


def test_3_2_wuren_a_first_seat_that_cannot_call_is_passed_over_twice():
    hands = ("7C 7C", *WUREN[1:])
    state = say(position(rules("wuren"), *hands, offered=0), *TWICE[1:])
    assert state.history[-1] == (0, "yield")
    assert state.result == "redeal"


# -- baike ----------------------------------------------------------------------------------------


def test_3_2_baike_forces_the_first_who_holds_exactly_three_alike():
    """0 could only call four alike, 4 nothing; 3 holds exactly three and must take it."""
    hands = ("7C 7C 7C 7C E", "8C 8C 8C", "9C 9C 9C", "TC TC TC", "JC JC")
    state = position(rules("baike"), *hands)
    say(state, "0 yield", "3 yield", "2 yield", "1 yield")
    assert state.history[-1] == (3, "call TC")  # forced, and only one card to call
    assert state.history[-2] == (3, "accept")
    assert state.emperor == 3
    assert "E" in state.cards[3]


def test_3_2_baike_forcing_begins_with_the_first_seat():
    hands = ("7C 7C 7C E", "8C 8C 8C", "9C 9C 9C", "TC TC TC", "JC JC JC")
    state = say(position(rules("baike"), *hands), *TWICE)
    assert (state.emperor, state.called) == (0, "7C")


def test_3_2_baike_a_card_held_four_times_beside_three_alike_does_not_help():
    hands = ("7C 7C 7C 7C 8D 8D 8D E", "8C 8C 8C", "9C", "TC", "JC")
    state = say(position(rules("baike"), *hands), "0 yield", "1 yield")
    assert state.emperor == 0
    assert asked(state) == (0, ["call 7C", "call 8D"])


def test_3_2_baike_the_emperor_card_counts_as_a_big_joker():
    """Seat 2 has two big jokers; the emperor card is its third, both to accept and when forced."""
    state = position(rules("baike"), "7C E", "8C", "9C X X", "TC", "JC X")
    assert asked(state) == (2, ["accept", "yield"])
    say(state, "2 yield")
    assert (state.emperor, state.called, state.guard) == (2, "X", 4)


def test_3_2_baike_nobody_holds_exactly_three_redeal():
    hands = ("7C 7C 7C 7C E", "8C 8C 8C 8C", "9C", "TC", "JC")
    state = say(position(rules("baike"), *hands), "0 yield", "1 yield")
    assert state.result == "redeal"


def test_3_2_baike_gives_no_gift():
    hands = ("7C 7C 7C 2C E", "8C 8C 8C 2D", "9C 9C 9C 2H", "TC TC TC 2S", "JC JC JC 2S")
    state = say(position(rules("baike"), *hands), *TWICE[:4])
    assert hand(state, 1) == "8C 8C 8C 2D E"


# -- biesan ---------------------------------------------------------------------------------------


def test_3_2_biesan_gift_of_a_two_or_none_and_redeal_after_one_round():
    hands = ("7C 7C 7C 2C E", "8C 8C 8C 2D", "9C 9C 9C", "TC TC TC 2H", "JC JC JC AC")
    state = say(position(rules("biesan"), *hands), *TWICE[:4])
    assert hand(state, 1) == "8C 8C 8C 2D 2H E"
    say(state, "1 yield")
    assert state.result == "redeal"
    assert len(state.history) == 5


# -- jingji ---------------------------------------------------------------------------------------

BOTH = ("7C G E", "8C", "9C", "TC", "JC")


def test_3_2_jingji_a_holder_of_the_emperor_card_alone_cannot_refuse():
    state = position(rules("jingji"), "7C", "8C E", "9C G", "TC", "JC")
    assert state.history == [(1, "accept")]
    assert state.emperor == 1


def test_3_2_jingji_a_holder_of_both_marked_cards_may_throw_it():
    assert asked(position(rules("jingji"), *BOTH)) == (0, ["accept", "yield"])


def test_3_2_jingji_seats_are_asked_after_next_then_the_next_ones():
    state = position(rules("jingji"), "7C", "8C", "9C", "TC G E", "JC")
    say(state, "3 yield", "0 yield", "1 yield", "2 yield")
    assert asked(state) == (4, ["accept", "yield"])


@pytest.mark.parametrize("taker", [2, 3, 4, 1])
def test_3_2_jingji_whoever_takes_it_is_emperor_and_the_thrower_stays_guard(taker):
    state = position(rules("jingji"), *BOTH)
    say(state, "0 yield")
    while state.seat != taker:
        state.apply("yield")
    say(state, f"{taker} accept")
    assert (state.emperor, state.guard, state.solo) == (taker, 0, None)
    assert "E" in state.cards[taker]
    assert state.cards[0] == ["7C", "G"]


def test_3_2_jingji_nobody_takes_it_the_thrower_loses_as_a_solo_that_came_last():
    state = say(position(rules("jingji"), *BOTH), *("0 yield", "2 yield", "3 yield", "4 yield"))
    assert state.result is None
    say(state, "1 yield")
    assert state.result == "abdicated"
    assert state.outcome().scores == (-16, 4, 4, 4, 4)
    assert state.outcome().places is None
    assert (state.emperor, state.guard, state.solo) == (0, -1, "hidden")


def test_3_2_a_refused_throne_can_be_copied_and_played_on():
    state = say(position(rules(), *SIMPLE), "0 yield", "4 yield")
    twin = state.copy()
    say(state, "3 yield")
    assert hand(twin, 3) == "TC JC 2D E"
    say(twin, "3 accept")
    assert state.emperor == -1
    assert slots(state) != slots(twin)


def test_3_2_a_gift_may_be_the_twin_of_one_that_travels():
    # Seats 3 and 2 refuse with gifts; neither has a two, and the highest card of both is an ace of
    # clubs. The first ace travels and counts as held by seat 2, but his own goes too.
    rules = PRESETS["lianzhong-simple"]
    hands = [["2C"] * 5, ["2D"] * 5, ["AC", "KC"], ["AC", "QC"], ["E", "6C", "G"]]
    state = DealState(rules, hands, offered=4)
    for _ in range(3):
        state.apply("yield")
    assert state.seat == 1
    assert sorted(state.cards[1]) == sorted(["2D"] * 5 + ["E", "AC", "AC"])
    assert state.cards[2] == ["KC"]
    assert state.cards[3] == ["QC"]
