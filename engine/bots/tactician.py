"""A bot that plays for its side: it knows its role, guards its partner and keeps its stoppers.

It uses what is public about who is who and nothing else. The idea behind most of it: a play with
the highest card in it cannot be beaten, so high jokers are turns that cannot be taken away; a hand
with no more sets than such turns, and one, runs out at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..cards import RANKS, SEATS, rank_of
from ..combinations import PASS
from .protocol import Lots

CLOSE = 9  # a hand this short may go out soon
JOKER_COST = {"x": 1.5, "X": 4.0, "*": 5.0}
BREAK_COST = 1.5  # taking some cards of a rank and leaving others
HIGH_COST = {"2": 1.0, "A": 0.6, "K": 0.3}


class Tactician:
    """Leads to run out, beats enemies that are close, passes on its partner's tricks."""

    name = "tactician"

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        """The best answer by rule of thumb; never random."""
        table = _table(view)
        if view["phase"] == "play":
            legal: list[str] = list(view["legal"])
            return _lead(table, legal) if legal[0] != PASS else _follow(table, legal)
        return _speak(view, table)


@dataclass(slots=True)
class _Table:
    """What a seat knows, in the shape that the rules of thumb need."""

    seat: int
    held: Counter[str]
    sizes: list[int]
    mates: frozenset[int]
    foes: frozenset[int]
    by: int | None
    to_beat: str | None

    @property
    def cards(self) -> int:
        return sum(self.held.values())

    @property
    def sets(self) -> int:
        return sum(1 for token in self.held if token in RANKS)

    @property
    def stoppers(self) -> int:
        return self.held["X"] + self.held["*"]


def _table(view: Mapping[str, Any]) -> _Table:
    seat, public = view["seat"], view["public"]
    trick = view["trick"] or {}
    mates, foes = _sides(seat, view["role"], public)
    held = Counter(rank_of(card) for card in view["hand"].split())
    sizes = public["hand_sizes"]
    return _Table(seat, held, sizes, mates, foes, trick.get("by"), trick.get("to_beat"))


def _sides(seat: int, role: str | None, public: Mapping[str, Any]) -> tuple[Any, Any]:
    """Known mates and likely foes. A rebel takes the emperor for one, the rest as they come."""
    emperor, guard = public["emperor"], public["guard"]
    others = frozenset(range(SEATS)) - {seat}
    if role == "guard":
        return frozenset({emperor}), others - {emperor}
    if role == "emperor":
        mates = frozenset() if guard is None else frozenset({guard})
        return mates, others - mates
    if guard is not None:
        return others - {emperor, guard}, frozenset({emperor, guard})
    if public["solo"]:
        return others - {emperor}, frozenset({emperor})
    return frozenset(public["rebels"]) - {seat}, frozenset({emperor})


# -- play ---------------------------------------------------------------------------------------


def _lead(table: _Table, legal: list[str]) -> str:
    return min(legal, key=lambda play: _lead_cost(table, play))


def _lead_cost(table: _Table, play: str) -> tuple[float, ...]:
    if len(play) == table.cards:
        return (-1000.0,)
    own = play[0]
    natural = own in RANKS
    spent = _joker_cost(play)
    if _runs_out(table, play):
        return (-500.0, spent, _height(own))
    breaks = natural and table.held[own] > play.count(own)
    cost = spent * 3 + (20 if breaks else 0) + (0 if natural else 30)
    cost += _height(own) - 1.2 * play.count(own)
    cost += _danger(table, len(play))
    return (cost,)


def _runs_out(table: _Table, play: str) -> bool:
    """Whether this unbeatable play leaves no more sets than unbeatable turns, and one."""
    top = "*" if table.held["*"] else "X"
    if top not in play or play[0] not in RANKS:
        return False
    if table.held[play[0]] > play.count(play[0]) or play.count(top) > 1:
        return False
    stoppers = table.stoppers - play.count("X") - play.count("*")
    return table.sets - 1 <= stoppers + 1


def _danger(table: _Table, size: int) -> float:
    """Leading as many cards as a foe still holds lets him out; a mate may be let out."""
    cost = 0.0
    for foe in table.foes:
        if 0 < table.sizes[foe] <= 3 and table.sizes[foe] == size:
            cost += 12.0
    for mate in table.mates:
        if 0 < table.sizes[mate] <= 3 and table.sizes[mate] == size:
            cost -= 6.0
    return cost


def _follow(table: _Table, legal: list[str]) -> str:
    plays = [play for play in legal if play != PASS]
    out = [play for play in plays if len(play) == table.cards]
    if out:
        return out[0]
    best = min(plays, key=lambda play: _answer_cost(table, play))
    return best if _answer_cost(table, best) <= _worth(table, best) else PASS


def _answer_cost(table: _Table, play: str) -> float:
    own = play[0]
    cost = _joker_cost(play)
    if own in RANKS:
        rest = table.held[own] - play.count(own)
        cost += BREAK_COST if rest else 0.0
        cost += HIGH_COST.get(own, 0.0) * play.count(own)
    if _runs_out(table, play):
        cost -= 6.0
    return cost


def _worth(table: _Table, play: str) -> float:
    """What it is worth to take this trick."""
    by = table.by if table.by is not None else table.seat
    mine, theirs = table.cards, table.sizes[by]
    if by in table.mates:
        return -1.0 if theirs <= mine or _joker_cost(play) else 0.4
    worth = 1.2 + 0.25 * len(play)
    if by in table.foes:
        worth += 0.5
        if theirs <= CLOSE:
            worth += 1.5 * (CLOSE + 1 - theirs)
    elif theirs <= CLOSE:
        worth += 1.5
    if mine <= 2 * CLOSE:
        worth += 0.25 * (2 * CLOSE - mine)
    return worth


def _joker_cost(play: str) -> float:
    return sum(cost * play.count(joker) for joker, cost in JOKER_COST.items())


def _height(token: str) -> float:
    return float(RANKS.index(token)) if token in RANKS else float(len(RANKS))


# -- before play --------------------------------------------------------------------------------

THRONE = 1.5
DOUBLE = 2.0
SOLO = 9.0


def _speak(view: Mapping[str, Any], table: _Table) -> str:
    legal: list[str] = list(view["legal"])
    strength = _strength(table.held)
    if "accept" in legal:
        return "accept" if strength >= THRONE else "yield"
    if legal[0].startswith("call "):
        return legal[0]
    if "rebel" in legal:
        return "rebel" if strength >= DOUBLE else "silent"
    if "kick" in legal:
        return "kick" if strength >= DOUBLE else "silent"
    if "open" in legal and view["phase"] == "declare":
        return "open" if strength >= DOUBLE else "silent"
    if "open" in legal or "grab" in legal:
        loud = "grab" if "grab" in legal else "open"
        return loud if strength >= SOLO else view["fallback"]
    fallback: str = view["fallback"]
    return fallback


def _strength(held: Counter[str]) -> float:
    """Turns that hold, less the small sets that need them; about 2 for an average hand."""
    high = 1.5 * held["X"] + 1.5 * held["*"] + 0.7 * held["x"] + 0.25 * held["2"] + 0.1 * held["A"]
    weak = sum(1 for token, count in held.items() if token in RANKS[:9] and count <= 2)
    return high - 0.3 * weak
