"""Answers as numbers: dense, both ways, and a mask that says exactly what is legal."""

import numpy as np
import pytest
from hypothesis import given

from baohuang.engine import PRESETS, new_deal
from baohuang.learn import Answers, answers

from ..engine.strategies import keys, law, rule_sets, seeds
from ..engine.walk import random_walk


@pytest.mark.parametrize(
    ("preset", "words", "plays"),
    [
        # throne 2, grab 2 and open, 40 calls, silent, pass; 10 ranks x 16 x 25 joker sets + 24
        ("lianzhong-classic", 2 + 3 + 40 + 1, 4024),
        # throne 2, hidden, open, silent, rebel, pass
        ("lianzhong-simple", 7, 4024),
        # throne 2, 48 cards to call or open with four, pass; 13 ranks
        ("wuren", 2 + 96 + 1, 5224),
        # throne 2, 52 cards and two jokers, pass; 50 joker sets with the trump
        ("baike", 2 + 54 + 1, 10449),
        # throne 2, 52 cards, open, silent, rebel, kick, pass
        ("biesan", 2 + 52 + 5, 10449),
        ("jingji", 7, 4024),
    ],
)
def test_how_many_there_are(preset, words, plays):
    assert len(answers(PRESETS[preset])) == words + plays


def test_numbers_begin_with_the_words_and_end_with_the_largest_play():
    """By hand, in the order of contract.md 1."""
    numbers = answers(PRESETS["jingji"])
    first = ["accept", "yield", "hidden", "open", "silent", "rebel", "pass", "6", "7", "8"]
    assert [numbers.text(number) for number in range(10)] == first
    assert numbers.text(len(numbers) - 1) == "2" * 16 + "xxxxXXXX"
    assert numbers.id("pass") == 6


@given(rule_sets())
@law(30)
def test_numbers_and_answers_are_the_same_both_ways(ruleset):
    numbers = Answers(ruleset)
    assert [numbers.id(text) for text in numbers.texts] == list(range(len(numbers)))
    assert list(map(numbers.text, range(len(numbers)))) == list(numbers.texts)
    assert numbers.texts == answers(ruleset).texts


@given(rule_sets(), keys, seeds)
@law(30)
def test_the_mask_is_exactly_what_is_legal(ruleset, key, seed):
    numbers = answers(ruleset)
    for state in random_walk(new_deal(ruleset, key), seed):
        mask = numbers.mask(state.legal)
        assert (mask.shape, mask.dtype) == ((len(numbers),), np.int8)
        assert int(mask.sum()) == len(state.legal)
        assert {numbers.text(int(number)) for number in mask.nonzero()[0]} == set(state.legal)


@pytest.mark.parametrize("answer", ["", "call 9C", "grab", "3", "77*", "PASS"])
def test_what_is_never_legal_has_no_number(answer):
    with pytest.raises(ValueError, match="no answer under these rules"):
        answers(PRESETS["lianzhong-simple"]).id(answer)


@pytest.mark.parametrize("number", [-1, 4031])
def test_a_number_outside_the_range_is_refused(number):
    with pytest.raises(ValueError, match="numbered 0 to 4030"):
        answers(PRESETS["lianzhong-simple"]).text(number)
