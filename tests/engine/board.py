"""Positions built by hand: hands as text, answers as `seat answer`, every seat and answer checked.

A position need not hold a whole deck: a deal plays with the cards it is given.
"""

from typing import Any

from baohuang.engine import DealState, RuleSet, View, rule_set
from baohuang.engine.notation import hand_text


def rules(preset: str = "lianzhong-simple", **overrides: object) -> RuleSet:
    """A preset with options changed."""
    return rule_set(preset, overrides)


def position(ruleset: RuleSet, *hands: str, offered: int | None = None) -> DealState:
    """A deal with these five hands; the throne is first offered to the holder of `E`."""
    dealt = [hand.split() for hand in hands]
    if offered is None:
        (offered,) = (seat for seat in range(5) if "E" in dealt[seat])
    return DealState(ruleset, dealt, offered)


def say(state: DealState, *script: str) -> DealState:
    """Answer, line by line: `"2 call 9C"` is seat 2's; it must be asked and may say so."""
    for line in script:
        seat, _, answer = line.partition(" ")
        assert state.seat == int(seat), f"{line!r}: seat {state.seat} is asked, {state.legal}"
        assert answer in state.legal, f"{line!r}: only {state.legal} are legal"
        state.apply(answer)
    return state


def plain(*hands: str, **options: object) -> DealState:
    """At the first lead of seat 0, who holds `E`; another seat holds `G`. Nothing is declared."""
    quiet: dict[str, object] = {"open_guard": False, "rebellion": False}
    return say(position(rules("lianzhong-simple", **(quiet | options)), *hands), "0 accept")


def asked(state: DealState) -> tuple[int, list[str]]:
    """Who is asked, and what he may say."""
    return state.seat, list(state.legal)


def hand(state: DealState, seat: int) -> str:
    """What a seat holds, as it sees it itself."""
    text: str = View(state, seat)["hand"]
    return text


def public(state: DealState) -> dict[str, Any]:
    """What everybody sees."""
    shown: dict[str, Any] = View(state, 0)["public"]
    return shown


def held(state: DealState) -> list[str]:
    """All five hands before the first lead, as text."""
    return [hand_text(cards) for cards in state.cards]


def slots(state: DealState) -> dict[str, Any]:
    """Every slot of a state, lists copied: two of the same content are the same state."""
    values = {name: getattr(state, name) for name in DealState.__slots__}
    values["cards"] = [list(cards) for cards in state.cards]
    return {
        name: value.copy() if isinstance(value, list) else value for name, value in values.items()
    }
