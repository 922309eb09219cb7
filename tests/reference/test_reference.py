"""The reference itself, by vectors and by what rules.md and the sources print."""

import json
from itertools import combinations, product
from pathlib import Path

import pytest

from .cards import deck, in_order
from .draw import below, commitment, shuffle, words
from .match import dealer
from .plays import beats, bundles, follows, leads, sets
from .score import guard_points
from .tribute import Debt, pay

PLAIN = bundles({"roast": False, "three_twos": False})
ROAST = bundles({"roast": True, "three_twos": False})
TWOS = bundles({"roast": False, "three_twos": True})
NO_EXTRAS = {"roast": False, "three_twos": False, "hold_back": False, "low_rank": 6}


@pytest.mark.parametrize(
    "pair",
    [
        *("8888 7777", "Xxxx AAAA", "x777 6666", "X6666 x5555", "XXJJJ xx999", "XXXJJ xx999"),
        *("x77 666", "X x", "* X", "2 A"),
    ],
)
def test_3_6_every_card_higher_than_the_one_opposite(pair: str) -> None:
    play, other = map(low_first, pair.split())
    assert beats(play, other, PLAIN)
    assert not beats(other, play, PLAIN)


@pytest.mark.parametrize("pair", ["9999 x888", "x66 666", "6 6", "88 7", "XX X", "Xx X", "222 X"])
def test_3_6_what_does_not_beat(pair: str) -> None:
    assert not beats(*map(low_first, pair.split()), PLAIN)


def test_3_6_roast_has_exactly_the_nine_pairs_of_the_source() -> None:
    """Joker-only pairs within 4 + 4 jokers that need the bundles (S0)."""
    found = {
        (play, other)
        for a, b, c, d in product(range(5), repeat=4)
        if a + b and c + d and a + c <= 4 and b + d <= 4
        for play, other in [("x" * a + "X" * b, "x" * c + "X" * d)]
        if beats(play, other, ROAST) and not beats(play, other, PLAIN)
    }
    nine = "XX>X xx>x xxx>X XXxx>Xx XXxxx>XX XXX>Xx Xxx>xx Xxxx>Xx XXXxx>Xxx".split()
    assert found == {tuple(map(low_first, pair.split(">"))) for pair in nine}


@pytest.mark.parametrize("pair", ["XX8888 X7777", "XXXx88 Xx777", "xx8 x7", "xxx8 X7"])
def test_3_6_roast_in_mixed_plays(pair: str) -> None:
    assert beats(*map(low_first, pair.split()), ROAST)


def test_3_6_three_twos_answer_one_big_joker() -> None:
    assert beats("222", "X", TWOS)
    assert beats("2222", "7X", TWOS)
    assert not beats("222", "x", TWOS)
    assert not beats("222222", "*X", TWOS)


def test_3_6_a_hand_lists_all_its_sets_in_the_order_of_the_contract() -> None:
    assert sets(list("776xX")) == ("6 7 X x 6X 6x 77 7X 7x xX 6xX 77X 77x 7xX 77xX".split())


def test_3_6_the_lowest_rank_waits_for_the_last_play() -> None:
    held = NO_EXTRAS | {"hold_back": True}
    assert leads(list("667"), held) == ["7"]
    assert leads(list("66x"), held) == ["x", "66x"]
    assert follows(list("667"), "6", held) == ["pass", "7"]


def test_4_the_printed_table_of_s3() -> None:
    printed = {12: 3, 13: 2, 14: 1, 15: 0, 23: 1, 24: 0, 25: -1, 34: -1, 35: -2, 45: -3}
    for e, g in combinations(range(1, 6), 2):
        assert (
            guard_points("jingji", e, g) == guard_points("lianzhong", g, e) == printed[10 * e + g]
        )
        assert guard_points("wuren", e, g) == printed[10 * e + g]


