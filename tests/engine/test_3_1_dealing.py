"""rules.md 3.1: who is dealt what, from which seat, and redeals."""

from collections import Counter

import pytest

from baohuang.engine import PRESETS, Match
from baohuang.engine.cards import deck
from baohuang.engine.deal import deal

from .walk import key_of, random_match

KEY = key_of("dealing")


def sizes(preset, first):
    return [len(hand) for hand in deal(PRESETS[preset], KEY, 1, 1, first).hands]


@pytest.mark.parametrize(
    ("first", "expected"),
    [(0, [34, 34, 34, 33, 33]), (3, [34, 33, 33, 34, 34]), (4, [34, 34, 33, 33, 34])],
)
def test_3_1_168_cards_give_34_to_the_first_three_seats_dealt(first, expected):
    for preset in ("lianzhong-classic", "lianzhong-simple", "jingji"):
        assert sizes(preset, first) == expected


@pytest.mark.parametrize(
    ("first", "expected"), [(0, [44, 43, 43, 43, 43]), (2, [43, 43, 44, 43, 43])]
)
def test_3_1_216_cards_give_44_to_the_first_seat(first, expected):
    for preset in ("baike", "biesan"):
        assert sizes(preset, first) == expected


def test_3_1_wuren_lays_one_big_joker_aside_and_deals_43_each():
    for first in range(5):
        assert sizes("wuren", first) == [43] * 5
    dealt = deal(PRESETS["wuren"], KEY, 1, 1, 0)
    assert dealt.aside == "E"
    assert Counter(c for hand in dealt.hands for c in hand)["X"] == 3
    assert not any("E" in hand for hand in dealt.hands)


def test_3_1_wuren_offers_the_throne_first_to_a_seat_from_the_deals_own_seed():
    offered = Counter(deal(PRESETS["wuren"], KEY, n, 1, 0).offered for n in range(1, 200))
    assert set(offered) == set(range(5))
    again = [deal(PRESETS["wuren"], KEY, 5, attempt, 0).offered for attempt in (1, 1)]
    assert again[0] == again[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_3_1_the_five_hands_are_the_deck(preset):
    rules = PRESETS[preset]
    dealt = deal(rules, KEY, 3, 2, 4)
    cards = deck(rules.low_rank, guard_card=rules.guard == "marked", aside=rules.aside)
    assert Counter(c for hand in dealt.hands for c in hand) == Counter(cards)


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"wuren"}))
def test_3_1_the_throne_is_first_offered_to_the_holder_of_the_emperor_card(preset):
    for number in range(1, 20):
        dealt = deal(PRESETS[preset], KEY, number, 1, 0)
        assert "E" in dealt.hands[dealt.offered]


@pytest.mark.parametrize("preset", PRESETS)
def test_3_1_dealt_from_seat_0_then_from_the_last_emperors_seat(preset):
    first, number = 0, 1
    for entry in random_match(PRESETS[preset], key_of("first", preset), 12).deals_done:
        assert (entry["first"], entry["number"]) == (first, number)
        if entry["result"] != "redeal":
            first, number = entry["emperor"], number + 1


def test_3_1_a_redeal_is_a_new_shuffle_of_the_same_number_from_the_same_seat():
    match = Match(PRESETS["lianzhong-simple"], KEY, 2)
    for _ in range(10):
        match.answer("yield")
    assert (match.deal, match.attempt) == (1, 2)
    (void,) = match.deals_done
    assert (void["result"], void["number"], void["attempt"]) == ("redeal", 1, 1)
    assert (void["emperor"], void["places"], void["scores"]) == (None, None, (0,) * 5)
    for _ in range(10):
        match.answer("yield")
    second = match.deals_done[1]
    assert (second["number"], second["attempt"], second["first"]) == (1, 2, void["first"])
    assert second["hands"] != void["hands"]


def test_3_1_deals_and_attempts_have_shuffles_of_their_own():
    rules = PRESETS["lianzhong-simple"]
    seen = {deal(rules, KEY, n, a, 0).hands for n in (1, 2, 11) for a in (1, 2, 11)}
    assert len(seen) == 9
