"""Playing the cards: leads, answers, tricks, going out (rules.md 3.6 and 3.7).

This is the hot path of the engine, so the walk round the table is one loop without calls for the
seats that can only pass, which is half of all decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cards import SEATS, kind_of
from ..combinations import PASS, PASS_ONLY, TRUMP, Play

if TYPE_CHECKING:
    from ..state import DealState

ALL = (1 << SEATS) - 1

COUNT = tuple(seats.bit_count() for seats in range(ALL + 1))
"""How many seats a set (one bit a seat) has."""

NEXT = tuple(
    tuple(
        next((s % SEATS for s in range(seat + 1, seat + 1 + SEATS) if seats >> s % SEATS & 1), -1)
        for seat in range(SEATS)
    )
    for seats in range(ALL + 1)
)
"""NEXT[set][seat]: the first seat of the set after `seat` in playing order."""

PASSES = tuple((seat, PASS) for seat in range(SEATS))

Turn = tuple[int, tuple[int, str], int, Any]
"""Whose turn it is; what stands in the history if he passes; who passed before; the next turn."""


def _turns(seats: int, seat: int, before: int = 0) -> Turn | None:
    """The turns of a set of seats (one bit a seat) after `seat`, one linked to the next."""
    if not seats:
        return None
    first = NEXT[seats][seat]
    rest = seats & ~(1 << first)
    return first, PASSES[first], before, _turns(rest, first, before | 1 << first)


AROUND = tuple(
    tuple(_turns(seats & ~(1 << seat), seat) for seat in range(SEATS)) for seats in range(ALL + 1)
)
"""AROUND[set][seat]: the first turn when the set without `seat` is asked in playing order."""

OTHERS_OUT = {"lianzhong": 2, "biesan": 2, "jingji": 4, "wuren": 4}
"""How many others must be out to settle a solo, by score table (rules.md 3.7)."""


def begin(state: DealState) -> None:
    """The emperor leads."""
    tables = state.combinations
    state.hands = list(map(tables.pack_cards, state.cards))
    if state.called and state.rules.called_trump:
        trump = (1 << tables.lane[TRUMP]) - (1 << tables.lane[state.called[0]])
        for seat in range(SEATS):
            if has_trump(state, seat):
                state.hands[seat] += trump
    state.by = state.emperor
    _next_trick(state)


def has_trump(state: DealState, seat: int) -> bool:
    """The fourth copy is the called trump: the guard's, or one of a solo emperor's four."""
    if not state.called or not state.rules.called_trump:
        return False
    if state.guard >= 0:
        return seat == state.guard
    copies = [card for card in state.cards[seat] if kind_of(card) == state.called]
    return seat == state.emperor and len(copies) == 4


def apply(state: DealState, answer: str) -> None:  # noqa: C901
    """Take `answer`, one of `legal`, from the seat that is asked; then ask the next.

    In between, every seat with one answer only is answered for. IllegalAnswer, for anything else,
    leaves everything as it was.
    """
    # The engine spends its time here, so this is `DealState.apply` itself, with the other phases
    # aside, and the body of `Combinations.follow` stands once more in the walk round the table.
    if answer not in state.legal:
        raise state.refusal(answer)
    if state.step:
        state.step(state, answer)
        return
    seat, hands, history = state.seat, state.hands, state.history
    prev: Play | None
    if answer == PASS:
        history.append(PASSES[seat])
        prev, turn = state.prev, state.next_turn
    else:
        state.prev = prev = state.combinations.plays[answer]
        history.append(prev.said[seat])
        state.by = seat
        hands[seat] = left = hands[seat] - prev.pack
        if seat == state.guard and not left >> state.guard_shift & 0xFF:
            state.guard_public = True  # the guard's copy is played last of its kind
        if not left and _goes_out(state, seat):
            return
        if state.lock:
            _set_locked(state, state.passed)
        turn = state.around[seat]
    assert prev is not None  # nobody passes before a lead
    plain, add, above, shared = prev.test
    while turn:
        seat, passes, before, turn = turn
        hand = hands[seat]
        if hand >= plain:
            legal = state.combinations.follow_jokers(hand, prev)
            if legal is PASS_ONLY:
                history.append(passes)
                continue
        elif mask := (hand + add) & above:
            legal = shared.get(mask) or state.combinations.follow_plain(prev, mask)
        else:
            history.append(passes)
            continue
        state.next_turn = turn
        state.passed = before | state.locked
        state.seat = seat
        state.legal = legal
        return
    _next_trick(state)


def _set_locked(state: DealState, seats: int) -> None:
    """These seats (a bit each) are not asked again in this trick."""
    state.locked = seats
    state.around = AROUND[state.alive & ~seats]


def _next_trick(state: DealState) -> None:
    """The winner of the last trick leads, or his heir; a last card leads itself."""
    seat = state.by
    if not state.alive >> seat & 1:
        seat = heir(state)
    if state.locked:
        _set_locked(state, 0)
    state.prev = None
    state.passed = 0
    state.leader = state.seat = seat
    state.legal = legal = state.combinations.lead(state.hands[seat])
    if len(legal) == 1:
        apply(state, legal[0])


def _goes_out(state: DealState, seat: int) -> bool:
    """The seat has no cards left; says whether that ends the deal."""
    state.alive &= ~(1 << seat)
    state.around = AROUND[state.alive & ~state.locked]
    state.out.append(seat)
    settled = _settled(state)
    if settled:
        state.end("scored")
    return settled


def heir(state: DealState) -> int:
    """Who leads when the winner of the trick is out of cards.

    `next`: the first seat with cards after him. `teammate`: the first one that everybody knows to
    be on his side; it is never used where it would tell who the guard is.
    """
    after = NEXT[state.alive][state.by]
    if state.rules.heir == "next":
        return after
    side = _known_side(state, state.by)
    seats = [(state.by + step) % SEATS for step in range(1, SEATS)]
    mates = [s for s in seats if state.alive >> s & 1 and side and _known_side(state, s) == side]
    return mates[0] if mates else after


def _known_side(state: DealState, seat: int) -> str | None:
    """`court` or `rebels`, where everybody knows; else None."""
    if seat == state.emperor or (seat == state.guard and state.guard_public):
        return "court"
    known = state.guard_public or state.solo_public or seat in state.rebels
    return "rebels" if known else None


def _settled(state: DealState) -> bool:
    """Whether the score can no longer change (rules.md 3.7)."""
    if state.solo:
        return _solo_settled(state)
    if state.rules.end == "one_left":
        return COUNT[state.alive] == 1
    court = 1 << state.emperor | 1 << state.guard
    return not state.alive & court or not state.alive & ~court


def _solo_settled(state: DealState) -> bool:
    scores = state.rules.scores
    if state.solo == "open" and scores == "lianzhong":
        return True
    others_out = SEATS - 1 - COUNT[state.alive & ~(1 << state.emperor)]
    return not state.alive >> state.emperor & 1 or others_out >= OTHERS_OUT[scores]
