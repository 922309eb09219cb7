"""rules.md 3.6: leads, passes, tricks, hold-back, pass lock, heirs."""

import pytest

from baohuang.engine import View

from .board import asked, hand, plain, position, public, rules, say

# -- leads and sets -------------------------------------------------------------------------------


def test_3_6_the_emperor_leads():
    state = position(rules("jingji"), "7C", "8C G", "9C", "TC E", "JC")
    say(state, *(f"{seat} silent" for seat in (4, 0, 1, 2)))
    assert (state.phase, state.seat, View(state, 3)["trick"]["leader"]) == ("play", 3, 3)


def test_3_6_the_leader_cannot_pass():
    assert "pass" not in plain("7C 8C E", "8C G", "9C", "TC", "JC").legal


def test_3_6_sets_of_one_rank_with_any_number_of_jokers_and_jokers_alone_mixed_or_not():
    state = plain("7C 7D 9C x E", "8C G", "9H", "TC", "JC")
    assert list(state.legal) == [
        *("7", "9", "X", "x"),
        *("77", "7X", "7x", "9X", "9x", "xX"),
        *("77X", "77x", "7xX", "9xX"),
        "77xX",
    ]  # fmt: skip


def test_3_6_twos_hang_on_nothing_and_there_are_no_runs():
    state = plain("7C 8C 9C TC JC 2C 2D E", "8C G", "9H", "TC", "JC")
    naturals = [play for play in state.legal if "X" not in play]
    assert naturals == ["7", "8", "9", "T", "J", "2", "22"]


def test_3_6_the_largest_set_has_sixteen_of_a_rank_and_all_jokers():
    sevens = " ".join(f"7{suit}" for suit in "CDHS" for _ in range(4))
    state = plain(sevens + " x x x X X X E", "8C G", "9H", "TC", "JC")
    assert max(state.legal, key=len) == "7" * 16 + "xxxXXXX"
    say(state, "0 " + "7" * 16 + "xxxXXXX")
    assert state.out == [0]


# -- round the table ------------------------------------------------------------------------------


def test_3_6_in_playing_order_each_seat_plays_a_higher_set_or_passes():
    state = plain("7C 6C E", "8C 9D G", "9C TD", "TC JD", "JC QD")
    say(state, "0 7")
    assert asked(state) == (1, ["pass", "8", "9", "x"])
    say(state, "1 8")
    assert asked(state) == (2, ["pass", "9", "T"])
    say(state, "2 T")
    assert asked(state) == (3, ["pass", "J"])
    say(state, "3 pass")
    assert asked(state) == (4, ["pass", "J", "Q"])


def test_3_6_a_seat_that_passed_may_play_when_its_turn_comes_again():
    state = plain("7C 6C E", "8C KC G", "9C TD", "6C 6D", "6H 6S")
    say(state, "0 7", "1 pass", "2 9", "0 pass")
    assert asked(state) == (1, ["pass", "K", "x"])


def test_3_6_a_trick_ends_when_every_other_seat_has_passed_since_the_last_play():
    state = plain("7C 6C E", "8C KC G", "9C TD", "6C 6D", "6H 6S")
    say(state, "0 7", "1 pass", "2 9", "0 pass", "1 K", "0 pass")
    assert state.history[-5:] == [(1, "K"), (2, "pass"), (3, "pass"), (4, "pass"), (0, "pass")]
    assert asked(state) == (1, ["8", "x", "8x"])  # its winner leads
    assert View(state, 1)["trick"] == {"leader": 1, "to_beat": None, "by": None, "passed": []}


def test_3_6_the_trick_is_public():
    state = plain("7C 6C E", "8C KC G", "9C TD", "6C 6D", "6H 6S")
    say(state, "0 7", "1 pass")
    for seat in range(5):
        assert View(state, seat)["trick"] == {
            "leader": 0, "to_beat": "7", "by": 0, "passed": [1],
        }  # fmt: skip


def test_3_6_going_out_and_hand_sizes_are_public():
    state = plain("7C 7D E", "8C 8D G", "9C", "TC", "JC KD")
    say(state, "0 7", "1 pass", "2 9")
    for seat in range(5):
        shown = View(state, seat)["public"]
        assert shown["hand_sizes"] == [2, 3, 0, 1, 2]
        assert shown["places"] == [0, 0, 1, 0, 0]


def test_3_6_seats_without_cards_are_passed_over():
    state = plain("7C 7D E", "8C 8D G", "9C", "TC TD AC", "JC KD")
    say(state, "0 7", "1 pass", "2 9", "3 T", "4 pass", "0 pass", "1 pass")
    assert (state.seat, state.leader) == (3, 3)
    assert (2, "pass") not in state.history


# -- hold-back ------------------------------------------------------------------------------------


def test_3_6_hold_back_the_lowest_rank_goes_out_last_all_at_once():
    state = plain("6C 6D 7C E", "8C G", "9C", "TC", "JC", hold_back=True)
    assert list(state.legal) == ["7", "X", "7X"]
    say(state, "0 7X")
    assert state.out[0] == 0  # the sixes were his only legal lead, once all had passed
    assert (0, "66") in state.history


