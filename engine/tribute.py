"""Tribute between two deals of one match (rules.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .cards import BIG, SEATS, SMALL, Card, by_height
from .rules import RuleSet


@dataclass(frozen=True, slots=True)
class LastDeal:
    """What of the last deal decides tribute: roles, places (by seat) and the emperor's score."""

    emperor: int
    guard: int | None
    solo: str | None
    places: tuple[int, ...]
    emperor_score: int


Gift = tuple[int, int, Card]
"""(giver, receiver, card)."""


def tribute(
    rules: RuleSet, hands: Sequence[Sequence[Card]], last: LastDeal | None
) -> tuple[Gift, ...]:
    """The gifts owed for the last deal, from these hands as dealt; from high to low."""
    if not rules.tribute or last is None or last.emperor_score == 0:
        return ()
    won = last.emperor_score > 0
    each = 2 if last.solo == "open" else 1
    if last.solo:
        owed = _solo_givers(last, won, each)
        takers = [last.emperor] * 4 * each if won else _rebels_by_place(last) * each
    else:
        owed = _pair_givers(last, won)
        takers = [last.emperor, last.guard or 0, last.emperor] if won else _rebels_by_place(last)
    gifts = _highest_first(rules, hands, last.emperor, owed)
    return tuple((giver, taker, card) for (giver, card), taker in zip(gifts, takers, strict=True))


def paid(hands: Sequence[Sequence[Card]], gifts: Iterable[Gift]) -> list[list[Card]]:
    """The hands after these gifts."""
    result = [list(hand) for hand in hands]
    for giver, taker, card in gifts:
        result[giver].remove(card)
        result[taker].append(card)
    return result


def _solo_givers(last: LastDeal, won: bool, each: int) -> dict[int, int]:
    if won:
        return {seat: each for seat in range(SEATS) if seat != last.emperor}
    return {last.emperor: 4 * each}


def _pair_givers(last: LastDeal, won: bool) -> dict[int, int]:
    court = {last.emperor: 2, last.guard if last.guard is not None else -1: 1}
    if won:
        return {seat: 1 for seat in range(SEATS) if seat not in court}
    return court


def _rebels_by_place(last: LastDeal) -> list[int]:
    rebels = [seat for seat in range(SEATS) if seat not in (last.emperor, last.guard)]
    return sorted(rebels, key=lambda seat: last.places[seat])


def _highest_first(
    rules: RuleSet, hands: Sequence[Sequence[Card]], emperor: int, owed: dict[int, int]
) -> list[tuple[int, Card]]:
    """Each giver's highest cards; equal gifts by playing order of the giver from the emperor."""
    gifts = [
        (giver, card)
        for giver, count in owed.items()
        for card in sorted(_givable(rules, hands[giver]), key=by_height)[:count]
    ]
    return sorted(gifts, key=lambda gift: (by_height(gift[1])[0], (gift[0] - emperor) % SEATS))


def _givable(rules: RuleSet, hand: Sequence[Card]) -> list[Card]:
    if rules.tribute_jokers:
        return list(hand)
    return [card for card in hand if card not in SMALL and card not in BIG]
