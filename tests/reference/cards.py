"""Cards as strings (contract.md 1): `9C`, `x`, `G` (guard card), `X`, `E` (emperor card).

In play a card is a token: its rank without suit; `G` is an `x`, `E` an `X`; the called trump is
`*`. A hand is a list of cards; the card that became the called trump lies in it as `*`.
"""

from collections.abc import Iterable, Mapping

RANKS = "3456789TJQKA2"
SUITS = "CDHS"
ORDER = RANKS + "xX*"  # every token, low to high
SORTED = [rank + suit for rank in RANKS for suit in SUITS] + ["x", "G", "X", "E", "*"]


def kind(card: str) -> str:
    """The card as it is called: the marked jokers are jokers like the others."""
    return {"G": "x", "E": "X"}.get(card, card)


def token(card: str) -> str:
    """The card as it is played."""
    return kind(card)[0]


def strength(card: str) -> int:
    """Higher beats lower; suits and marks do not count."""
    return ORDER.index(token(card))


def is_joker(card: str) -> bool:
    return card in ("x", "G", "X", "E")


def in_order(cards: Iterable[str]) -> list[str]:
    """Sorted by rank from low to high, then C D H S; then x G X E."""
    return sorted(cards, key=SORTED.index)


def highest(cards: Iterable[str], jokers: bool) -> list[str]:
    """High to low; of equal cards the lowest suit first (rules.md 5); unmarked jokers first."""
    allowed = [card for card in cards if jokers or not is_joker(card)]
    return sorted(allowed, key=lambda card: (-strength(card), SORTED.index(card)))


def deck(options: Mapping[str, object]) -> list[str]:
    """The deck before the shuffle (contract.md 3)."""
    ranks = RANKS[RANKS.index(str(options["low_rank"])) :]
    packs = [rank + suit for rank in ranks for suit in SUITS] * 4
    small = ["x"] * 4
    big = ["E", "X", "X", "X"]
    if options["guard"] == "marked":
        small[0] = "G"
    if options["aside"]:
        big.remove("E")
    return packs + small + big
