"""What spectators may hear of a running match, answer by answer (contract.md sections 2 and 4).

Told is what every seat knows: the public answers, the engine's own among them, and how a deal came
out. Nobody may learn whether somebody had a choice. A match stops where a seat is asked, so what
stands in the history at that moment always ends before an answer that is not forced; cutting there
would tell. Cuts depend on what is public alone: a saying ends with a loud answer, and quiet ones
wait for the next loud one or for the end of the deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from .record import replay
from .rules import RuleSet

QUIET = frozenset({"pass", "silent", "yield"})
"""Answers that a seat without a choice may give as well."""

STARTED, ANSWERS, FINISHED = "deal.started", "deal.answers", "deal.finished"

OUTCOME = ("emperor", "guard", "solo", "called", "factor", "places", "scores", "result")
"""What everybody at the table knows when a deal is over; its cards are not among it."""

History = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing to tell: its kind (`deal.started`, `deal.answers`, `deal.finished`), its facts."""

    kind: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a match has been told: whole deals, whether the next one's start, its answers.

    `before` counts the public answers of the deals told.
    """

    deals: int = 0
    started: bool = False
    answers: int = 0
    before: int = 0


class _Deal(Protocol):
    @property
    def history(self) -> History: ...


class Followed(Protocol):
    """What is looked at of the referee."""

    @property
    def rules(self) -> RuleSet: ...
    @property
    def deal(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def log(self) -> Sequence[tuple[int, str, bool]]: ...
    @property
    def deals_done(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def state(self) -> _Deal: ...


def told_so_far(match: Followed) -> Mark:
    """Where a match stands that was told of whenever its log was written; at first nothing was."""
    if not match.log:
        return Mark()
    history = match.state.history
    before = match.turn - 1 - len(history)
    if match.over:
        return Mark(len(match.deals_done), before=before)
    return Mark(len(match.deals_done), True, _loud(history), before)


def since(match: Followed, mark: Mark) -> tuple[list[Saying], Mark]:
    """What is to be told now that was not at `mark`, in order, and the mark after it."""
    sayings: list[Saying] = []
    for entry in match.deals_done[mark.deals :]:
        history = replay(match.rules, entry).history
        sayings += _deal(entry["number"], entry["attempt"], history, mark)
        sayings.append(_finished(entry))
        mark = Mark(mark.deals + 1, before=mark.before + len(history))
    if match.over:
        return sayings, mark
    heard = match.state.history[: _loud(match.state.history)]
    sayings += _deal(match.deal, match.attempt, heard, mark)
    return sayings, Mark(mark.deals, True, len(heard), mark.before)


def _deal(number: int, attempt: int, heard: History, mark: Mark) -> Iterator[Saying]:
    """The start of a deal and its answers, from `mark` on."""
    place = {"deal": number, "attempt": attempt}
    if not mark.started:
        yield Saying(STARTED, place)
    for start, end in pairwise(_cuts(heard, mark.answers)):
        answers = [[seat, answer] for seat, answer in heard[start:end]]
        yield Saying(ANSWERS, {**place, "turn": mark.before + start + 1, "answers": answers})


def _cuts(heard: History, start: int) -> Iterator[int]:
    """`start`, and every place after a loud answer; the end is one in any case."""
    yield start
    for place in range(start, len(heard)):
        if heard[place][1] not in QUIET or place == len(heard) - 1:
            yield place + 1


def _loud(history: History) -> int:
    """How many answers there are up to the last loud one."""
    loud = (place for place in range(len(history), 0, -1) if history[place - 1][1] not in QUIET)
    return next(loud, 0)


def _finished(entry: Mapping[str, Any]) -> Saying:
    place = {"deal": entry["number"], "attempt": entry["attempt"]}
    return Saying(FINISHED, place | {name: entry[name] for name in OUTCOME})
