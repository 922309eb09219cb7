"""Sets, and what beats what (rules.md 3.6). A play is a string of tokens."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from .cards import ORDER, RANKS

Bundles = tuple[tuple[str, str], ...]  # (what is answered, by which tokens together)


def sort_key(play: str) -> tuple[int, ...]:
    """The order of `legal` (contract.md 1)."""
    if play == "pass":
        return (0,)
    naturals = [ORDER.index(t) for t in play if t in RANKS]
    rank = naturals[0] if naturals else len(RANKS)
    return (len(play), rank, play.count("x"), play.count("X"), play.count("*"))


def sets(tokens: list[str]) -> list[str]:
    """Every set that these tokens can make: n of one rank, any jokers hung on; or jokers alone."""
    jokers = [
        "x" * small + "X" * big + "*" * trump
        for small in range(tokens.count("x") + 1)
        for big in range(tokens.count("X") + 1)
        for trump in range(tokens.count("*") + 1)
    ]
    naturals = [rank * n for rank in RANKS for n in range(1, tokens.count(rank) + 1)]
    made = [natural + hung for natural in ["", *naturals] for hung in jokers]
    return sorted((play for play in made if play), key=sort_key)


def bundles(options: Mapping[str, object]) -> Bundles:
    """What several cards together may answer."""
    found: list[tuple[str, str]] = []
    if options["roast"]:
        found += [("X", "XX"), ("x", "xx"), ("X", "xxx")]
    if options["three_twos"]:
        found += [("X", "222")]
    return tuple(found)


def without(tokens: str, taken: str) -> str | None:
    """The tokens that are left, or None if `taken` is not among them."""
    for t in taken:
        if t not in tokens:
            return None
        tokens = tokens.replace(t, "", 1)
    return tokens


@lru_cache(maxsize=100_000)
def beats(play: str, other: str, together: Bundles) -> bool:
    """Can every card of `other` be answered by a higher card or a bundle, none left over?"""
    if not other:
        return not play
    card, rest = other[-1], other[:-1]
    single = [t for t in dict.fromkeys(play) if ORDER.index(t) > ORDER.index(card)]
    several = [group for answered, group in together if answered == card]
    left = [without(play, group) for group in single + several]
    return any(beats(tokens, rest, together) for tokens in left if tokens is not None)


def may_be_played(play: str, hand_size: int, options: Mapping[str, object]) -> bool:
    """Hold-back: the lowest rank goes only with the whole rest of the hand."""
    held = options["hold_back"] and str(options["low_rank"]) in play
    return not held or len(play) == hand_size


def leads(tokens: list[str], options: Mapping[str, object]) -> list[str]:
    return [play for play in sets(tokens) if may_be_played(play, len(tokens), options)]


def follows(tokens: list[str], other: str, options: Mapping[str, object]) -> list[str]:
    together = bundles(options)
    higher = [play for play in leads(tokens, options) if beats(play, other, together)]
    return ["pass", *higher]


def lowest_single(legal: Iterable[str]) -> str:
    """Autoplay's lead (rules.md 6): the lowest single card, else the first play of the list."""
    plays = list(legal)
    singles = [play for play in plays if len(play) == 1]
    return min(singles, key=ORDER.index) if singles else plays[0]
