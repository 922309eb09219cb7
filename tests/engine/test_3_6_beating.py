"""rules.md 3.6: what beats what, with every example of the sources."""

from itertools import product

import pytest

from baohuang.engine import pairing
from baohuang.engine.combinations import combinations_for

from .board import asked, plain, position, rules, say

JOKERS = ["x" * s + "X" * b for s, b in product(range(5), range(5)) if s + b]


def both(play, prev, **options):
    """`beats` by the fast tables and by the search over pairings, which must agree."""
    trump = "*" in play + prev
    roast, three_twos = options.get("roast", False), options.get("three_twos", False)
    fast = combinations_for(3, trump, roast, three_twos, False).beats(play, prev)
    assert fast == pairing.beats(play, prev, roast=roast, three_twos=three_twos)
    return fast


# -- card against card ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("play", "prev"),
    [
        ("8888", "7777"),  # S0 (1), S2 (1)
        ("xxxX", "AAAA"),  # S0 (2): one big and three small jokers
        ("777x", "6666"),  # S0 (3)
        ("888x", "7777"),  # S2's third
        ("6666X", "5555x"),  # S0 (4)
        ("9999X", "7777x"),  # S2's fourth
        ("JJJXX", "999xx"),  # S1
        ("JJXXX", "999xx"),  # S1
        ("77x", "666"),
        ("X", "x"),
        ("x", "2"),
        ("2", "A"),
        ("K", "Q"),
        ("T", "9"),
        ("*", "X"),
        ("77*", "66X"),
    ],
)
def test_3_6_beats(play, prev):
    assert both(play, prev)
    assert not both(prev, play)


@pytest.mark.parametrize(
    ("play", "prev"),
    [
        ("9999", "888x"),  # S0: a plain set does not beat one with a joker in it
        ("66x", "666"),  # jokers are not wild: a six lies opposite a six
        ("666", "666"),
        ("X", "X"),
        ("x", "x"),
        ("9", "88"),  # equal number of cards
        ("999", "88"),
        ("99", "888"),
        ("77x", "66x"),  # the jokers are opposite each other
        ("77X", "66X"),
        ("77xX", "66xx"),  # X > x, but x is opposite x
        ("777x", "66xx"),
        ("22222222", "X"),  # no bombs
        ("**", "X"),
    ],
)
def test_3_6_does_not_beat(play, prev):
    if play == "**":
        with pytest.raises(KeyError):
            both(play, prev)
    else:
        assert not both(play, prev)


def test_3_6_a_set_with_a_big_joker_in_it_is_beaten_by_nothing_but_the_trump():
    tables = combinations_for(3, True, False, False, False)
    everything = tables.pack([*"3456789TJQKA2" * 16, *"xxxx", *"XXXX", "*"])
    for text, play in tables.plays.items():
        if "X" in text and "*" not in text and text.count("X") + text.count("x") < len(text):
            assert all("*" in answer for answer in tables.follow(everything, play)[1:])
    for text in ("3X", "444X", "4444X", "2xX", "XXXX", "A" * 16 + "X"):
        answers = combinations_for(3, False, False, False, False)
        hand = answers.pack([*"3456789TJQKA2" * 16, *"xxxx", *"XXXX"])
        assert answers.follow(hand, answers.plays[text]) == ("pass",)


def test_3_6_nothing_beats_the_trump():
    tables = combinations_for(3, True, False, False, False)
    everything = tables.pack([*"3456789TJQKA2" * 16, *"xxxx", *"XXXX", "*"])
    for text, play in tables.plays.items():
        if "*" in text:
            assert tables.follow(everything, play) == ("pass",)


# -- roast ----------------------------------------------------------------------------------------

NINE = [
    ("XX", "X"),
    ("xx", "x"),
    ("xxx", "X"),
    ("xxXX", "xX"),
    ("xxxXX", "XX"),
    ("XXX", "xX"),
    ("xxX", "xx"),
    ("xxxX", "xX"),
    ("xxXXX", "xxX"),
]


@pytest.mark.parametrize(("play", "prev"), NINE)
def test_3_6_roast_the_nine_lines(play, prev):
    assert both(play, prev, roast=True)
    assert not both(play, prev)


