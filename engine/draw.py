"""Draws that anybody can repeat: `draw-v1` of contract.md section 3.

A stream of 32-bit words comes from HMAC-SHA256 over a context, so that a deal needs only its key
and its context, in any programming language, and can be proved afterwards against a commitment.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import MutableSequence
from operator import mod
from typing import TypeVar

T = TypeVar("T")

WORDS_A_BLOCK = 8
_SPAN = 1 << 32
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
KEY_BYTES = 32


class Draw:
    """The draws of one context under one key.

    `key` is 32 bytes, `ctx` ASCII of at most 65,535 characters. A `Draw` is used up as it is read:
    two of the same key and context give the same numbers.
    """

    __slots__ = ("_at", "_blocks", "_inner", "_outer", "_words")

    def __init__(self, key: bytes, ctx: str) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a draw's key has {KEY_BYTES} bytes, this one has {len(key)}")
        context = ctx.encode("ascii")
        block = key.ljust(64, b"\0")
        prefix = b"draw-v1\0" + struct.pack(">H", len(context)) + context + b"\0"
        self._inner = hashlib.sha256(block.translate(_INNER) + prefix)
        self._outer = hashlib.sha256(block.translate(_OUTER))
        self._words: tuple[int, ...] = ()
        self._at = 0
        self._blocks = 0

    def _block(self, number: int) -> bytes:
        # HMAC by hand: the padded key and the prefix are hashed once, not once a block.
        inner = self._inner.copy()
        inner.update(number.to_bytes(8, "big"))
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def _reach(self, count: int) -> None:
        """Have at least `count` words that are not yet taken."""
        missing = self._at + count - len(self._words)
        if missing > 0:
            first, blocks = self._blocks, -(-missing // WORDS_A_BLOCK)
            data = b"".join(map(self._block, range(first, first + blocks)))
            fresh = struct.unpack(f">{WORDS_A_BLOCK * blocks}I", data)
            self._words = self._words[self._at :] + fresh
            self._at = 0
            self._blocks += blocks

    def below(self, m: int) -> int:
        """A number from 0 to m - 1, each equally likely; m = 1 takes no word. 1 <= m <= 2**32."""
        if m == 1:
            return 0
        if not 1 < m <= _SPAN:
            raise ValueError(f"below({m}): m must be from 1 to 2**32")
        limit = _SPAN - _SPAN % m
        while True:
            self._reach(1)
            word = self._words[self._at]
            self._at += 1
            if word < limit:
                return word % m

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put `items` in a random order, in place (Fisher and Yates, from the end)."""
        steps = range(len(items) - 1, 0, -1)
        self._reach(len(steps))
        words = self._words[self._at :]
        if words and max(words) >= _SPAN - len(items):  # some word may have to be refused
            others = map(self.below, range(len(items), 1, -1))
        else:
            self._at += len(steps)
            others = map(mod, words, range(len(items), 1, -1))
        for place, other in zip(steps, others, strict=False):
            items[place], items[other] = items[other], items[place]

    def choice(self, items: tuple[T, ...]) -> T:
        """One of `items`, each equally likely."""
        return items[self.below(len(items))]


def commitment(secret: bytes) -> str:
    """What is published before the draw, in hex: it fixes `secret` without showing it."""
    return hashlib.sha256(b"commit-v1\0" + secret).hexdigest()


def match_key(secret: bytes, board: str) -> bytes:
    """The key of a board under a tournament's secret; equal boards have equal deals (duplicate)."""
    return hmac.digest(secret, b"match-v1\0" + board.encode(), "sha256")


def seats_key(secret: bytes, entrants_hash: bytes) -> bytes:
    """The key of table draws and seat lots, bound to the frozen list of entrants."""
    return hmac.digest(secret, b"seats-v1\0" + entrants_hash, "sha256")
