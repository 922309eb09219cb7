"""Cards, suits and packs (rules.md section 2).

A card is a short string in contract.md's notation: `9C` (rank and suit), `x` small joker, `X` big
joker, `G` the marked small joker (guard card), `E` the emperor card: a big joker, marked or laid
aside.
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "3456789TJQKA2"
SUITS = "CDHS"
PACKS = 4
SEATS = 5
JOKERS = ("x", "G", "X", "E")
SMALL = frozenset("xG")
BIG = frozenset("XE")
MARKED = {"G": "x", "E": "X"}  # a marked joker plays as a plain one

Card = str

_SUITED = tuple(rank + suit for rank in RANKS for suit in SUITS)
ORDER: dict[Card, int] = {card: index for index, card in enumerate((*_SUITED, *JOKERS))}
"""Sort key of a hand: low to high, then C D H S; then x G X E (contract.md section 1)."""


def rank_of(card: Card) -> str:
    """The rank in play: a natural rank, `x` (also for `G`) or `X` (also for `E`)."""
    if card in SMALL:
        return "x"
    if card in BIG:
        return "X"
    return card[0]


def kind_of(card: Card) -> Card:
    """What "alike" means when a guard is called: rank and suit; marked jokers count as plain."""
    return MARKED.get(card, card)


def ranks_from(low_rank: int) -> str:
    """The natural ranks of a deck whose lowest rank is `low_rank` (3 or 6), low to high."""
    return RANKS[RANKS.index(str(low_rank)) :]


def deck(low_rank: int, *, guard_card: bool, aside: bool) -> list[Card]:
    """The deck before the shuffle, in contract.md's order (section 3).

    216 cards from the threes, 168 from the sixes; one fewer when the emperor card is laid aside.
    """
    natural = [rank + suit for _ in range(PACKS) for rank in ranks_from(low_rank) for suit in SUITS]
    small = ["G" if guard_card else "x", "x", "x", "x"]
    big = ["X", "X", "X"] if aside else ["E", "X", "X", "X"]
    return natural + small + big


def sort_hand(cards: Iterable[Card]) -> list[Card]:
    """The cards in the order in which a hand is written."""
    return sorted(cards, key=ORDER.__getitem__)


HEIGHT: dict[Card, tuple[int, int]] = {
    card: (-(len(RANKS) + (card in BIG)), index)
    if card in MARKED or card in "xX"
    else (-(index // len(SUITS)), index)
    for card, index in ORDER.items()
}
"""Sort key from the highest card to the lowest; among equals the lowest suit first.

The first number alone says which cards are equal. Plain jokers come before marked ones (rules.md 5:
"Equal cards: lowest suit first").
"""

by_height = HEIGHT.__getitem__
