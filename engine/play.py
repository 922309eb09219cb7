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
    """A fresh deal of `key` (32 bytes), without tribute, dealt from seat `first`."""
    dealt = deal(rules, key, number, attempt, first)
    return DealState(rules, dealt.hands, dealt.offered)


def bot_lots(key: bytes, turn: int) -> Draw:
    """The randomness of the house bot that answers question `turn` of the match of `key`.

    It tells nothing about the key: a bot sees only this stream.
    """
    return Draw(hashlib.sha256(b"bots-v1\0" + key).digest(), f"bot/{turn}")


def play_match(rules: RuleSet, key: bytes, deals: int, bots: Sequence[Bot]) -> Match:
    """A whole match between five house bots; the same arguments give the same match."""
    match = Match(rules, key, deals)
    while not match.over:
        choice = bots[match.seat].choose(match.look(), bot_lots(key, match.turn))
        match.answer(choice)
    return match
