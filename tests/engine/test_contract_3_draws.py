"""contract.md 3: draw-v1, against vectors that a second implementation made."""

import hashlib
import hmac
import json
import struct
from itertools import count, islice
from pathlib import Path

import pytest

from baohuang.engine import PRESETS, Draw
from baohuang.engine.cards import deck
from baohuang.engine.deal import deal
from baohuang.engine.draw import commitment, match_key, seats_key
from baohuang.engine.notation import hand_text

VECTORS = json.loads((Path(__file__).parent / "data" / "draw.json").read_text("utf-8"))


def words(key, ctx):
    """The stream as contract.md writes it down, with the hmac module."""
    for i in count():
        text = b"draw-v1" + b"\0" + struct.pack(">H", len(ctx)) + ctx.encode() + b"\0"
        block = hmac.new(key, text + struct.pack(">Q", i), hashlib.sha256).digest()
        yield from struct.unpack(">8I", block)


def stands_at(draw, key, ctx, used):
    """Whether the next word that `draw` takes is number `used` (from 0) of the stream."""
    expected = next(islice(words(key, ctx), used, None))
    return draw.below(2**32) == expected


@pytest.mark.parametrize("vector", VECTORS["below"])
def test_3_below(vector):
    key = bytes.fromhex(vector["key"])
    draw = Draw(key, vector["ctx"])
    assert [draw.below(m) for m in vector["m"]] == vector["values"]
    assert stands_at(draw, key, vector["ctx"], vector["words_used"])


@pytest.mark.parametrize("vector", VECTORS["shuffle"])
def test_3_shuffle(vector):
    key = bytes.fromhex(vector["key"])
    draw, items = Draw(key, vector["ctx"]), list(range(vector["n"]))
    draw.shuffle(items)
    assert items == vector["order"]
    assert stands_at(draw, key, vector["ctx"], vector["words_used"])


@pytest.mark.parametrize("vector", VECTORS["deals"])
def test_3_deals(vector):
    dealt = deal(
        PRESETS[vector["preset"]],
        bytes.fromhex(vector["key"]),
        vector["number"],
        vector["attempt"],
        vector["first"],
    )
    assert [hand_text(hand) for hand in dealt.hands] == vector["hands"]
    if "offered" in vector:
        assert dealt.offered == vector["offered"]


@pytest.mark.parametrize("vector", VECTORS["commitments"])
def test_3_commitments_and_keys_of_boards(vector):
    key = bytes.fromhex(vector["key"])
    assert commitment(key) == vector["commitment"]
    assert match_key(key, "B7").hex() == vector["match_key_for_board_B7"]


def test_3_wuren_offers_by_a_draw_of_its_own_context():
    key = bytes(range(32))
    for number, attempt in ((1, 1), (3, 2), (10, 1)):
        ctx = f"deal/{number}/{attempt}/throne"
        limit = 2**32 - 2**32 % 5
        word = next(word for word in words(key, ctx) if word < limit)
        assert deal(PRESETS["wuren"], key, number, attempt, 0).offered == word % 5


def test_3_seats_key():
    expected = hmac.new(b"s" * 32, b"seats-v1\0" + b"hash", hashlib.sha256).digest()
    assert seats_key(b"s" * 32, b"hash") == expected


def test_3_commitment():
    assert commitment(b"k" * 32) == hashlib.sha256(b"commit-v1\0" + b"k" * 32).hexdigest()


# -- edges --------------------------------------------------------------------------------------


def test_3_below_one_takes_no_word():
    draw = Draw(bytes(32), "edge")
    assert [draw.below(1) for _ in range(5)] == [0] * 5
    assert stands_at(draw, bytes(32), "edge", 0)


def test_3_below_refuses_words_that_would_favour_low_numbers():
    """m = 2**31 + 1: every word from there on is refused, which is almost every second one."""
    m, key = 2**31 + 1, b"e" * 32
    draw, stream, used = Draw(key, "edge"), words(key, "edge"), 0
    for _ in range(50):
        expected = m
        while expected >= m:
            expected, used = next(stream), used + 1
        assert draw.below(m) == expected
    assert used > 70
    assert stands_at(draw, key, "edge", used)


@pytest.mark.parametrize("m", [0, -1, 2**32 + 1])
def test_3_below_of_no_number(m):
    with pytest.raises(ValueError, match="below"):
        Draw(bytes(32), "edge").below(m)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_3_a_key_has_32_bytes(length):
    with pytest.raises(ValueError, match="32 bytes"):
        Draw(bytes(length), "edge")


@pytest.mark.parametrize("length", [0, 1, 2, 7, 8, 9, 33, 217, 1000])
def test_3_shuffle_by_the_contracts_own_words(length):
    key = b"q" * 32
    stream, expected = words(key, "edge"), list(range(length))
    for i in range(length - 1, 0, -1):
        limit = 2**32 - 2**32 % (i + 1)
        word = next(word for word in stream if word < limit)
        j = word % (i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    items = list(range(length))
    Draw(key, "edge").shuffle(items)
    assert items == expected


def test_3_shuffle_refuses_words_too():
    """Of 200,000 words a few are refused; every later card would lie elsewhere otherwise."""
    key, length = b"q" * 32, 200_000
    stream, expected, refused = words(key, "edge"), list(range(length)), 0
    for i in range(length - 1, 0, -1):
        word = next(stream)
        while word >= 2**32 - 2**32 % (i + 1):
            word, refused = next(stream), refused + 1
        j = word % (i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert refused
    items = list(range(length))
    Draw(key, "edge").shuffle(items)
    assert items == expected


def test_3_shuffle_after_other_draws_goes_on_in_the_stream():
    key = b"q" * 32
    draw, items = Draw(key, "edge"), list(range(20))
    draw.below(2**32)
    draw.shuffle(items)
    assert stands_at(draw, key, "edge", 20)


def test_3_equal_boards_have_equal_deals_and_others_have_not():
    secret = b"s" * 32
    hands = {board: deal(PRESETS["jingji"], match_key(secret, board), 1, 1, 0).hands
             for board in ("B1", "B2", "b1")}  # fmt: skip
    assert len(set(hands.values())) == 3
    assert deal(PRESETS["jingji"], match_key(secret, "B1"), 1, 1, 0).hands == hands["B1"]


# -- the deck before the shuffle ------------------------------------------------------------------


def test_3_deck_before_the_shuffle():
    """Packs, ranks from low to 2, suits C D H S; then small jokers, then big ones."""
    cards = deck(6, guard_card=True, aside=False)
    assert cards[:6] == ["6C", "6D", "6H", "6S", "7C", "7D"]
    assert cards[36:42] == ["2C", "2D", "2H", "2S", "6C", "6D"]
    assert cards[160:] == ["G", "x", "x", "x", "E", "X", "X", "X"]
    called = deck(3, guard_card=False, aside=False)
    assert called[:2] + called[51:53] == ["3C", "3D", "2S", "3C"]
    assert called[208:] == ["x", "x", "x", "x", "E", "X", "X", "X"]
    assert deck(3, guard_card=False, aside=True)[208:] == ["x", "x", "x", "x", "X", "X", "X"]


def test_3_card_k_goes_to_seat_first_plus_k():
    ruleset, key = PRESETS["lianzhong-simple"], b"z" * 32
    cards = deck(6, guard_card=True, aside=False)
    Draw(key, "deal/4/2").shuffle(cards)
    dealt = deal(ruleset, key, 4, 2, 3)
    for k, card in enumerate(cards):
        assert dealt.hands[(3 + k) % 5][k // 5] == card
