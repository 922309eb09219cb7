"""Tribute between two deals (rules.md 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .cards import highest, in_order, strength
from .table import SEATS, after

Gift = tuple[int, int, str]  # giver, receiver, card


@dataclass
class Debt:
    """What the last deal left behind."""

    emperor: int
    guard: int | None
    solo: str | None
    places: list[int]
    won: int  # the sign of the emperor's score


def pay(hands: list[list[str]], debt: Debt | None, options: Mapping[str, Any]) -> list[Gift]:
    """Moves the cards between the hands; returns who gave what to whom."""
    if debt is None or not options["tribute"] or debt.won == 0:
        return []
    paid = [
        (giver, receiver, card)
        for (giver, card), receiver in zip(gifts(hands, debt, options), takers(debt), strict=True)
    ]
    for giver, receiver, card in paid:
        hands[giver].remove(card)
        hands[receiver].append(card)
    hands[:] = [in_order(hand) for hand in hands]
    return paid


def gifts(hands: list[list[str]], debt: Debt, options: Mapping[str, Any]) -> list[tuple[int, str]]:
    """(giver, card) from high to low; equal ones in playing order from the last emperor."""
    pool = []
    for giver in [debt.emperor, *after(debt.emperor)]:
        best = highest(hands[giver], jokers=options["tribute_jokers"])
        pool += [(giver, card) for card in best[: owed(giver, debt)]]
    return sorted(pool, key=lambda gift: -strength(gift[1]))  # a stable sort


def owed(giver: int, debt: Debt) -> int:
    """How many cards this seat gives."""
    court = [debt.emperor, debt.guard]
    if (giver in court) == (debt.won > 0):
        return 0
    double = 2 if debt.solo == "open" else 1
    if giver != debt.emperor:
        return double
    return 2 if debt.solo is None else 4 * double


def takers(debt: Debt) -> list[int]:
    """Who takes the first, the second, … of the gifts from high to low."""
    others = [seat for seat in SEATS if seat not in (debt.emperor, debt.guard)]
    by_place = sorted(others, key=lambda seat: debt.places[seat])
    double = 2 if debt.solo == "open" else 1
    if debt.won < 0:
        return by_place * double
    if debt.solo is None:
        assert debt.guard is not None
        return [debt.emperor, debt.guard, debt.emperor]
    return [debt.emperor] * 4 * double
