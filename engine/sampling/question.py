"""From drawn hands to the open question: the engine plays what was said and laid."""

from __future__ import annotations

from collections.abc import Sequence

from ..cards import BIG, SMALL, Card, by_height
from ..state import DealState, IllegalAnswer
from ..view import View
from .seen import Entry, Hands, Seen


def replayed(seen: Seen, hands: Hands) -> DealState | None:
    """The deal that began with these hands, at the question; None where it cannot lead there."""
    travelling = ["E"]
    if seen.view["phase"] == "throne":
        travelling += _gifts(seen)
    state = DealState.at_offer(seen.rules, hands, seen.refusals, seen.holder, travelling)
    try:
        _say(state, seen.past, seen.view["phase"])
    except IllegalAnswer:
        return None
    return state if _is_the_question(seen, state) else None


def _gifts(seen: Seen) -> list[Card]:
    """The gifts that came with the throne to the seat: its highest cards will do."""
    cards = [card for card in seen.hand if card not in SMALL and card not in BIG]
    if seen.rules.gift == "two":
        cards = [card for card in cards if card[0] == "2"]
    gave = 0 if seen.rules.gift == "none" else len(seen.refusals[1:])
    return sorted(cards, key=by_height)[:gave]


def _say(state: DealState, past: Sequence[Entry], phase: str) -> None:
    """All that was heard, in order; that a solo stays hidden is not heard. IllegalAnswer."""
    history = state.history  # answers of the engine's own go there too
    while len(history) < len(past) or state.phase != phase:
        answer = past[len(history)][1] if len(history) < len(past) else ""
        if state.phase == "call" and "hidden" in state.legal and answer != "open":
            answer = "hidden"
        state.apply(answer)


def _is_the_question(seen: Seen, state: DealState) -> bool:
    mine, view = View(state, seen.seat), seen.view
    return (
        state.seat == seen.seat
        and state.history == seen.past
        and list(state.legal) == list(view["legal"])
        and all(mine[key] == view[key] for key in ("hand", "role"))
        and all(mine["public"][key] == seen.public[key] for key in ("guard", "solo"))
    )
