"""Dealing: from a key and a deal's number to five hands (rules.md 3.1, contract.md section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .cards import SEATS, Card, deck
from .draw import Draw
from .rules import RuleSet


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards as dealt, before tribute: `hands` by seat, unsorted.

    `aside` is `E` where the emperor card was laid aside, else None. `offered` is the seat that
    would be offered the throne first: the holder of the emperor card, or the drawn seat.
    """

    hands: tuple[tuple[Card, ...], ...]
    aside: Card | None
    offered: int


def deal(rules: RuleSet, key: bytes, number: int, attempt: int, first: int) -> Dealt:
    """Deal number `number` (1, 2, …), shuffle `attempt` (1, 2, …), dealt from seat `first`."""
    context = f"deal/{number}/{attempt}"
    cards = list(_deck(rules.low_rank, rules.guard == "marked", rules.aside))
    Draw(key, context).shuffle(cards)
    hands = tuple(tuple(cards[(seat - first) % SEATS :: SEATS]) for seat in range(SEATS))
    if rules.aside:
        return Dealt(hands, "E", Draw(key, context + "/throne").below(SEATS))
    return Dealt(hands, None, (first + cards.index("E")) % SEATS)


def first_offered(hands: Sequence[Sequence[Card]], drawn: int) -> int:
    """Who is offered the throne first: who holds the emperor card, which tribute may have moved.

    Where it lies aside: the `drawn` seat (rules.md 3.2).
    """
    return next((seat for seat, hand in enumerate(hands) if "E" in hand), drawn)


@lru_cache(maxsize=16)
def _deck(low_rank: int, guard_card: bool, aside: bool) -> tuple[Card, ...]:
    return tuple(deck(low_rank, guard_card=guard_card, aside=aside))
