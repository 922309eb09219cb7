"""The kick: one more doubling, for the side that was shown (rules.md 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declare import NEEDED, after

if TYPE_CHECKING:
    from ..state import DealState

KICK, SILENT = "kick", "silent"


def begin(state: DealState) -> None:
    """After a rebellion emperor and guard are asked, after an open guard the rebels."""
    everybody = [state.emperor, *after(state.emperor)]
    court = (state.emperor, state.guard)
    rebellion = len(state.rebels) == NEEDED
    state.queue = [seat for seat in everybody if (seat in court) == rebellion]
    _ask_next(state)


def apply(state: DealState, answer: str) -> None:
    """One kick of emperor or guard doubles, or two of the rebels; once."""
    needed = 1 if len(state.rebels) == NEEDED else NEEDED
    state.kickers += answer == KICK
    if state.kickers == needed:
        state.factor *= 2
        state.enter("play")
    else:
        _ask_next(state)


def _ask_next(state: DealState) -> None:
    if state.queue:
        state.ask(state.queue.pop(0), (KICK, SILENT))
    else:
        state.enter("play")
