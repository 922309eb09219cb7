"""The play of rules.md 3.6 and 3.7 once more, slow and plain, to count answer sequences with.

A hand is a sorted string of tokens, a position a tuple; nothing is shared with the engine's tables
but the search over pairings. It knows `heir = next` only, as all presets have it.
"""

from dataclasses import dataclass, replace

from baohuang.engine import DealState, RuleSet, pairing

from .test_combinations import sets_of, text_of


@dataclass(frozen=True)
class Position:
    """Before an answer of `todo[0]`; without a `prev` he leads."""

    rules: RuleSet
    emperor: int
    guard: int
    solo: str | None
    hands: tuple[str, ...]
    todo: tuple[int, ...]
    prev: str | None = None
    by: int = -1
    locked: frozenset[int] = frozenset()
    out: tuple[int, ...] = ()


def at_lead(state: DealState) -> Position:
    """The same position as an engine's state at a lead."""
    tables = state.combinations
    hands = tuple(
        "".join(token * tables.count(hand, token) for token in tables.lane) for hand in state.hands
    )
    return Position(
        state.rules,
        state.emperor,
        state.guard,
        state.solo,
        tuple(map(text_of, hands)),
        (state.seat,),
        out=tuple(state.out),
    )


def legal(at: Position) -> list[str]:
    """What `todo[0]` may answer."""
    rules, hand = at.rules, at.hands[at.todo[0]]
    plays = list(sets_of(hand))
    if rules.hold_back:
        lowest = str(rules.low_rank)
        plays = [play for play in plays if lowest not in play or len(play) == len(hand)]
    if at.prev is None:
        return plays
    options = {"roast": rules.roast, "three_twos": rules.three_twos}
    return ["pass", *(play for play in plays if pairing.beats(play, at.prev, **options))]


def after(at: Position, answer: str) -> Position | None:
    """The position after an answer; None when the deal is over."""
    seat, *rest = at.todo
    if answer == "pass":
        locked = at.locked | {seat} if at.rules.pass_lock else at.locked
        return next_lead(replace(at, todo=tuple(rest), locked=locked))
    left = at.hands[seat]
    for token in answer:
        left = left.replace(token, "", 1)
    hands = tuple(left if s == seat else hand for s, hand in enumerate(at.hands))
    at = replace(at, hands=hands, prev=answer, by=seat)
    if not left:
        at = replace(at, out=(*at.out, seat))
        if settled(at):
            return None
    others = ((seat + step) % 5 for step in range(1, 5))
    return next_lead(replace(at, todo=tuple(s for s in others if hands[s] and s not in at.locked)))


def next_lead(at: Position) -> Position:
    """When nobody is left to answer, the winner leads, or the next seat with cards after him."""
    if at.todo:
        return at
    leader = next(seat for step in range(5) if at.hands[seat := (at.by + step) % 5])
    return replace(at, todo=(leader,), prev=None, by=-1, locked=frozenset())


def settled(at: Position) -> bool:
    """rules.md 3.7, by the words."""
    others = [seat for seat in at.out if seat != at.emperor]
    if at.solo == "open" and at.rules.scores == "lianzhong":
        return True
    if at.solo:
        enough = 2 if at.rules.scores in ("lianzhong", "biesan") else 4
        return at.emperor in at.out or len(others) >= enough
    if at.rules.end == "one_left":
        return len(at.out) == 4
    court = {at.emperor, at.guard}
    return court <= set(at.out) or set(range(5)) - court <= set(at.out)


def count(at: Position | None, depth: int) -> int:
    """How many sequences of `depth` chosen answers there are; forced ones are not counted."""
    if depth == 0:
        return 1
    if at is None:
        return 0
    answers = legal(at)
    if len(answers) == 1:
        return count(after(at, answers[0]), depth)
    return sum(count(after(at, answer), depth - 1) for answer in answers)
