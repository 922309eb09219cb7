"""Random walks through deals and matches, the same on every machine."""

import hashlib
from collections.abc import Iterator

from baohuang.engine import DealState, Draw, Match, RuleSet


def key_of(*words: object) -> bytes:
    """A 32-byte key for a test's words."""
    return hashlib.sha256(repr(words).encode()).digest()


def random_walk(state: DealState, seed: object = "walk") -> Iterator[DealState]:
    """The same state again and again: now, and after each random answer up to the end."""
    lots = Draw(key_of(seed), "walk")
    yield state
    while state.result is None:
        state.apply(lots.choice(state.legal))
        yield state


def random_match(rules: RuleSet, key: bytes, deals: int, absent: int = 0) -> Match:
    """A match with random answers; about one question in `absent` is answered by the server."""
    match = Match(rules, key, deals)
    lots = Draw(key, "walk")
    while not match.over:
        if absent and lots.below(absent) == 0:
            match.autoplay()
        else:
            match.answer(lots.choice(match.legal))
    return match
