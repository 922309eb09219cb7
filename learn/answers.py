"""Answers as numbers: one dense range for all phases of a rule set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from baohuang.engine import RuleSet
from baohuang.engine.cards import SUITS, ranks_from
from baohuang.engine.combinations import PASS
from baohuang.engine.phases.throne import REFUSED
from baohuang.engine.state import tables_of


class Answers:
    """The answers that may ever be legal under one rule set, numbered 0, 1, … `len()` - 1.

    The words come first, phase by phase (a word of two phases has one number), then `pass`, then
    every play in the order of contract.md 1. Rule sets that differ in what they offer differ in
    numbers; the same options give the same numbers on any machine.
    """

    __slots__ = ("_ids", "texts")

    def __init__(self, rules: RuleSet) -> None:
        words = (*_before_play(rules), PASS)
        self.texts: tuple[str, ...] = (*dict.fromkeys(words), *tables_of(rules).plays)
        self._ids = {text: number for number, text in enumerate(self.texts)}

    def __len__(self) -> int:
        return len(self.texts)

    def id(self, answer: str) -> int:
        """The number of an answer. ValueError for what is never legal under these rules."""
        try:
            return self._ids[answer]
        except KeyError:
            raise ValueError(f"{answer!r} is no answer under these rules") from None

    def text(self, number: int) -> str:
        """The answer with this number. ValueError outside the range."""
        if not 0 <= number < len(self.texts):
            raise ValueError(f"answers are numbered 0 to {len(self.texts) - 1}, not {number}")
        return self.texts[number]

    def mask(self, legal: Sequence[str]) -> NDArray[np.int8]:
        """1 at the numbers of these answers, else 0; shape (`len()`,), dtype int8."""
        mask: NDArray[np.int8] = np.zeros(len(self.texts), np.int8)
        mask[[self._ids[answer] for answer in legal]] = 1
        return mask


@lru_cache(maxsize=64)
def answers(rules: RuleSet) -> Answers:
    """The numbers of a rule set's answers, made once."""
    return Answers(rules)


def _before_play(rules: RuleSet) -> Iterator[str]:
    yield from ("accept", "yield")
    if rules.grab:
        yield from ("grab", "open", "silent")
    yield from _calls(rules)
    if rules.open_guard:
        yield from ("open", "silent")
    if rules.rebellion:
        yield from ("rebel", "silent")
    if rules.kick:
        yield from ("kick", "silent")


def _calls(rules: RuleSet) -> Iterator[str]:
    declares = rules.open_solo == "declare" and not rules.grab
    if rules.guard == "marked":
        yield from ("hidden", "open") if declares else ()
        return
    for card in _callable(rules):
        yield f"call {card}"
        if rules.open_solo == "show_four":
            yield f"open {card}"
    if declares:
        yield "open"


def _callable(rules: RuleSet) -> Iterable[str]:
    refused = REFUSED[rules.callable]
    cards = [rank + suit for rank in ranks_from(rules.low_rank) for suit in SUITS]
    return [card for card in (*cards, "x", "X") if card[0] not in refused]
