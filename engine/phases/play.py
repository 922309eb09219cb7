"""Playing the cards: leads, answers, tricks, going out (rules.md 3.6 and 3.7).

This is the hot path of the engine, so the walk round the table is one loop without calls for the
seats that can only pass, which is half of all decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

ROUND = tuple(
    tuple((NEXT[seats & ~(1 << seat)], COUNT[seats & ~(1 << seat)]) for seat in range(SEATS))
    for seats in range(ALL + 1)
)
"""ROUND[set][seat]: how the set without `seat` goes round, and how many seats it has."""

PASSES = tuple((seat, PASS) for seat in range(SEATS))

OTHERS_OUT = {"lianzhong": 2, "biesan": 2, "jingji": 4, "wuren": 4}
"""How many others must be out to settle a solo, by score table (rules.md 3.7)."""


def begin(state: DealState) -> None:
    """The emperor leads."""
    state.hands = [_packed(state, seat) for seat in range(SEATS)]
    _lead(state, state.emperor)


def _packed(state: DealState, seat: int) -> int:
    tables = state.combinations
    hand = tables.pack_cards(state.cards[seat])
    if state.called and has_trump(state, seat):
        hand += (1 << tables.lane[TRUMP]) - (1 << tables.lane[state.called[0]])
    return hand


def has_trump(state: DealState, seat: int) -> bool:
    """The fourth copy is the called trump: the guard's, or one of a solo emperor's four."""
    if not state.called or not state.rules.called_trump:
        return False
    if state.guard >= 0:
        return seat == state.guard
    copies = [card for card in state.cards[seat] if kind_of(card) == state.called]
    return seat == state.emperor and len(copies) == 4


def _lead(state: DealState, seat: int) -> None:
    state.prev = None
    state.passed = 0
    state.leader = state.seat = seat
    state.legal = state.combinations.lead(state.hands[seat])


def apply(state: DealState, answer: str) -> None:
    """A play or a pass; then pass for the seats that must, up to one that has a choice.

    The engine spends its time here, so this is one function: the walk round the table is a loop
    in which the body of `Combinations.follow` stands once more, without the call.
    """
    if answer not in state.legal:
        raise state.refusal(answer)
    seat, hands, tables, history = state.seat, state.hands, state.combinations, state.history
    prev: Play | None
    if answer == PASS:
        history.append(PASSES[seat])
        prev, around, waiting = state.prev, state.around, state.waiting - 1
        passed = state.passed | 1 << seat
    else:
        state.prev = prev = tables.plays[answer]
        history.append(prev.entries[seat])
        state.by = seat
        hands[seat] = left = hands[seat] - prev.pack
        if seat == state.guard and not left >> state.guard_shift & 0xFF:
            state.guard_public = True  # the guard's copy is played last of its kind
        if not left and _goes_out(state, seat):
            return
        passed = state.passed if state.lock else 0
        around, waiting = ROUND[state.alive & ~passed][seat]
        state.around = around
    assert prev is not None  # nobody passes before a lead
    plain, need, above, guards, shared = prev.test
    legal: tuple[str, ...]
    while waiting:
        seat = around[seat]
        hand = hands[seat]
        if hand >= plain:
            legal = tables.follow_jokers(hand, prev)
        elif mask := ((hand | guards) - need) & above:
            legal = shared.get(mask) or tables.follow_plain(prev, mask)
        else:
            legal = PASS_ONLY
        if legal is not PASS_ONLY:
            state.waiting, state.passed, state.seat, state.legal = waiting, passed, seat, legal
            return
        history.append(PASSES[seat])
        passed |= 1 << seat
        waiting -= 1
    by = state.by
    _lead(state, by if state.alive >> by & 1 else heir(state))
    if len(state.legal) == 1:
        apply(state, state.legal[0])


def _goes_out(state: DealState, seat: int) -> bool:
    """The seat has no cards left; says whether that ends the deal."""
    state.alive &= ~(1 << seat)
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
