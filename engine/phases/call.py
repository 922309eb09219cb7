"""Who the guard is: a called card or a marked one, a hidden or an open solo (rules.md 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cards import Card
from ..combinations import TRUMP
from .grab import open_solo
from .throne import callable_cards

if TYPE_CHECKING:
    from ..state import DealState


def begin(state: DealState) -> None:
    """Ask the emperor, where there is something to ask."""
    if state.rules.guard == "called":
        state.ask(state.emperor, _calls(state))
    elif "G" not in state.cards[state.emperor]:
        _with_guard(state, state.holder("G"), "x")
    elif state.rules.grab or state.rules.open_solo == "none":
        _hidden_solo(state)
    else:
        state.ask(state.emperor, ("hidden", "open"))


def apply(state: DealState, answer: str) -> None:
    """`call 9C`, `open 9C`, `open` or `hidden`."""
    word, _, card = answer.partition(" ")
    if card:
        state.called = card
    if word == "open":
        open_solo(state, state.emperor)
    elif word == "hidden":
        state.history.pop()  # where another holds the guard card nothing is asked, or heard
        _hidden_solo(state)
    else:
        _call(state, card)


def _calls(state: DealState) -> tuple[str, ...]:
    held = callable_cards(state, state.emperor)
    calls = [f"call {card}" for card, _ in held]
    if state.rules.open_solo == "show_four":
        calls += [f"open {card}" for card, count in held if count == 4]
    if state.rules.open_solo == "declare" and not state.rules.grab:
        calls.append("open")
    return tuple(calls)


def _call(state: DealState, card: Card) -> None:
    guard = state.holder(card, but=state.emperor)
    if guard < 0:
        _hidden_solo(state)
    else:
        _with_guard(state, guard, TRUMP if state.rules.called_trump else card[0])


def _with_guard(state: DealState, guard: int, token: str) -> None:
    """`token` is what the guard's card is in play: gone from his hand, he is public."""
    state.guard = guard
    state.guard_shift = state.combinations.lane[token]
    state.enter("declare")


def _hidden_solo(state: DealState) -> None:
    state.solo = "hidden"
    state.enter("declare")