def test_3_6_hold_back_jokers_may_go_with_it_when_that_empties_the_hand():
    state = plain("6C 6D x E", "8C G", "9C", "TC", "JC", hold_back=True)
    assert list(state.legal) == ["X", "x", "xX", "66xX"]


def test_3_6_hold_back_with_another_card_left_no_six_may_be_led():
    state = plain("6C 6D 7C x E", "8C G", "9C", "TC", "JC", hold_back=True)
    assert not any("6" in play for play in state.legal)


def test_3_6_hold_back_off_sixes_are_ordinary():
    state = plain("6C 6D 7C E", "8C G", "9C", "TC", "JC", hold_back=False)
    assert list(state.legal) == ["6", "7", "X", "66", "6X", "7X", "66X"]


@pytest.mark.parametrize(("preset", "lowest"), [("jingji", "6"), ("biesan", "3")])
def test_3_6_hold_back_always_in_jingji_and_biesan(preset, lowest):
    ruleset = rules(preset)
    assert ruleset.hold_back
    assert str(ruleset.low_rank) == lowest


def test_3_6_hold_back_a_play_with_the_lowest_rank_answers_nothing():
    """1 has only sixes and jokers left: it may answer with a joker, not with its whole hand."""
    state = plain("7C 7D 8D E", "6C 6D G", "9C", "TC", "JC", hold_back=True)
    say(state, "0 7")
    assert asked(state) == (1, ["pass", "x"])
    twin = say(plain("7C 7D 8D E", "6C G", "9C", "TC", "JC", hold_back=True), "0 77")
    assert twin.seat != 1
    assert (1, "pass") in twin.history


def test_3_6_hold_back_counts_the_called_trump_like_a_joker():
    hands = ("3C 3D 9C 9C 9C E", "9C 3C 3D", "TC", "JC", "QC")
    state = position(rules("biesan", open_guard=False, rebellion=False, kick=False), *hands)
    say(state, "0 accept", "0 999")
    assert asked(state)[0] == 0  # nobody can answer
    say(state, "0 X")
    assert asked(state) == (1, ["pass", "*"])


# -- pass lock ------------------------------------------------------------------------------------

LOCK = ("7C 6C 6D E", "8C KC G", "9C TD AC", "6C 6D", "6H 6S")


def test_3_6_pass_lock_who_passed_stays_out_until_the_trick_is_over():
    state = plain(*LOCK, pass_lock=True)
    say(state, "0 7", "1 pass", "2 9")
    assert View(state, 0)["trick"]["passed"] == [1, 3, 4]
    say(state, "0 X")
    assert asked(state) == (0, list(state.legal))  # 2 could not answer, the others were locked
    assert state.history[-2:] == [(0, "X"), (2, "pass")]


def test_3_6_pass_lock_ends_with_the_trick():
    state = plain(*LOCK, pass_lock=True)
    say(state, "0 7", "1 pass", "2 9", "0 pass")
    assert (state.seat, state.leader) == (2, 2)  # 1 had a king, but it had passed
    assert View(state, 2)["trick"]["passed"] == []
    say(state, "2 T")
    assert asked(state) == (0, ["pass", "X"])
    say(state, "0 pass")
    assert asked(state) == (1, ["pass", "K", "x"])


def test_3_6_pass_lock_is_jingjis_alone():
    assert rules("jingji").pass_lock
    for preset in ("lianzhong-classic", "lianzhong-simple", "wuren", "baike", "biesan"):
        assert not rules(preset).pass_lock


# -- who inherits the lead ------------------------------------------------------------------------


def test_3_6_heir_next_is_the_first_seat_with_cards_after_the_winner():
    state = plain("7C 8D E", "8C 8H G", "AC", "TC TD", "JC JD")
    say(state, "0 7", "1 pass", "2 A", "0 pass", "1 pass")
    assert state.out == [2]
    assert (state.seat, state.leader) == (3, 3)


def test_3_6_heir_next_skips_seats_that_are_out():
    state = plain("7C 8D 8S E", "8C 8H 8S G", "AC", "KC", "JC JD")
    say(state, "0 7", "1 pass", "2 pass", "3 K", "0 pass", "1 pass", "2 A")
    assert state.out == [3, 2]
    say(state, "0 pass", "1 pass")
    assert (state.seat, state.leader, list(state.legal)) == (4, 4, ["J", "JJ"])


def test_3_6_his_last_play_can_still_be_beaten():
    state = plain("7C 8D E", "8C 8H G", "KC", "AC TD QC", "JC JD")
    say(state, "0 7", "1 pass", "2 K")
    assert asked(state) == (3, ["pass", "A"])
    say(state, "3 A", "0 pass", "1 pass")
    assert (state.seat, state.leader) == (3, 3)


def test_3_6_an_application_for_the_lead_is_passing():
    """S1: 3 lets the last play of 2 pass and gets the lead when the others pass too."""
    state = plain("7C 8D E", "8C 8H G", "KC", "AC TD QC", "JC JD")
    say(state, "0 7", "1 pass", "2 K", "3 pass", "0 pass", "1 pass")
    assert (state.seat, state.leader) == (3, 3)


