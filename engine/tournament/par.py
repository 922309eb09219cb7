"""Par: what each hand of a board is worth, from play-outs by house bots.

The same cards are played `playouts` times by one house bot in all five seats. Now and then it
answers at random (`LOOSE` of 100), or a bot that always answers alike would play one game over and
over. What the holders of a hand made on average is its par; duplicate.py centres it in the deal.
Fix the bot and the number of play-outs before the event: par may not depend on what was played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..bots import BOTS, Bot, Lots
from ..draw import Draw
from ..match import Match
from ..rules import RuleSet
from .deals import Hand, rows
from .duplicate import averages, centred

LOOSE = 10
PAR_BOTS = ("greedy", "autoplay", "random")
"""Quick enough for hundreds of play-outs."""
PLAYOUTS = range(2, 101)

Worth = Mapping[tuple[int, int, int], Fraction]
"""By (deal, attempt, packet)."""


@dataclass(frozen=True)
class Model:
    """How a tournament works par out: `playouts` of every board by `bot` in all seats."""

    bot: str = "greedy"
    playouts: int = 20

    def work_out(self, rules: RuleSet, key: bytes, deals: int) -> Worth:
        """What the hands of a key's deals are worth, centred in each deal."""
        found = par(rules, key, deals, board="", bot=self.bot, playouts=self.playouts)
        return {hand[1:]: value for hand, value in centred(found).items()}


def par(
    rules: RuleSet, key: bytes, deals: int, *, board: str, bot: str = "greedy", playouts: int = 20
) -> dict[Hand, Fraction]:
    """The par of the hands of a board's deals; key: the board's (contract.md section 3).

    bot: a name of BOTS. Hands that only other throws of the cards gave (redeals) are there too.
    """
    found = []
    for k in range(playouts):
        match = Match(rules, key, deals)
        seed = hashlib.sha256(b"par-v1\0" + k.to_bytes(4, "big") + key).digest()
        while not match.over:
            match.answer(_answer(BOTS[bot], match.look(), Draw(seed, f"par/{match.turn}")))
        found += rows([bot] * 5, match.deals_done, match=str(k), board=board)
    return averages(found)


def _answer(bot: Bot, view: Mapping[str, Any], lots: Lots) -> str:
    legal: tuple[str, ...] = tuple(view["legal"])
    if lots.below(100) < LOOSE:
        return legal[lots.below(len(legal))]
    return bot.choose(view, lots)