HANDS = ["3C 2S X", "3D 2C 2D", "4C 2H", "5C 2C", "6C AS"]
DEBTS = [
    # 2 beats 3: rebels 0, 1, 4 give X, 2C, AS; the guard gets the middle one
    (Debt(2, 3, None, [3, 4, 1, 2, 5], 1), [(0, 2, "X"), (1, 3, "2C"), (4, 2, "AS")]),
    # emperor 1 gives two, guard 0 one; 3 went out first, then 4, then 2
    (Debt(1, 0, None, [5, 4, 3, 1, 2], -1), [(0, 3, "X"), (1, 4, "2C"), (1, 2, "2D")]),
    # the guard's 2H is equal to the emperor's twos: counted from the emperor it comes last
    (Debt(1, 2, None, [2, 5, 4, 1, 3], -1), [(1, 3, "2C"), (1, 0, "2D"), (2, 4, "2H")]),
    # a solo is won: one from each, counted from the emperor
    (
        Debt(4, None, "hidden", [2, 3, 4, 5, 1], 1),
        [(0, 4, "X"), (1, 4, "2C"), (2, 4, "2H"), (3, 4, "2C")],
    ),
    (Debt(4, None, "hidden", [2, 3, 4, 5, 1], 0), []),
    (None, []),
]


@pytest.mark.parametrize(("debt", "paid"), DEBTS)
def test_5_tribute_by_hand(debt: Debt | None, paid: list[tuple[int, int, str]]) -> None:
    hands = [hand.split() for hand in HANDS]
    found = pay(hands, debt, {"tribute": True, "tribute_jokers": True})
    assert found == paid
    whole = sorted(card for hand in hands for card in hand)
    assert whole == sorted(" ".join(HANDS).split())


def test_5_without_jokers_the_highest_other_card_is_given() -> None:
    hands = [hand.split() for hand in HANDS]
    debt = Debt(2, 3, None, [3, 4, 1, 2, 5], 1)
    found = pay(hands, debt, {"tribute": True, "tribute_jokers": False})
    assert found == [(0, 2, "2S"), (1, 3, "2C"), (4, 2, "AS")]


def test_2_the_decks() -> None:
    sizes = {
        (low, aside): len(deck({"low_rank": low, "guard": "called", "aside": aside}))
        for low, aside in product((3, 6), (False, True))
    }
    assert sizes == {(3, False): 216, (3, True): 215, (6, False): 168, (6, True): 167}
    assert deck({"low_rank": 6, "guard": "marked", "aside": False}).count("G") == 1


VECTORS = Path(__file__).parent.parent / "engine" / "data" / "draw.json"


@pytest.mark.skipif(not VECTORS.exists(), reason="the vectors are not in this checkout")
def test_contract_3_the_vectors_of_draw_v1() -> None:
    vectors = json.loads(VECTORS.read_text())
    for vector in vectors["below"]:
        stream = words(bytes.fromhex(vector["key"]), vector["ctx"])
        assert [below(stream, m) for m in vector["m"]] == vector["values"]
    for vector in vectors["commitments"]:
        assert commitment(bytes.fromhex(vector["key"])) == vector["commitment"]
    low = {"lianzhong-classic": 6, "lianzhong-simple": 6, "jingji": 6}
    for vector in vectors["deals"]:
        preset = vector["preset"]
        marked = preset in ("lianzhong-simple", "jingji")
        options = {
            "low_rank": low.get(preset, 3),
            "guard": "marked" if marked else "called",
            "aside": preset == "wuren",
        }
        deal_out = dealer(options, bytes.fromhex(vector["key"]))
        hands, drawn = deal_out(vector["number"], vector["attempt"], vector["first"])
        assert [" ".join(in_order(hand)) for hand in hands] == vector["hands"]
        assert drawn == vector.get("offered")


def test_contract_3_a_shuffle_loses_no_card() -> None:
    cards = [str(n) for n in range(50)]
    assert sorted(shuffle(words(bytes(32), "here"), cards)) == sorted(cards)


def low_first(play: str) -> str:
    """Naturals, then x, X, *: as plays are written."""
    return "".join(sorted(play, key="3456789TJQKA2xX*".index))