def test_3_6_heir_teammate_of_an_open_guard_is_the_emperor():
    """Guard 1 goes out; the emperor 0 leads, though 2 is next."""
    hands = ("7C 8D E", "AC G", "TC TD", "JC JD", "QC QD")
    state = position(rules("lianzhong-simple", heir="teammate", rebellion=False), *hands)
    say(state, "0 accept", "1 open", "0 7", "1 A", "0 pass")
    assert (1, "x") in state.history  # his last card, so he was not asked
    say(state, "0 pass")
    assert state.out == [1]
    assert (state.seat, state.leader) == (0, 0)


def test_3_6_heir_teammate_of_a_rebel_is_the_next_rebel_when_the_guard_is_known():
    """2 goes out; 3 is the guard, so the rebel 4 inherits."""
    hands = ("7C 8D E", "8C 9C", "AC", "JC JD G", "QC QD")
    ruleset = rules("lianzhong-simple", heir="teammate", rebellion=False)
    state = say(position(ruleset, *hands), "0 accept", "3 open", "0 7", "1 pass", "2 A")
    say(state, "3 pass", "0 pass")
    assert (state.seat, state.leader) == (4, 4)


def test_3_6_heir_teammate_never_tells_who_the_guard_is():
    """The same cards, the guard silent: the next seat inherits, guard or not."""
    hands = ("7C 8D E", "8C 9C", "AC", "JC JD G", "QC QD")
    ruleset = rules("lianzhong-simple", heir="teammate", rebellion=False)
    state = say(position(ruleset, *hands), "0 accept", "3 silent", "0 7", "1 pass", "2 A")
    say(state, "3 pass", "0 pass")
    assert (state.seat, state.leader) == (3, 3)


@pytest.mark.parametrize(("said", "heir"), [("open", 3), ("silent", 1)])
def test_3_6_heir_teammate_of_the_emperor_is_the_guard_if_he_is_known(said, heir):
    hands = ("AC E", "8C 9C", "TC TD", "JC JD G", "QC QD")
    ruleset = rules("lianzhong-simple", heir="teammate", rebellion=False)
    state = say(position(ruleset, *hands), "0 accept", f"3 {said}", "0 A", "3 pass")
    assert (0, "X") in state.history  # his last card
    assert state.out == [0]
    assert (state.seat, state.leader) == (heir, heir)


def test_3_6_heir_teammate_a_guard_who_goes_out_has_shown_himself_by_his_last_card():
    hands = ("7C 8D E", "8C 9C", "TC TD", "AC G", "QC QD")
    ruleset = rules("lianzhong-simple", heir="teammate", rebellion=False)
    state = say(position(ruleset, *hands), "0 accept", "3 silent", "0 7", "1 pass", "2 pass")
    say(state, "3 A", "0 pass", "0 pass")
    assert (3, "x") in state.history
    assert (state.out, state.guard_public) == ([3], True)
    assert (state.seat, state.leader) == (0, 0)


def test_3_6_heir_teammate_failed_rebels_are_known_to_be_rebels():
    """2 and nobody else stood up; 2 goes out, no other rebel is known: the next seat leads."""
    hands = ("7C 8D E", "8C 9C", "AC", "JC JD G", "QC QD")
    state = say(position(rules("lianzhong-simple", heir="teammate"), *hands), "0 accept")
    say(state, "1 silent", "2 rebel")
    while state.phase == "declare":
        say(state, f"{state.seat} silent")
    say(state, "0 7", "1 pass", "2 A", "3 pass", "0 pass")
    assert (state.seat, state.leader) == (3, 3)


def test_3_6_heir_teammate_in_an_open_solo_the_four_are_known():
    """3 goes out after the emperor has passed; 4 follows, a rebel like him."""
    ruleset = rules("jingji", heir="teammate", hold_back=False)
    hands = ("7C 8D G E", "8C 9C", "TC TD", "AC", "QC QD")
    state = say(position(ruleset, *hands), "0 accept", "0 open", "0 7", "1 pass", "2 pass", "3 A")
    say(state, "0 pass")
    assert state.out == [3]
    assert (state.seat, state.leader) == (4, 4)


def test_3_6_heir_teammate_in_an_open_solo_skips_the_emperor():
    ruleset = rules("jingji", heir="teammate", hold_back=False)
    hands = ("7C 8D G E", "8C 9C", "TC TD", "KC KD", "AC")
    state = say(position(ruleset, *hands), "0 accept", "0 open", "0 7")
    say(state, "1 pass", "2 pass", "3 pass", "4 A", "0 pass")
    assert state.out == [4]
    assert (state.seat, state.leader) == (1, 1)


# -- a leader always has a play -------------------------------------------------------------------


def test_3_6_a_leader_with_the_lowest_rank_alone_plays_it_whole():
    state = plain("6C 6D 6H E", "7C G", "8C 8D", "9C 9D", "TC TD", hold_back=True)
    say(state, "0 X")
    assert (0, "666") in state.history
    assert hand(state, 0) == ""
    assert public(state)["places"][0] == 1
