"""Where chance comes from: a draw is handed in, nothing here makes its own.

`Lots` is what `Draw` of contract.md section 3 offers. Annealing needs millions of numbers, so it
expands 32 drawn bytes: block i is the first 65,536 bytes of SHAKE-256(seed || u64be(i)), read as
big-endian 64-bit words in order. Everything made from it can be made again from the
tournament's secret, in any language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import shake_256
from itertools import count
from struct import unpack
from typing import Any, Protocol

LOT = "standings/lot"
"""Context of the draws for the tie-break `lot`."""
SEED_BYTES = 32
BLOCK_WORDS = 8192


class Lots(Protocol):
    """A source of draws: `below(m)` is uniform on 0..m-1, `shuffle` permutes a list in place."""

    def below(self, m: int, /) -> int: ...

    def shuffle(self, items: list[Any], /) -> None: ...


def lot_of(draw: Callable[[str], Lots], entry: str) -> int:
    """An entry's number for the tie-break `lot`, of 31 bits: nobody else has a part in it.

    draw: from a context to its draw. Who comes late so changes nobody's lot.
    """
    return draw(f"{LOT}/{entry}").below(2**31)


def fast(lots: Lots) -> Callable[[], int]:
    """A fast generator of 64-bit words, seeded with 32 bytes drawn from `lots`."""
    return _words(bytes(lots.below(256) for _ in range(SEED_BYTES))).__next__


def _words(seed: bytes) -> Iterator[int]:
    for block in count():
        data = shake_256(seed + block.to_bytes(8, "big")).digest(8 * BLOCK_WORDS)
        yield from unpack(f">{BLOCK_WORDS}Q", data)
