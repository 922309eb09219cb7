"""Playing locally: one deal to step through, or a whole match between house bots."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from .bots.protocol import Bot
from .deal import deal
from .draw import Draw
from .match import Match
from .rules import RuleSet
from .state import DealState


def new_deal(
    rules: RuleSet, key: bytes, number: int = 1, attempt: int = 1, first: int = 0
) -> DealState:
    """A deal at its first question, as `key` (32 bytes) deals it (rules.md 3.1).

    `number` (1, 2, …) is the deal's number, `attempt` (1, 2, …) its shuffle, `first` (0 to 4) the
    seat that is dealt first. Without tribute, which hangs on a deal before. ValueError for a key
    of another length.
    """
    dealt = deal(rules, key, number, attempt, first)
    return DealState(rules, dealt.hands, dealt.offered)


def bots_key(key: bytes) -> bytes:
    """The key of the house bots' own draws in a match; it tells nothing about the cards."""
    return hashlib.sha256(b"bots-v1\0" + key).digest()


def play_match(rules: RuleSet, key: bytes, deals: int, bots: Sequence[Bot]) -> Match:
    """A match of `deals` deals between five bots, by seat; `key` (32 bytes) deals the cards.

    The same arguments give the same match. IllegalAnswer where a bot says what is not legal.
    """
    match = Match(rules, key, deals)
    seed = bots_key(key)
    while not match.over:
        lots = Draw(seed, f"bot/{match.turn}")
        match.answer(bots[match.seat].choose(match.look(), lots))
    return match
