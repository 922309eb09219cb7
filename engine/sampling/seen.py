"""What a view makes certain about the hands with which play began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ..cards import BIG, ORDER, PACKS, SEATS, Card, deck, kind_of, rank_of
from ..combinations import TRUMP
from ..phases.throne import YIELD
from ..rules import RuleSet
from ..state import tables_of

Hands = list[list[Card]]
Entry = tuple[int, str]

TOKEN = {card: rank_of(card) for card in ORDER}
"""What a card is in play, but for the called trump."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is certain. "Began" means: the hand when play began, so cards laid since are in it."""

    rules: RuleSet
    view: Mapping[str, Any]
    public: Mapping[str, Any]
    seat: int
    hand: list[Card]
    past: list[Entry]  # the view's history
    refusals: list[Entry]  # of the throne, with which it begins
    holder: int  # who took the throne, or is offered it now
    laid: list[Counter[str]]  # tokens, by seat
    sizes: list[int]  # began
    known: Hands  # cards that a seat began with; of the own hand those that it laid
    secret: Card | None  # the guard's card, where the seat cannot know who began with it
    unseen: list[Card]  # all other cards

    @property
    def called(self) -> Card | None:
        """The card by which the guard was called."""
        card: Card | None = self.public["called"]
        return card


def read(rules: RuleSet, view: Mapping[str, Any]) -> Seen:
    """What the view of a seat that is asked makes certain. Raises ValueError."""
    seat, public, hand = view["seat"], view["public"], view["hand"].split()
    past = [(by, answer) for by, answer in view["history"]]
    refusals = list(takewhile(lambda entry: entry[1] == YIELD, past))
    holder = past[len(refusals)][0] if len(past) > len(refusals) else seat
    laid = _laid(rules, past)
    guard = _told_guard(rules, view, refusals)
    known = _known(rules, public, laid, holder, guard)
    known[seat] = list((Counter(known[seat]) - Counter(hand)).elements())
    unseen = _unseen(rules, [*known, hand])
    secret = guards_card(rules, public["called"])
    if guard is not None or public["solo"] or view["role"] is None or not unseen[secret or ""]:
        secret = None
    else:
        unseen[secret or ""] -= 1
    sizes = [size + tokens.total() for size, tokens in zip(public["hand_sizes"], laid, strict=True)]
    rest = list(unseen.elements())
    return Seen(
        rules, view, public, seat, hand, past, refusals, holder, laid, sizes, known, secret, rest
    )


def guards_card(rules: RuleSet, called: Card | None) -> Card | None:
    """The card that makes its holder the guard; None before a call and where none was made."""
    return "G" if rules.guard == "marked" else called


def copies(cards: Iterable[Card], called: Card | None) -> list[Card]:
    """The cards that are alike with the called one."""
    return [card for card in cards if kind_of(card) == called]


def _laid(rules: RuleSet, past: Iterable[Entry]) -> list[Counter[str]]:
    tables, packs = tables_of(rules), [0] * SEATS
    for seat, answer in past:
        if answer in tables.plays:
            packs[seat] += tables.plays[answer].pack
    return [Counter(tables.unpack(pack)) for pack in packs]


def _told_guard(rules: RuleSet, view: Mapping[str, Any], refusals: Sequence[Entry]) -> int | None:
    """The guard, where the seat knows him; who throws the throne away holds both marked cards."""
    if view["role"] == "guard":
        guard: int = view["seat"]
        return guard
    if rules.refused_by_all == "abdicate" and refusals:
        return refusals[0][0]
    shown: int | None = view["public"]["guard"]
    return shown


def _known(
    rules: RuleSet,
    public: Mapping[str, Any],
    laid: Sequence[Counter[str]],
    holder: int,
    guard: int | None,
) -> Hands:
    """Cards that the seats began with, as everybody or the seat itself knows."""
    emperor, called, solo = public["emperor"], public["called"], public["solo"]
    known: Hands = [[] for _ in range(SEATS)]
    known[holder].append("E")
    if called:
        all_four = solo is not None or laid[emperor][TRUMP] > 0
        known[emperor] += [called] * (PACKS - 1 + all_four - (called in BIG))  # `E` is one of them
    elif solo == "hidden" or (solo == "open" and rules.guard == "marked" and not rules.grab):
        known[emperor].append("G")
    secret = guards_card(rules, called)
    if guard is not None and secret is not None:
        known[guard].append(secret)
    return known


def _unseen(rules: RuleSet, seen: Iterable[Sequence[Card]]) -> Counter[Card]:
    # An emperor card that was laid aside has come with the throne.
    unseen = Counter(deck(rules.low_rank, guard_card=rules.guard == "marked", aside=False))
    for cards in seen:
        unseen.subtract(cards)
    if min(unseen.values()) < 0:
        raise ValueError("the view shows more cards of a kind than the deck has")
    return unseen
