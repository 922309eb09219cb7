"""Playing the cards: leads, answers, tricks, going out (rules.md 3.6 and 3.7).

This is the hot path of the engine, so the walk round the table is one loop without calls for the
seats that can only pass, which is half of all decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cards import SEATS, Card, kind_of
from ..combinations import PASS, PASS_ONLY, TRUMP

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

OTHERS_OUT = {"lianzhong": 2, "biesan": 2, "jingji": 4, "wuren": 4}
"""How many others must be out to settle a solo, by score table (rules.md 3.7)."""


def begin(state: DealState) -> None:
    """The emperor leads."""
    state.hands = [_packed(state, seat) for seat in range(SEATS)]
    _lead(state, state.emperor)


def _packed(state: DealState, seat: int) -> int:
    tables = state.combinations
    hand = tables.pack_cards(state.cards[seat])
    called = state.called
    if called and state.rules.called_trump and _has_trump(state, seat, called):
        hand += (1 << tables.lane[TRUMP]) - (1 << tables.lane[called[0]])
    return hand


def _has_trump(state: DealState, seat: int, called: Card) -> bool:
    """The fourth copy is the trump: the guard's, or one of a solo emperor's four."""
    if state.guard >= 0:
        return seat == state.guard
    return seat == state.emperor and sum(kind_of(c) == called for c in state.cards[seat]) == 4


def _lead(state: DealState, seat: int) -> None:
    state.prev = None
    state.locked = 0
    state.leader = seat
    state.ask(seat, state.combinations.lead(state.hands[seat]))


def apply(state: DealState, answer: str) -> None:
    """A play or a pass; then on to the next seat that has a choice."""
    seat = state.seat
    if answer == PASS:
        state.waiting -= 1
        if state.rules.pass_lock:
            state.locked |= 1 << seat
    elif _lay(state, seat, answer):
        return
    _walk(state, seat)


def _lay(state: DealState, seat: int, answer: str) -> bool:
    """Lay cards; says whether the deal is over."""
    play = state.combinations.plays[answer]
    hands = state.hands
    hands[seat] = left = hands[seat] - play.pack
    state.prev = play
    state.by = seat
    if seat == state.guard and not left >> state.guard_shift & 0xFF:
        state.guard_public = True  # the guard's copy is played last of its kind
    if not left:
        state.alive &= ~(1 << seat)
        state.out.append(seat)
        if _settled(state):
            state.end("scored")
            return True
    state.waiting = COUNT[state.alive & ~state.locked & ~(1 << seat)]
    return False


def _walk(state: DealState, seat: int) -> None:
    """From `seat` on: pass for the seats that must, stop at one that has a choice."""
    prev, hands, history = state.prev, state.hands, state.history
    assert prev is not None  # somebody has laid cards
    around = NEXT[state.alive & ~state.locked & ~(1 << state.by)]
    follow, lock = state.combinations.follow, state.rules.pass_lock
    waiting = state.waiting
    while waiting:
        seat = around[seat]
        legal = follow(hands[seat], prev)
        if legal is not PASS_ONLY:
            state.waiting = waiting
            state.seat = seat
            state.legal = legal
            return
        history.append((seat, PASS))
        waiting -= 1
        if lock:
            state.locked |= 1 << seat
    state.waiting = 0
    by = state.by
    _lead(state, by if state.alive >> by & 1 else heir(state))


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
