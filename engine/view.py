"""What one seat may see (contract.md section 4, rules.md 3.4).

A view never holds hidden cards, keys or another seat's role: two states that differ only in what a
seat cannot see give it the same view, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .cards import ORDER, SEATS, Card, kind_of, rank_of
from .combinations import TRUMP
from .notation import hand_text
from .phases.play import has_trump
from .state import NOBODY, DealState


class View(Mapping[str, Any]):
    """A lazy mapping of the fields of a `decide` request that one seat's state gives.

    Keys: `seat phase hand role public trick history legal fallback`. A field is worked out when it
    is read, so that a bot pays only for what it looks at. It shows the state as it is when read.
    """

    __slots__ = ("_scores", "_seat", "_state")

    def __init__(self, state: DealState, seat: int, scores: list[int] | None = None) -> None:
        self._state = state
        self._seat = seat
        self._scores = scores if scores is not None else [0] * SEATS

    def __getitem__(self, key: str) -> Any:
        return FIELDS[key](self)

    def __iter__(self) -> Iterator[str]:
        return iter(FIELDS)

    def __len__(self) -> int:
        return len(FIELDS)

    @property
    def state(self) -> DealState:
        """The whole state, hidden cards included: for the referee's side, never for a bot."""
        return self._state


def _hand(view: View) -> str:
    return hand_text(held_cards(view._state, view._seat))


def held_cards(state: DealState, seat: int) -> list[Card]:
    """The cards that `seat` still holds.

    Suits do not matter in play; among equal cards the lowest suit goes first, marked jokers after
    plain ones, and the called card last of its rank at the guard's seat (rules.md 3.4).
    """
    if not state.hands:
        return state.cards[seat]
    hand = state.hands[seat]
    kept: list[Card] = []
    for shift, cards in _lanes(state, seat):
        held = hand >> shift & 0xFF
        if held:
            kept += cards[-held:]
    return kept


Lanes = list[tuple[int, list[Card]]]


def _lanes(state: DealState, seat: int) -> Lanes:
    """The cards with which `seat` began to play, by lane, in the order in which they are laid."""
    known: Lanes | None = state.lanes[seat]
    if known is None:
        known = state.lanes[seat] = _sorted_into_lanes(state, seat)
    return known


def _sorted_into_lanes(state: DealState, seat: int) -> Lanes:
    called_last = state.called if seat == state.guard else None
    cards = sorted(state.cards[seat], key=lambda card: (kind_of(card) == called_last, ORDER[card]))
    lane = state.combinations.lane
    by_shift: dict[int, list[Card]] = {}
    if has_trump(state, seat):
        trump = next(card for card in reversed(cards) if kind_of(card) == state.called)
        cards.remove(trump)
        by_shift[lane[TRUMP]] = [trump]
    for card in cards:
        by_shift.setdefault(lane[rank_of(card)], []).append(card)
    return list(by_shift.items())


def _public(view: View) -> dict[str, Any]:
    state = view._state
    return {
        "emperor": _known(state.emperor),
        "guard": _known(state.guard) if state.guard_public else None,
        "solo": state.solo if state.solo_public else None,
        "called": state.called,
        "factor": state.factor,
        "rebels": sorted(state.rebels),
        "hand_sizes": state.hand_sizes(),
        "places": state.places(),
        "scores": list(view._scores),
    }


def _known(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def _trick(view: View) -> dict[str, Any] | None:
    state = view._state
    if state.phase != "play":
        return None
    return {
        "leader": state.leader,
        "to_beat": state.prev.text if state.prev else None,
        "by": state.by if state.prev else None,
        "passed": passed(state),
    }


def passed(state: DealState) -> list[int]:
    """The seats that passed since the last play; with a pass lock, in the whole trick."""
    return [seat for seat in range(SEATS) if state.passed >> seat & 1]


def _history(view: View) -> list[tuple[int, str]]:
    return list(view._state.history)


FIELDS: dict[str, Callable[[View], Any]] = {
    "seat": lambda view: view._seat,
    "phase": lambda view: view._state.phase,
    "hand": _hand,
    "role": lambda view: view._state.role(view._seat),
    "public": _public,
    "trick": _trick,
    "history": _history,
    "legal": lambda view: _own(view, list(view._state.legal), []),
    "fallback": lambda view: _own(view, view._state, None) and view._state.fallback,
}


def _own(view: View, value: Any, otherwise: Any) -> Any:
    """Only the seat that is asked sees its answers: they would tell what it holds."""
    return value if view._seat == view._state.seat else otherwise


def view_json(view: View) -> dict[str, Any]:
    """The whole view as a plain dict."""
    return {key: view[key] for key in FIELDS}
