"""One match at its table: asks whoever is to act, keeps the clocks, plays for who cannot answer.

The referee (engine Match) holds all rules, the limit of autoplay in a deal included; this module
holds all waiting. A fault is recorded and the fallback played; who is absent from several deals
through his own faults deserts (absence.py); nothing that an agent does ends the match.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .absence import Absences
from .agent import Agent, Decision, Notice, Question
from .faults import Fault
from .notices import Notices
from .wire import (
    Clock,
    LastCall,
    MatchIds,
    deal_end_body,
    match_end_body,
    question_id,
    request_id,
)


class Referee(Protocol):
    """What is needed of engine.match.Match."""

    @property
    def over(self) -> bool: ...
    @property
    def seat(self) -> int: ...
    @property
    def fallback(self) -> str: ...
    @property
    def turn(self) -> int: ...
    @property
    def deal(self) -> int: ...
    @property
    def deals_done(self) -> Sequence[dict[str, Any]]: ...
    @property
    def totals(self) -> Sequence[int]: ...
    @property
    def penalties(self) -> Sequence[int]: ...

    def view(self) -> dict[str, Any]: ...
    def answer(self, text: str, auto: bool = False) -> None: ...
    def autoplay(self) -> None: ...
    def on_autoplay(self, seat: int) -> bool: ...
    def desert(self, seat: int) -> None: ...


@dataclass(frozen=True, slots=True)
class TimeRules:
    """Milliseconds. `grace_ms` is added to a seat's first budget of a match: agents start cold."""

    budget_ms: int = 2_000
    bank_ms: int = 30_000
    grace_ms: int = 0
    notice_ms: int = 2_000


@dataclass(slots=True)
class SeatClock:
    """A seat's bank and last call; kept with the checkpoint, so that a resume goes on with it."""

    bank_ms: int
    last: LastCall | None = None

    def before(self, times: TimeRules) -> Clock:
        grace = times.grace_ms if self.last is None else 0
        return Clock(times.budget_ms + grace, self.bank_ms, self.last)

    def spend(self, clock: Clock, call: LastCall) -> None:
        """A call has ended; `clock` as it stood before."""
        beyond = max(0, call.charged_ms - clock.budget_ms)
        self.bank_ms = max(0, self.bank_ms - beyond)
        self.last = call


@dataclass(frozen=True, slots=True)
class Played:
    """One decision as it went into the match; `auto`: the fallback was played for a fault.

    `asked_at` in seconds since 1970; `clock` as it stood before the call.
    """

    turn: int
    seat: int
    request: str
    answer: str
    auto: bool
    decision: Decision
    asked_at: float
    clock: Clock


class Hooks(Protocol):
    """What the caller wants to know. An exception from a hook ends `play` (a lost lease, say)."""

    def on_decision(self, played: Played) -> Awaitable[None] | None:
        """After each decision, before the next question: the place to checkpoint."""

    def on_fault(self, played: Played, fault: Fault) -> None:
        """Before `on_decision` of the same decision, when it carries a fault."""


def new_clocks(times: TimeRules) -> list[SeatClock]:
    return [SeatClock(times.bank_ms) for _ in range(5)]


async def play(
    match: Referee,
    ids: MatchIds,
    agents: Sequence[Agent],
    clocks: Sequence[SeatClock],
    hooks: Hooks,
    times: TimeRules | None = None,
    absences: Absences | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> None:
    """Play a match to its end, from wherever it stands. Raises only what a hook raises.

    `clocks` and `absences` are as they were left if somebody began with it. `goes_on` is asked
    before each question; where it says no, everything about the one before is done.
    """
    times = times or TimeRules()
    notices = Notices(agents, times.notice_ms / 1000)
    absences = absences or Absences()
    try:
        while not match.over and goes_on():
            done, deal = len(match.deals_done), match.deal
            played = await _decide(match, ids, agents, clocks, times)
            await _report(played, hooks)
            fault = played.decision.fault
            if fault is not None and absences.note(
                played.seat, deal, fault.charged_to, match.on_autoplay(played.seat)
            ):
                match.desert(played.seat)
            for ended in match.deals_done[done:]:
                _tell_deal_end(match, ids, ended, notices)
        if match.over:
            _tell_match_end(match, ids, notices)
        await notices.finish()
    finally:
        await notices.stop()


async def _decide(
    match: Referee,
    ids: MatchIds,
    agents: Sequence[Agent],
    clocks: Sequence[SeatClock],
    times: TimeRules,
) -> Played:
    seat, turn, fallback = match.seat, match.turn, match.fallback
    clock, view = clocks[seat].before(times), match.view()
    question = Question(question_id(ids, view), ids, view, clock)
    decision = await agents[seat].decide(question)
    clocks[seat].spend(clock, LastCall(decision.ms, decision.charged_ms, decision.status))
    auto = decision.answer is None
    if decision.answer is None:
        match.autoplay()
    else:
        match.answer(decision.answer)
    answer = decision.answer or fallback
    asked_at = decision.asked_at or question.asked_at
    return Played(turn, seat, question.request, answer, auto, decision, asked_at, clock)


async def _report(played: Played, hooks: Hooks) -> None:
    if played.decision.fault is not None:
        hooks.on_fault(played, played.decision.fault)
    waiting = hooks.on_decision(played)
    if waiting is not None:
        await waiting


def _tell_deal_end(match: Referee, ids: MatchIds, deal: dict[str, Any], notices: Notices) -> None:
    number = f"{deal['number']}/{deal['attempt']}"
    for seat in filter(notices.listens, range(5)):
        request = request_id("deal_end", ids.match, number, seat)
        body = deal_end_body(request, ids, seat, deal, match.totals)
        notices.send(seat, Notice("deal_end", request, body))


def _tell_match_end(match: Referee, ids: MatchIds, notices: Notices) -> None:
    for seat in filter(notices.listens, range(5)):
        request = request_id("match_end", ids.match, "end", seat)
        body = match_end_body(request, ids, seat, match.totals, match.penalties)
        notices.send(seat, Notice("match_end", request, body))
