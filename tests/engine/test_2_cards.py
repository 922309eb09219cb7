"""rules.md 2: the cards, their order, and where suits matter."""

from collections import Counter

import pytest

from baohuang.engine.cards import deck
from baohuang.engine.combinations import combinations_for

from .board import asked, plain, position, rules, say

NATURAL = {3: "3 4 5 6 7 8 9 T J Q K A 2".split(), 6: "6 7 8 9 T J Q K A 2".split()}


@pytest.mark.parametrize(("low_rank", "cards"), [(3, 216), (6, 168)])
def test_2_four_packs(low_rank, cards):
    whole = deck(low_rank, guard_card=False, aside=False)
    assert len(whole) == cards
    natural = Counter(card for card in whole if len(card) == 2)
    assert natural == Counter({r + s: 4 for r in NATURAL[low_rank] for s in "CDHS"})


@pytest.mark.parametrize("low_rank", [3, 6])
def test_2_each_deck_has_four_big_and_four_small_jokers(low_rank):
    jokers = Counter(c for c in deck(low_rank, guard_card=True, aside=False) if len(c) == 1)
    assert jokers == {"x": 3, "G": 1, "X": 3, "E": 1}
    called = Counter(c for c in deck(low_rank, guard_card=False, aside=False) if len(c) == 1)
    assert called == {"x": 4, "X": 3, "E": 1}


def test_2_the_emperor_card_is_no_part_of_the_deck_when_it_is_laid_aside():
    whole = deck(3, guard_card=False, aside=True)
    assert len(whole) == 215
    assert Counter(whole)["X"] == 3
    assert "E" not in whole


def test_2_order_from_high_to_low():
    order = "* X x 2 A K Q J T 9 8 7 6 5 4 3".split()
    tables = combinations_for(3, True, False, False, False)
    for place, higher in enumerate(order):
        for lower in order[place + 1 :]:
            assert tables.beats(higher, lower)
            assert not tables.beats(lower, higher)
        assert not tables.beats(higher, higher)


def test_2_suits_never_matter_in_play():
    state = plain("7C 7H E", "8C 8S G", "9C", "9D", "9H")
    assert asked(state) == (0, ["7", "X", "77", "7X", "77X"])
    say(state, "0 77")
    assert "88" in state.legal


def test_2_suits_matter_to_call_a_guard():
    """Three cards of one rank in two suits are not alike; three of one suit are."""
    mixed = ("9C 9C 9D TC TC TD E", "4C", "4C", "4C", "4D")
    assert position(rules("biesan"), *mixed).result == "redeal"  # nobody can call
    alike = ("9C 9C 9C TC TC TD E", "4C", "4C", "4C", "9C")
    state = say(position(rules("biesan"), *alike), "0 accept")
    assert state.called == "9C"  # the only call, so it was not asked


def test_2_marked_cards_play_as_plain_jokers():
    state = plain("7C E", "8C G", "9C X", "9D x", "9H")
    assert asked(state) == (0, ["7", "X", "7X"])
    say(state, "0 7")
    assert asked(state) == (1, ["pass", "8", "x"])
