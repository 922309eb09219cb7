"""The ladder of consequences at the table: a decision, a deal, and then the rest of the match.

The first two are the engine's (rules.md 6): the fallback, and autoplay to the end of a deal. An
agent that brought that upon itself in three deals has left the match.
"""

from __future__ import annotations

from .faults import ChargedTo

DESERTION_DEALS = 3


class Absences:
    """Of one match, seat by seat. Whoever goes on with a match notes its faults so far first."""

    def __init__(self, limit: int = DESERTION_DEALS) -> None:
        self._limit = limit
        self._absent: dict[int, set[int]] = {}  # seat -> deals that it was absent from
        self._excused: set[tuple[int, int]] = set()  # (seat, deal) with a fault that was not its

    def note(self, seat: int, deal: int, charged_to: ChargedTo, on_autoplay: bool) -> bool:
        """Count a fault; whether the seat has deserted with it."""
        if charged_to != "bot":
            self._excused.add((seat, deal))
        if not on_autoplay or (seat, deal) in self._excused:
            return False
        deals = self._absent.setdefault(seat, set())
        deals.add(deal)
        return len(deals) >= self._limit
