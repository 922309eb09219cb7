"""Views as arrays: what is where, for one position by hand, and laws for all."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from baohuang.engine import PRESETS, DealState, View, new_deal, sample_state
from baohuang.engine.deal import deal
from baohuang.engine.view import view_json
from baohuang.learn import PLANES, encode, rows, shape

from ..engine.board import position, rules, say
from ..engine.strategies import keys, law, rule_sets, seeds
from ..engine.test_sampling import lots_of
from ..engine.walk import key_of, random_walk

TABLE = Path(__file__).parents[2] / "learn" / "README.md"


def plane(array, name):
    """The rows of one plane without the columns that are 0: {(row, column): number}."""
    part = array[rows(name)]
    return {(int(r), int(c)): int(part[r, c]) for r, c in zip(*part.nonzero(), strict=True)}


def test_a_position_by_hand():
    """Seat 2, a rebel, is asked to beat 77; columns 6 7 8 9 T J Q K A 2 x X *; seat 1 is emperor,
    seat 3 has rebelled, seat 4 (the guard, nobody knows) led nothing yet and passed."""
    hands = ("9C 9D JC", "6C 7C 7D 7H E", "8C 8C QD x", "TC TD", "3C G")
    hands = (*hands[:4], "6C 6D G")
    state = say(
        position(rules("lianzhong-simple"), *hands),
        *("1 accept", "2 silent", "3 rebel", "4 silent", "0 silent", "2 silent", "4 silent"),
        *("0 silent", "1 77"),
    )
    array = encode(state.rules, View(state, 2))
    assert (array.shape, array.dtype) == ((34, 13), np.int8)
    assert plane(array, "hand") == {(0, 2): 2, (0, 6): 1, (0, 10): 1}
    assert plane(array, "suits") == {(0, 2): 2, (1, 6): 1, (0, 10): 1}
    assert plane(array, "called") == {}
    assert plane(array, "laid") == {(4, 1): 2}  # seat 1 is four places after seat 2
    assert plane(array, "last") == {(4, 1): 2}
    assert plane(array, "to_beat") == {(0, 1): 2}
    unseen = {(0, rank): 16 for rank in range(10)} | {(0, 10): 4, (0, 11): 4}
    unseen |= {(0, 1): 14, (0, 2): 14, (0, 6): 15, (0, 10): 3}
    assert plane(array, "unseen") == unseen
    assert plane(array, "sizes") == {(0, 0): 4, (0, 1): 2, (0, 2): 3, (0, 3): 3, (0, 4): 3}
    assert plane(array, "emperor") == plane(array, "throne") == {(0, 4): 1}
    assert plane(array, "leader") == plane(array, "by") == {(0, 4): 1}
    assert plane(array, "rebels") == {(0, 1): 1}
    # Asked twice, since a first rebel stood up: seats 2, 4 and 0.
    assert plane(array, "silent") == {(0, 0): 2, (0, 2): 2, (0, 3): 2}
    for name in ("places", "guard", "refused", "kicked", "passed"):
        assert plane(array, name) == {}, name
    assert plane(array, "flags") == {(0, 5): 1, (0, 8): 1, (0, 11): 1}  # play, rebel, factor 1


def test_marked_cards_a_call_a_trump_and_places_by_hand():
    """Columns 3 4 … 2 x X *, 16 of them; seat 0 calls 9H, seat 3 lays it as the trump."""
    hands = ("9H 9H 9H 3C E", "3C 4C", "3D 5C", "9H KC X", "3S 6C")
    quiet = rules("biesan", open_guard=False, rebellion=False, kick=False, hold_back=False)
    state = say(position(quiet, *hands), "0 accept")  # one call only: it is not asked
    own = encode(quiet, View(state, 0))
    assert plane(own, "suits") == {(0, 0): 1, (2, 6): 3, (1, 14): 1}
    assert plane(own, "called") == {(2, 6): 1}
    say(state, "0 3", "1 4", "2 5", "3 *")
    array = encode(quiet, View(state, 4))
    assert state.seat == 3  # the others could only pass
    assert plane(array, "laid") == {(1, 0): 1, (2, 1): 1, (3, 2): 1, (4, 15): 1}
    assert plane(array, "last") == {(4, 15): 1}  # the others have passed since
    assert plane(array, "guard") == plane(array, "leader") == {(0, 4): 1}
    assert plane(array, "unseen")[0, 6] == 15  # the trump is a nine
    say(state, "3 X")  # then his king, his last card, which the emperor card beats
    array = encode(quiet, View(state, 4))
    assert plane(array, "places") == {(0, 4): 1}
    assert plane(array, "to_beat") == {(0, 10): 1}


def test_the_table_in_the_readme_is_the_table_in_the_code():
    told = re.findall(
        r"^\| `(\w+)` \| (\d+)(?: to (\d+))? \| (.+) \|$", TABLE.read_text(), re.MULTILINE
    )
    found = [(name, int(first), int(last or first) + 1, text) for name, first, last, text in told]
    assert found == [
        (plane.name, rows(plane.name).start, rows(plane.name).stop, plane.meaning)
        for plane in PLANES
    ]


@given(rule_sets(), keys, seeds)
@law(30)
def test_every_view_of_every_question_has_the_one_shape(ruleset, key, seed):
    """And every card is in a hand, laid or unseen: 16 of a rank, four of a joker."""
    for state in random_walk(new_deal(ruleset, key), seed):
        for seat in range(5) if len(state.history) % 8 == 0 else [max(state.seat, 0)]:
            array = encode(ruleset, View(state, seat))
            assert (array.shape, array.dtype) == (shape(ruleset), np.int8)
            assert array.min() >= 0
            cards = array[rows("hand")].sum(0) + array[rows("unseen")].sum(0)
            cards += array[rows("laid")].sum(0)
            if state.called:
                cards[array[rows("called")].sum(0).argmax()] += cards[-1]
                cards[-1] = 0
            assert cards.tolist() == [16] * (len(cards) - 3) + [4, 4, 0]


@pytest.mark.parametrize("preset", PRESETS)
def test_shapes_of_the_presets(preset):
    """34 rows; thirteen ranks, or ten, and three kinds of jokers."""
    low = {"wuren", "baike", "biesan"}
    assert shape(PRESETS[preset]) == (34, 16 if preset in low else 13)


@given(rule_sets(), keys, seeds)
@law(10)
def test_the_array_depends_on_the_view_alone(ruleset, key, seed):
    """Text from the wire, a lazy view, and the view in another deal that looks the same."""
    for state in random_walk(new_deal(ruleset, key), seed):
        if state.result is None and len(state.history) % 8 == 0:
            view = View(state, state.seat)
            array = encode(ruleset, view)
            assert (encode(ruleset, json.loads(json.dumps(view_json(view)))) == array).all()
            other = sample_state(ruleset, view, lots_of(seed))
            assert (encode(ruleset, View(other, other.seat)) == array).all()


@given(rule_sets(), keys, seeds)
@law(10)
def test_a_table_turned_round_looks_the_same(ruleset, key, seed):
    """What holds in one seat holds in all: seats are counted from the one that looks."""
    dealt, turn = deal(ruleset, key, 1, 1, 0), 1 + seed % 4
    here = DealState(ruleset, dealt.hands, dealt.offered)
    turned = dealt.hands[-turn:] + dealt.hands[:-turn]
    there = DealState(ruleset, turned, (dealt.offered + turn) % 5)
    lots = lots_of(key_of(seed))
    while here.result is None:
        for seat in range(5):
            array = encode(ruleset, View(here, seat))
            assert (encode(ruleset, View(there, (seat + turn) % 5)) == array).all()
        answer = lots.choice(here.legal)
        here.apply(answer)
        there.apply(answer)
    assert there.result == here.result
