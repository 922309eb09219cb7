"""Does an agent that fetches its questions keep the bot protocol? It is asked what a match asks.

Its questions come through its own door (pull.py), so what belongs to being called, signatures and
broken bodies, is not tried: the arena's API has refused what is no answer before it comes here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import count

from .agent import Decision, Notice, Question
from .pull import Mailbox, PullAgent
from .questioning import LAST, NOTICES, Finding, NoticeKind, notice_body, questioned, speed, told
from .questions import Sample, drawn
from .wire import Clock, MatchIds, request_id

COLD_MS = 30_000  # for the first question: a bot that polls may be asleep
NOTICE_S = 10.0


@dataclass(frozen=True, slots=True)
class PullSubject:
    """The agent under test. `match`: an id that no match has, another one for every check."""

    agent_id: str
    match: str
    mailbox: Mailbox
    budget_ms: int = 2000
    each: int = 3
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def ids(self) -> MatchIds:
        return MatchIds(self.match)

    @property
    def agent(self) -> PullAgent:
        """The agent as a match asks it; there is no match, so none is named to the database."""
        return PullAgent(self.agent_id, None, 1, self.mailbox)

    async def decide(self, sample: Sample, bank_ms: int = 0) -> Decision:
        """Its answer to a question, which has a request id of its own each time."""
        request = self._request("decide")
        clock = Clock(self.budget_ms, bank_ms, LAST)
        return await self.agent.decide(Question(request, self.ids, sample.view, clock))

    async def tell(self, kind: NoticeKind) -> None:
        """Leave a notice there."""
        request = self._request(kind)
        notice = Notice(kind, request, notice_body(kind, request, self.ids))
        await self.agent.notify(notice, NOTICE_S)

    def _request(self, kind: str) -> str:
        return request_id(kind, self.match, f"check/{next(self.numbers)}", 0)


async def findings(subject: PullSubject) -> AsyncIterator[Finding]:
    """Every check in turn. Of whom nobody fetches the first question for nothing else is asked."""
    asked, times = await drawn(subject.each), list[int]()
    there = await _is_there(subject, asked[0])
    yield there
    if there.verdict == "failed":
        return
    async for finding in questioned(subject, asked, times):
        yield finding
    for kind in NOTICES:
        yield await _after_notice(subject, kind, asked[0])
    yield speed(subject, times)


async def _is_there(subject: PullSubject, sample: Sample) -> Finding:
    decision = await subject.decide(sample, COLD_MS)
    if decision.fault is None:
        return Finding("fetches its questions", "ok", f"answered after {decision.ms} ms")
    hint = "; start it, then have it checked" if decision.fault.kind == "connect" else ""
    return Finding("fetches its questions", "failed", told(decision.fault) + hint)


async def _after_notice(subject: PullSubject, kind: NoticeKind, sample: Sample) -> Finding:
    """A notice is fetched before the next question, which must be answered as always."""
    await subject.tell(kind)
    decision = await subject.decide(sample)
    name = f"notice {kind}"
    if decision.fault is not None:
        detail = f"the question after it was not answered; {told(decision.fault)}"
        return Finding(name, "failed", detail)
    return Finding(name, "ok")