@pytest.mark.parametrize(("play", "prev"), [("8888XX", "7777X"), ("88xXXX", "777xX")])
def test_3_6_roast_the_two_worked_examples(play, prev):
    assert both(play, prev, roast=True)
    assert not both(play, prev)


@pytest.mark.parametrize(
    ("play", "prev"),
    [
        ("XXX", "X"),  # one is left over
        ("xX", "X"),  # no mixed bundle
        ("xxxx", "X"),
        ("xxxx", "x"),
        ("xx", "X"),
        ("XX", "xxx"),
        ("99xx", "888"),  # no joker in what lies there: no bundles
        ("9999", "888x"),
        ("8888XX", "8888X"),
        ("777XX", "7777X"),
    ],
)
def test_3_6_roast_does_not_beat(play, prev):
    assert not both(play, prev, roast=True)


def test_3_6_roast_exactly_nine_joker_only_pairs_need_the_bundles():
    """Of all pairs within four small and four big jokers in one deal."""
    found = [
        (play, prev)
        for play, prev in product(JOKERS, JOKERS)
        if (play + prev).count("x") <= 4 and (play + prev).count("X") <= 4
        if both(play, prev, roast=True) and not both(play, prev)
    ]
    assert sorted(found) == sorted(NINE)


def test_3_6_roast_adds_to_card_against_card_and_takes_nothing_away():
    tables = [combinations_for(6, False, roast, False, False) for roast in (False, True)]
    hand = tables[0].pack([*"6789TJQKA2" * 5, *"xxxx", *"XXXX"])
    for text in tables[0].plays:
        plain_answers, roasted = (t.follow(hand, t.plays[text]) for t in tables)
        assert set(plain_answers) <= set(roasted)
        if not set(text) & {"x", "X"}:
            assert plain_answers == roasted


def test_3_6_roast_numbers_of_cards_may_differ_in_a_deal():
    """On 7X seat 3 may answer X by XX or xxx and the seven by its queen or a joker left over."""
    state = plain("7C 7D E", "8C G", "9C x", "QC x x x X X", "JC", roast=True)
    say(state, "0 7X")
    assert asked(state) == (3, ["pass", "QXX", "xXX", "Qxxx", "xxxX"])
    # xxxX: xxx for the big joker, X for the seven. The list goes by number of cards first.


# -- three twos -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("play", "prev"),
    [
        ("222", "X"),
        ("2222", "7X"),
        ("22222", "77X"),
        ("222222", "XX"),
        ("222X", "xX"),
        ("222x", "7X"),
        ("222x", "2X"),
        ("222*", "XX"),
        ("222*", "xX"),
    ],
)
def test_3_6_three_twos_answer_a_big_joker(play, prev):
    assert both(play, prev, three_twos=True)
    if "*" not in play:
        assert not both(play, prev)


@pytest.mark.parametrize(
    ("play", "prev"),
    [
        ("222", "x"),
        ("22", "X"),
        ("2222", "X"),  # one is left over
        ("222", "xX"),
        ("222", "2"),
        ("2222", "2X"),  # a two lies opposite a two
        ("222", "*"),
        ("AAA", "X"),
        ("XX", "X"),
    ],
)
def test_3_6_three_twos_do_not_beat(play, prev):
    assert not both(play, prev, three_twos=True)


def test_3_6_three_twos_together_with_roast():
    assert both("222XX", "XX", roast=True, three_twos=True)
    assert both("222xx", "xX", roast=True, three_twos=True)
    assert not both("222xx", "xX", roast=True)
    assert not both("222xx", "xX", three_twos=True)


def test_3_6_three_twos_in_a_deal():
    """baike with the option: the lone big joker is answered by three twos or the trump."""
    hands = ("9C 9C 9C 5C E", "9C 3C", "2C 2D 2H 2S", "KC KD KH", "4D")
    state = position(rules("baike", three_twos=True), *hands)
    say(state, "0 accept", "0 X")
    assert asked(state) == (1, ["pass", "*"])
    say(state, "1 pass")
    assert asked(state) == (2, ["pass", "222"])


def test_3_6_roast_and_a_called_trump_are_never_together():
    with pytest.raises(ValueError, match="called_trump"):
        rules("baike", roast=True)
