"""The throne: offered, refused with gifts, forced, thrown away (rules.md 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..cards import MARKED, ORDER, SEATS, SUITS, Card, by_height

if TYPE_CHECKING:
    from ..state import DealState

ACCEPT, YIELD = "accept", "yield"
BOTH = (ACCEPT, YIELD)

STEPS = {"previous": (0, -1, -2, -3, -4), "after_next": (0, 2, 3, 4, 1)}
"""Where the throne goes, counted from the seat first offered."""

TWOS = tuple("2" + suit for suit in SUITS)

LANES = {card: 3 * index for index, card in enumerate(card for card in ORDER if card not in MARKED)}
"""Where a kind of card is counted, up to four, in one int: alike means rank and suit."""

KINDS = {shift: card for card, shift in LANES.items()}

ONES = sum(1 << shift for shift in LANES.values())

REFUSED = {"any": "xX", "no_twos": "xX2", "jokers_too": "", None: "xX"}
"""What may not be called, by option `callable`."""

UNITS = {
    allowed: {
        card: 0 if plain[0] in refused else 1 << LANES[plain]
        for card in ORDER
        for plain in [MARKED.get(card, card)]
    }
    for allowed, refused in REFUSED.items()
}
"""What each card adds to the count of what may be called; a marked joker is a plain one."""

OFFERS = {"forced_second_round": 10, "second_round": 10, "ask_first_again": 6}
"""How many refusals make "refused by all"; five elsewhere."""


def begin(state: DealState) -> None:
    """Offer the throne to its first seat, with the emperor card."""
    if state.rules.aside:
        state.cards[state.offered].append("E")
    state.travelling = ["E"]
    _offer(state)


def come_to(state: DealState, seat: int, offers: int, travelling: Sequence[Card]) -> None:
    """Offer the throne to `seat` after so many refusals, with what came along in its hand."""
    state.offers = offers
    state.travelling = list(travelling)
    state.ask(seat, _answers(state, seat))


def apply(state: DealState, answer: str) -> None:
    """The seat that is offered the throne answers."""
    if answer == ACCEPT:
        _crown(state)
    else:
        _refuse(state)


def callable_cards(state: DealState, seat: int) -> list[tuple[Card, int]]:
    """The cards that `seat` may call with how many it holds (3 or 4), from low to high."""
    counts = sum(map(UNITS[state.rules.callable].__getitem__, state.cards[seat]))
    threes = _threes(counts)
    found = []
    while threes:
        shift = (threes & -threes).bit_length() - 1
        found.append((KINDS[shift], counts >> shift & 7))
        threes &= threes - 1
    return found


def may_call(state: DealState, seat: int) -> bool:
    """Whether there is a card that `seat` may call."""
    return bool(_threes(sum(map(UNITS[state.rules.callable].__getitem__, state.cards[seat]))))


def _threes(counts: int) -> int:
    """Not 0 when a lane of three bits holds 3 or 4."""
    return (counts & counts >> 1 | counts >> 2) & ONES


def _seat(state: DealState, offer: int) -> int:
    steps = STEPS[state.rules.yield_to]
    return (state.offered + steps[offer % SEATS]) % SEATS


def _offer(state: DealState) -> None:
    seat = _seat(state, state.offers)
    state.ask(seat, _answers(state, seat))


def _answers(state: DealState, seat: int) -> tuple[str, ...]:
    if _must_accept(state, seat):
        return (ACCEPT,)
    return BOTH if _may_accept(state, seat) else (YIELD,)


def _may_accept(state: DealState, seat: int) -> bool:
    if state.rules.guard == "marked" or state.rules.open_solo == "declare":
        return True
    return may_call(state, seat)


def _must_accept(state: DealState, seat: int) -> bool:
    way = state.rules.refused_by_all
    if way == "abdicate":
        return state.offers == 0 and "G" not in state.cards[seat]
    if way == "forced_second_round":
        return state.offers == SEATS and _has_exactly_three(state, seat)
    return False


def _has_exactly_three(state: DealState, seat: int) -> bool:
    return any(count == 3 for _, count in callable_cards(state, seat))


def _refuse(state: DealState) -> None:
    seat = state.seat
    if state.rules.gift != "none" and state.offers > 0:
        gift = _gift(state, seat)
        if gift is not None:
            state.travelling.append(gift)
    state.offers += 1
    if state.offers < OFFERS.get(state.rules.refused_by_all, SEATS):
        _move(state, seat, _seat(state, state.offers))
        _offer(state)
    else:
        _refused_by_all(state, seat)


def _gift(state: DealState, seat: int) -> Card | None:
    """One two of the seat's own; without one, by option, its highest card that is no joker."""
    cards, travelling = state.cards[seat], state.travelling
    for two in TWOS:
        if cards.count(two) > travelling.count(two):
            return two
    if state.rules.gift == "two":
        return None
    own = cards.copy()
    for card in travelling:
        own.remove(card)
    return min((card for card in own if card[0] not in "xGXE"), key=by_height, default=None)


def _move(state: DealState, giver: int, taker: int) -> None:
    """What travels with the throne counts as held by the seat that is asked."""
    for card in state.travelling:
        state.cards[giver].remove(card)
        state.cards[taker].append(card)


def _refused_by_all(state: DealState, last: int) -> None:
    way = state.rules.refused_by_all
    if way == "abdicate":
        # Nobody took it: the thrower loses as an emperor in solo who came last.
        state.emperor, state.solo = state.offered, "hidden"
        state.end("abdicated")
    elif way == "force_exact_three":
        _force(state, last)
    else:
        state.end("redeal")


def _force(state: DealState, holder: int) -> None:
    for offer in range(SEATS):
        seat = _seat(state, offer)
        _move(state, holder, seat)
        holder = seat
        if _has_exactly_three(state, seat):
            state.ask(seat, (ACCEPT,))
            return
    state.end("redeal")


def _crown(state: DealState) -> None:
    state.emperor = state.seat
    state.enter("grab" if state.rules.grab else "call")
