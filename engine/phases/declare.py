"""Declarations before the first lead: open guard and rebellion (rules.md 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cards import SEATS

if TYPE_CHECKING:
    from ..state import DealState

SILENT = "silent"
NEEDED = 2  # rebels who must stand up


def begin(state: DealState) -> None:
    """Ask in playing order from the seat after the emperor; in an open solo nothing is asked."""
    if state.rules.open_guard or state.rules.rebellion:
        state.queue = after(state.emperor)
        _ask_next(state)
    else:
        state.enter("play")


def apply(state: DealState, answer: str) -> None:
    """`open`, `rebel` or `silent`."""
    if answer == "open":
        _double(state)
    elif answer == "rebel":
        state.rebels.append(state.seat)
        # A first rebel makes the round go round again for the seats that kept silent.
        if len(state.rebels) == NEEDED:
            _double(state)
        else:
            _ask_next(state)
    else:
        _ask_next(state)


def after(seat: int) -> list[int]:
    """The other four seats, in playing order from `seat`."""
    return [(seat + step) % SEATS for step in range(1, SEATS)]


def _double(state: DealState) -> None:
    """Guard or hidden solo are shown; stakes double once, for either reason."""
    state.factor *= 2
    if state.solo:
        state.solo_public = True
    else:
        state.guard_public = True
    state.enter("kick" if state.rules.kick else "play")


def _ask_next(state: DealState) -> None:
    if not state.queue and state.rebels and not state.asked_again:
        state.asked_again = True
        state.queue = [seat for seat in after(state.emperor) if seat not in state.rebels]
    if state.queue:
        seat = state.queue.pop(0)
        state.ask(seat, _answers(state, seat))
    else:
        state.enter("play")


def _answers(state: DealState, seat: int) -> tuple[str, ...]:
    if seat == state.guard:
        return ("open", SILENT) if state.rules.open_guard else (SILENT,)
    return ("rebel", SILENT) if state.rules.rebellion else (SILENT,)
