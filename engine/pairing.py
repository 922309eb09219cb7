"""A second, independent reading of "beats": a search over pairings (rules.md 3.6).

Slow and close to the rules' words, on purpose: records are checked with it beside the fast tables
of combinations.py, and a test holds the two equal.
"""

from __future__ import annotations

from collections import Counter

HEIGHT = {token: height for height, token in enumerate("3456789TJQKA2xX*")}

Bundles = dict[str, tuple[str, ...]]
ROAST: Bundles = {"X": ("XX", "xxx"), "x": ("xx",)}
THREE_TWOS: Bundles = {"X": ("222",)}

Dead = set[tuple[int, frozenset[tuple[str, int]]]]
"""(cards still to be answered, cards left) that lead nowhere: sixteen equal cards would otherwise
be tried in every order."""


def beats(play: str, prev: str, *, roast: bool = False, three_twos: bool = False) -> bool:
    """Whether every card of `prev` is answered by one higher card or one bundle, none left over."""
    bundles = [ROAST] * roast + [THREE_TWOS] * three_twos
    cards = sorted(prev, key=HEIGHT.__getitem__, reverse=True)
    return _answered(cards, Counter(play), bundles, set())


def _answered(cards: list[str], held: Counter[str], bundles: list[Bundles], dead: Dead) -> bool:
    if not cards:
        return not held
    here = (len(cards), frozenset(held.items()))
    if here in dead:
        return False
    found = any(
        _answered(cards[1:], held - Counter(group), bundles, dead)
        for group in _groups(cards[0], held, bundles)
    )
    if not found:
        dead.add(here)
    return found


def _groups(card: str, held: Counter[str], bundles: list[Bundles]) -> list[str]:
    """What of `held` answers `card`: single higher cards, and bundles."""
    singles = [token for token in held if HEIGHT[token] > HEIGHT[card]]
    together = [bundle for option in bundles for bundle in option.get(card, ())]
    return singles + [bundle for bundle in together if not Counter(bundle) - held]
