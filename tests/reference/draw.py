"""draw-v1 (contract.md 3): every random number of a match from its key."""

import hashlib
import hmac
import struct
from collections.abc import Iterator


def words(key: bytes, ctx: str) -> Iterator[int]:
    """The u32 words of block 0, block 1, … without end."""
    name = ctx.encode()
    block = 0
    while True:
        text = b"draw-v1\0" + struct.pack(">H", len(name)) + name + b"\0" + struct.pack(">Q", block)
        yield from struct.unpack(">8I", hmac.new(key, text, hashlib.sha256).digest())
        block += 1


def below(stream: Iterator[int], m: int) -> int:
    """A fair number from 0 to m-1."""
    if m == 1:
        return 0
    limit = 2**32 - 2**32 % m
    for word in stream:
        if word < limit:
            return word % m
    raise AssertionError("the stream has no end")


def shuffle(stream: Iterator[int], cards: list[str]) -> list[str]:
    cards = list(cards)
    for i in range(len(cards) - 1, 0, -1):
        j = below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def commitment(key: bytes) -> str:
    return hashlib.sha256(b"commit-v1\0" + key).hexdigest()
