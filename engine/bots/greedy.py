"""A bot that gets rid of cards: whole low sets first, jokers late, beats when it is cheap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..cards import RANKS, rank_of
from .protocol import Lots

THRONE_STRENGTH = 5  # jokers and twos that make a hand worth a throne
HURRY = 6  # cards in another hand that make holding back dangerous


class Greedy:
    """Leads its whole lowest rank, answers with the lowest set that breaks nothing."""

    name = "greedy"

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        """The phase's simple choice; never random."""
        legal: list[str] = list(view["legal"])
        if view["phase"] == "play":
            return _play(view, legal)
        return _before_play(view, legal)


def _before_play(view: Mapping[str, Any], legal: list[str]) -> str:
    if "accept" in legal:
        return "accept" if _strength(view["hand"]) >= THRONE_STRENGTH else "yield"
    if legal[0].startswith("call "):
        return legal[0]
    fallback: str = view["fallback"]
    return fallback


def _strength(hand: str) -> int:
    return sum(card[0] in "2xXGE" for card in hand.split())


def _play(view: Mapping[str, Any], legal: list[str]) -> str:
    held = Counter(rank_of(card) for card in view["hand"].split())
    if legal[0] != "pass":
        return min(legal, key=lambda play: _lead_cost(play, held))
    answers = [play for play in legal if play != "pass"]
    best = min(answers, key=lambda play: _answer_cost(play, held))
    return best if _worth_it(view, best, held) else "pass"


def _jokers(play: str) -> int:
    return play.count("x") + 2 * play.count("X") + 3 * play.count("*")


def _height(play: str) -> int:
    return RANKS.index(play[0]) if play[0] in RANKS else len(RANKS)


def _rest(play: str, held: Counter[str]) -> int:
    """How many cards of the play's own rank stay behind."""
    return held[play[0]] - play.count(play[0]) if play[0] in RANKS else 0


def _lead_cost(play: str, held: Counter[str]) -> tuple[int, ...]:
    """Without jokers first, then lowest rank, then the whole set."""
    if len(play) == sum(held.values()):
        return (-1,)
    return (_jokers(play), _height(play), _rest(play, held))


def _answer_cost(play: str, held: Counter[str]) -> tuple[int, ...]:
    if len(play) == sum(held.values()):
        return (-1,)
    return (_jokers(play), _rest(play, held) > 0, _height(play), _rest(play, held))


def _worth_it(view: Mapping[str, Any], play: str, held: Counter[str]) -> bool:
    """Beat cheaply always; dearly only when somebody is about to go out or the hand is short."""
    if _jokers(play) == 0 and _rest(play, held) == 0:
        return True
    public = view["public"]
    sizes = [
        size for seat, size in enumerate(public["hand_sizes"]) if seat != view["seat"] and size
    ]
    return sum(held.values()) <= 2 * HURRY or min(sizes) <= HURRY
