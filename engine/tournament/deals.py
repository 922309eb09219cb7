"""One row for every seat of every counted deal: for duplicate scores, ratings and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .results import COUNTED, Held, Result, held

Hand = tuple[str, int, int, int]
"""(board, deal, attempt, packet): who holds the same hand holds exactly the same cards."""


@dataclass(frozen=True)
class DealRow:
    """An entry in one deal.

    packet: which fifth of the shuffled cards it was dealt, counted from the seat dealt first; when
    the same deal begins at another seat, other seats get the packets. place: 1 to 5, None where
    the deal has none (abdicated).
    """

    entry: str
    match: str
    board: str
    deal: int
    attempt: int
    packet: int
    score: int
    place: int | None
    role: str

    @property
    def hand(self) -> Hand:
        return self.board, self.deal, self.attempt, self.packet

    @property
    def cluster(self) -> tuple[str, int]:
        """Deals whose cards hang together, at whatever table they were played."""
        return self.board, self.deal


def rows(
    entries: Sequence[str], deals: Sequence[Mapping[str, Any]], *, match: str, board: str
) -> list[DealRow]:
    """The rows of a match: `entries` by seat, `deals` as in its record (contract.md section 2)."""
    counted = [deal for deal in deals if deal["result"] in COUNTED]
    return [
        _row(entry, match, board, hand)
        for seat, entry in enumerate(entries)
        for hand in held(counted, seat)
    ]


def of_results(results: Iterable[Result]) -> list[DealRow]:
    """The rows of results that know their hands."""
    return [_row(r.entry, r.match, r.cards, hand) for r in results for hand in r.hands]


def _row(entry: str, match: str, board: str, h: Held) -> DealRow:
    return DealRow(entry, match, board, h.deal, h.attempt, h.packet, h.score, h.place, h.role)
