"""contract.md 1: hands, tokens, answers, and the order of `legal`."""

import pytest

from baohuang.engine.notation import NotationError, hand_text, parse_card, parse_hand

from .board import asked, plain, position, rules, say


def test_1_a_hand_is_sorted_by_rank_then_suit_then_x_g_x_e():
    cards = "E X G x 2S 2C AH TD 9S 9H 9D 9C 3C KH".split()
    assert hand_text(cards) == "3C 9C 9D 9H 9S TD KH AH 2C 2S x G X E"


def test_1_every_rank_in_order():
    ranks = "3456789TJQKA2"
    assert hand_text(rank + "H" for rank in reversed(ranks)).replace("H", "").split() == list(ranks)


@pytest.mark.parametrize("text", ["", "3C", "3C 3C 3D", "9C TD x x G X X X E", "2S x"])
def test_1_a_hand_is_read_back(text):
    assert hand_text(parse_hand(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "3D 3C", "X x", "E X", " 3C", "3C ", "3C  3D", "3c", "10C", "1C", "3X", "*", "C3", "pass",
        "3C,3D", "3C\n", None, 3, ["3C"], {}, b"3C", True, "\ud800", "3C" * 10**6,
    ],
)  # fmt: skip
def test_1_anything_else_is_no_hand(text):
    with pytest.raises(NotationError) as caught:
        parse_hand(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["", "33", "7", "XX", None, 3, [], "3C "])
def test_1_no_card(text):
    with pytest.raises(NotationError):
        parse_card(text)


def test_1_legal_pass_first_then_length_rank_and_numbers_of_jokers():
    """A lead of two ranks and both jokers, in full: X comes before x, it has fewer small jokers."""
    state = plain("7C 7D 8C x E", "9C G", "TC", "JC", "QC")
    assert list(state.legal) == [
        *("7", "8", "X", "x"),
        *("77", "7X", "7x", "8X", "8x", "xX"),
        *("77X", "77x", "7xX", "8xX"),
        "77xX",
    ]  # fmt: skip


def test_1_legal_of_an_answer_has_pass_first():
    state = say(plain("7C 7D 8C E", "9C 9D x G", "TC", "JC", "QC"), "0 77")
    assert asked(state) == (1, ["pass", "99", "9x", "xx"])


def test_1_legal_counts_the_trump_last():
    hands = ("9C 9C 9C E", "8C 8D X", "TC TD", "9C TH x X X", "JC")
    state = say(position(rules("baike"), *hands), "0 accept", "0 99", "2 pass")
    assert asked(state) == (3, ["pass", "T*", "TX", "Tx", "X*", "XX", "x*", "xX"])


def test_1_calls():
    four = "9C 9C 9C 9C 9S 9S 9S TC TC TC TC"
    state = position(rules("wuren"), four, "9S", "3C", "3D", "4C", offered=0)
    say(state, "0 accept")
    assert asked(state) == (0, ["call 9C", "call 9S", "call TC", "open 9C", "open TC"])


def test_1_jokers_are_called_as_x_and_big_x():
    state = position(rules("baike"), "x x x X X E", "X x", "3C", "3D", "4C")
    say(state, "0 accept")
    assert asked(state) == (0, ["call x", "call X"])


def test_1_marked_jokers_are_played_as_x_and_big_x():
    state = plain("7C E", "8C G", "9C", "TC", "JC")
    say(state, "0 X")
    assert (0, "X") in state.history
