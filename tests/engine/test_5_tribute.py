"""rules.md 5: what the last deal's losers pay, worked out by hand."""

from collections import Counter

import pytest

from baohuang.engine import DealState, Match, rule_set
from baohuang.engine.match import last_deal
from baohuang.engine.tribute import LastDeal, paid, tribute

from .board import rules, say
from .walk import key_of, random_match

WUREN = rules("wuren")
# Highest cards: 0 X X 2, 1 x A, 2 2 2, 3 A A, 4 K Q.
HANDS = [
    "3C 2H X X".split(),
    "4C AD AS x".split(),
    "5C 2C 2S".split(),
    "6C AC AH".split(),
    "7C QC KD".split(),
]


def last(emperor, guard, places, score, solo=None):
    return LastDeal(emperor, guard, solo, tuple(places), score)


def owed(deal, hands=HANDS, ruleset=WUREN):
    return [tuple(gift) for gift in tribute(ruleset, hands, deal)]


# -- two against three ----------------------------------------------------------------------------


def test_5_emperors_side_won_the_guard_gets_the_middle_of_three():
    """Rebels 0, 1, 3 give X, x, A: the emperor 2 takes X and A, the guard 4 the small joker."""
    gifts = owed(last(2, 4, (3, 4, 1, 5, 2), 6))
    assert gifts == [(0, 2, "X"), (1, 4, "x"), (3, 2, "AC")]


def test_5_emperors_side_lost_the_rebels_take_by_order_of_going_out():
    """Emperor 0 gives X X, guard 3 an ace; the rebels went out 4, 2, 1."""
    gifts = owed(last(0, 3, (4, 3, 2, 5, 1), -6))
    assert gifts == [(0, 4, "X"), (0, 2, "X"), (3, 1, "AC")]


def test_5_emperors_side_lost_the_guards_card_may_be_the_highest():
    """Emperor 4 gives K Q, guard 0 X: high to low X, K, Q to 2, 3, 1."""
    gifts = owed(last(4, 0, (5, 3, 1, 2, 4), -6))
    assert gifts == [(0, 2, "X"), (4, 3, "KD"), (4, 1, "QC")]


# -- solos ----------------------------------------------------------------------------------------


def test_5_solo_lost_the_emperor_gives_four_high_to_low_by_place():
    hands = [HANDS[1] + ["KC"], *HANDS[1:]]  # emperor 0: 4C K A A x
    gifts = owed(last(0, None, (5, 2, 4, 1, 3), -16, "hidden"), hands)
    assert gifts == [(0, 3, "x"), (0, 1, "AD"), (0, 4, "AS"), (0, 2, "KC")]


def test_5_solo_won_each_other_seat_gives_him_one():
    gifts = owed(last(3, None, (2, 3, 4, 1, 5), 16, "hidden"))
    assert gifts == [(0, 3, "X"), (1, 3, "x"), (2, 3, "2C"), (4, 3, "KD")]


def test_5_open_solo_lost_twice_as_many():
    hands = ["9C TC JC QC KC AC 2C x".split(), *HANDS[1:]]
    gifts = owed(last(0, None, (5, 1, 2, 3, 4), -32, "open"), hands)
    assert sorted(card for _, _, card in gifts) == sorted(hands[0])
    assert Counter(taker for _, taker, _ in gifts) == {1: 2, 2: 2, 3: 2, 4: 2}
    assert gifts[:4] == [(0, 1, "x"), (0, 2, "2C"), (0, 3, "AC"), (0, 4, "KC")]


def test_5_open_solo_won_twice_as_many():
    gifts = owed(last(4, None, (2, 3, 4, 5, 1), 32, "open"))
    assert gifts == [
        (0, 4, "X"), (0, 4, "X"), (1, 4, "x"), (2, 4, "2C"), (2, 4, "2S"),
        (1, 4, "AD"), (3, 4, "AC"), (3, 4, "AH"),
    ]  # fmt: skip


# -- nothing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "deal",
    [None, last(0, 3, (1, 2, 3, 5, 4), 0), last(0, None, (3, 1, 2, 4, 5), 0, "hidden")],
    ids=["first deal", "draw", "solo in the third place"],
)
def test_5_nothing_after_a_draw_or_in_the_first_deal(deal):
    assert owed(deal) == []


def test_5_nothing_without_the_option():
    assert owed(last(0, 3, (4, 3, 2, 5, 1), -6), ruleset=rules("baike")) == []


# -- which card -----------------------------------------------------------------------------------


def test_5_jokers_are_given_unless_the_option_is_off():
    """Emperor 0 without his jokers has only 2H and 3C to give."""
    ruleset = rules("wuren", tribute_jokers=False)
    gifts = owed(last(0, 3, (4, 3, 2, 5, 1), -6), ruleset=ruleset)
    assert gifts == [(0, 4, "2H"), (3, 2, "AC"), (0, 1, "3C")]


