"""A second, independent reading of "beats": a search over pairings (rules.md 3.6).

Slow and close to the rules' words, on purpose: records are checked with it beside the fast tables
of combinations.py, and a test holds the two equal.
"""

from __future__ import annotations

from collections import Counter

HEIGHT = {token: height for height, token in enumerate("3456789TJQKA2xX*")}

ROAST = {"X": ("XX", "xxx"), "x": ("xx",)}
THREE_TWOS = {"X": ("222",)}


def beats(play: str, prev: str, *, roast: bool = False, three_twos: bool = False) -> bool:
    """Whether every card of `prev` is answered by one higher card or one bundle, none left over."""
    cards = sorted(prev, key=HEIGHT.__getitem__, reverse=True)
    return _answered(cards, Counter(play), roast, three_twos)


def _answered(cards: list[str], held: Counter[str], roast: bool, three_twos: bool) -> bool:
    if not cards:
        return not +held
    return any(
        _answered(cards[1:], held - Counter(group), roast, three_twos)
        for group in _groups(cards[0], held, roast, three_twos)
    )


def _groups(card: str, held: Counter[str], roast: bool, three_twos: bool) -> list[str]:
    """What of `held` answers `card`: single higher cards, and bundles."""
    bundles = (ROAST.get(card, ()) if roast else ()) + (
        THREE_TWOS.get(card, ()) if three_twos else ()
    )
    singles = [token for token in +held if HEIGHT[token] > HEIGHT[card]]
    return singles + [bundle for bundle in bundles if not Counter(bundle) - held]
