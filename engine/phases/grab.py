"""Grabbing the throne for an open solo (rules.md 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cards import SEATS
from .throne import may_call

if TYPE_CHECKING:
    from ..state import DealState

SILENT = "silent"


def begin(state: DealState) -> None:
    """Ask the emperor first, then the others: previous, previous of that, …"""
    state.queue = [(state.emperor - step) % SEATS for step in range(SEATS)]
    _ask_next(state)


def apply(state: DealState, answer: str) -> None:
    """`open` or `grab` make the seat emperor in open solo; cards stay where they are."""
    if answer != SILENT:
        open_solo(state, state.seat)
    elif state.queue:
        _ask_next(state)
    else:
        state.enter("call")


def open_solo(state: DealState, seat: int) -> None:
    """`seat` plays alone against four, and everybody knows it; nothing more is asked."""
    state.emperor = seat
    state.solo, state.solo_public = "open", True
    if state.rules.scores != "lianzhong":  # there the table itself has the doubled figures
        state.factor = 2
    state.enter("play")


def _ask_next(state: DealState) -> None:
    seat = state.queue.pop(0)
    if seat != state.emperor:
        state.ask(seat, ("grab", SILENT))
    elif state.rules.guard == "called" and not may_call(state, seat):
        state.ask(seat, ("open",))
    else:
        state.ask(seat, ("open", SILENT))