def test_5_equal_cards_lowest_suit_first():
    hands = [["AS", "AH", "AD"], ["KH", "KC"], ["QD", "QS"], ["3C"], ["4C"]]
    gifts = owed(last(3, 4, (3, 4, 5, 1, 2), 6), hands)
    assert gifts == [(0, 3, "AD"), (1, 4, "KC"), (2, 3, "QD")]


def test_5_equal_gifts_by_playing_order_of_the_giver_from_the_last_emperor():
    """Emperor 3, guard 1: rebels 4, 0, 2 in playing order all give an ace; the middle is 0's."""
    hands = [["AS"], ["3C"], ["AC"], ["4C"], ["AH"]]
    gifts = owed(last(3, 1, (3, 2, 4, 1, 5), 6), hands)
    assert gifts == [(4, 3, "AH"), (0, 1, "AS"), (2, 3, "AC")]


def test_5_equal_gifts_of_emperor_and_guard_the_emperors_first():
    hands = [["3C"], ["AC", "4C"], ["5C"], ["AD", "AS"], ["6C"]]
    gifts = owed(last(3, 1, (1, 4, 2, 5, 3), -6), hands)
    assert gifts == [(3, 0, "AD"), (3, 2, "AS"), (1, 4, "AC")]


# -- between deals --------------------------------------------------------------------------------


def test_5_paid_after_the_deal_before_the_throne_and_not_returned():
    gifts = owed(last(2, 4, (3, 4, 1, 5, 2), 6))
    hands = paid(HANDS, gifts)
    assert sorted(hands[2]) == sorted([*HANDS[2], "X", "AC"])
    assert sorted(hands[4]) == sorted([*HANDS[4], "x"])
    assert sorted(hands[0]) == ["2H", "3C", "X"]
    assert Counter(c for hand in hands for c in hand) == Counter(c for h in HANDS for c in h)


@pytest.mark.parametrize("number", range(6))
def test_5_a_match_pays_what_the_last_counted_deal_owes(number):
    """Redeals pay again, from the new hands; the laid-aside joker is never given."""
    before, owes = None, None
    for entry in random_match(WUREN, key_of("tribute", number), 8).deals_done:
        hands = [hand.split(" ") for hand in entry["hands"]]
        assert [tuple(gift) for gift in entry["tribute"]] == owed(owes, hands)
        assert all(card != "E" for _, _, card in entry["tribute"])
        if before is not None and before["result"] == "redeal":
            assert bool(entry["tribute"]) == bool(before["tribute"])  # a voided deal pays again
        if entry["result"] != "redeal":
            owes = last_deal(entry)
        before = entry
    assert owes is not None


def test_5_a_voided_deal_pays_again():
    match, key = None, None
    for number in range(50):
        key = key_of("void", number)
        match = random_match(WUREN, key, 1)
        if match.totals != [0] * 5:
            break
    again = Match.resume(WUREN, key, 2, match.log)
    while again.attempt == 1:
        assert again.phase == "throne"
        again.answer("yield")
    void = again.deals_done[-1]
    assert (void["result"], void["number"], void["attempt"]) == ("redeal", 2, 1)
    assert void["tribute"]
    while again.attempt == 2:
        again.answer("yield")
    second = again.deals_done[-1]
    assert (second["number"], second["attempt"]) == (2, 2)
    assert second["hands"] != void["hands"]
    assert [gift[:2] for gift in second["tribute"]] != []


def test_5_the_emperor_card_given_as_tribute_is_offered_where_it_went():
    """Where it is not laid aside, tribute may move it: the first seat offered is its holder."""
    ruleset = rule_set("lianzhong-simple", {"tribute": True})
    found = 0
    for number in range(200):
        match = random_match(ruleset, key_of("moved", number), 4)
        for entry in match.deals_done:
            moved = [taker for _, taker, card in entry["tribute"] if card == "E"]
            if moved:
                found += 1
                gifts = [tuple(gift) for gift in entry["tribute"]]
                hands = paid([hand.split(" ") for hand in entry["hands"]], gifts)
                assert entry["offered"] == moved[0]
                state = DealState(ruleset, hands, moved[0])
                say(state, *(f"{answer[0]} {answer[1]}" for answer in entry["answers"]))
    assert found > 3


def test_5_who_threw_the_throne_away_pays_as_a_lost_solo():
    # rules.md 3.2: the thrower "loses it as a solo that came last"; section 5: a lost solo gives
    # four, one to each. There are no places, so they go in playing order from the thrower, seat 2.
    ruleset = rules("jingji", tribute=True)
    entry = {
        "result": "abdicated",
        "emperor": 2,
        "guard": None,
        "solo": "hidden",
        "places": None,
        "scores": [4, 4, -16, 4, 4],
    }
    hands = [["6C"], ["6C"], ["X", "x", "2H", "AS", "AC"], ["6C"], ["6C"]]
    assert tribute(ruleset, hands, last_deal(entry)) == (
        (2, 3, "X"),
        (2, 4, "x"),
        (2, 0, "2H"),
        (2, 1, "AC"),
    )
