"""Hands as text, both ways (contract.md section 1). What is read here is hostile until parsed."""

from __future__ import annotations

from collections.abc import Iterable

from .cards import ORDER, Card, sort_hand
from .shown import shown


class NotationError(ValueError):
    """Text that is not the notation of contract.md; the message says what and where."""


def hand_text(cards: Iterable[Card]) -> str:
    """A hand as one string: cards joined by a space, sorted."""
    return " ".join(sort_hand(cards))


def parse_card(text: object) -> Card:
    """One card. Raises NotationError."""
    if not isinstance(text, str) or text not in ORDER:
        raise NotationError(f"{shown(text)} is not a card")
    return text


def parse_hand(text: object) -> list[Card]:
    """The cards of a hand that is written in order. Raises NotationError."""
    if not isinstance(text, str):
        raise NotationError(f"a hand is a string of cards, not {shown(text)}")
    cards = [parse_card(part) for part in text.split(" ")] if text else []
    if cards != sort_hand(cards):
        raise NotationError("a hand is written from low to high")
    return cards
