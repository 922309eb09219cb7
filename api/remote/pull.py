"""Agents that cannot be called, and people: their questions wait to be fetched, in a mailbox.

The clock of a decision begins when it is first fetched. Who does not fetch it within the time that
he would have had to answer it, loses as much; what lies longer than a poll takes is charged to who
fetches it at last. How far away such an agent is cannot be measured, so a flat allowance is not
charged. Where nobody could come in for a good part of the time, it was us (control.py's FairAgent).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from .agent import Decision, Notice, Question
from .faults import Fault
from .wire import decide_body

ALLOWANCE_MS = 150
CLOSED_SHARE = 0.25  # of a question's time; a miss in which the door was shut for less is a miss
POLL_MS = 2_000  # for which a question may lie: who asks again and again is not always in time
_NOT_FETCHED = "nobody asked for this decision in time"
_NOT_ANSWERED = "fetched, and not answered in time"

LetterKind = Literal["decide", "deal_end", "match_end"]


@dataclass(frozen=True, slots=True)
class Letter:
    """A request on its way into the mailbox of an agent. `epoch` is that of the match's claim.

    A check belongs to no match: then any number of its questions may wait there.
    """

    request: str
    agent_id: str
    match_id: str | None
    epoch: int
    kind: LetterKind
    body: bytes
    budget_ms: int
    limit_ms: int


@dataclass(frozen=True, slots=True)
class Returned:
    """What became of a letter. `ms`: from the fetching, or from the asking if there was none.

    `lay_ms`: how long it lay before it was fetched. `began`: when `ms` began, by the database's
    clock, in seconds since 1970.
    """

    ms: int
    fetched: bool
    answer: str | None = None
    note: str | None = None
    lay_ms: int = 0
    began: float = 0.0


class Mailbox(Protocol):
    """Takes letters in, and waits for their answers as long as their clocks allow."""

    async def ask(self, letter: Letter) -> Returned: ...

    async def tell(self, letter: Letter) -> None: ...


class Door(Protocol):
    """Knows when anybody could have fetched and answered."""

    async def closed_ms(self, began: float, ms: int) -> int:
        """Of the `ms` after `began`, by the database's clock, how many nobody could."""


class PullAgent:
    """One seat of one claimed match (None: of a check), played by whoever fetches its questions.

    Without a `door` every miss is the agent's.
    """

    listens = True

    def __init__(
        self,
        agent_id: str,
        match_id: str | None,
        epoch: int,
        mailbox: Mailbox,
        door: Door | None = None,
    ) -> None:
        self._agent_id = agent_id
        self._match_id = match_id
        self._epoch = epoch
        self._mailbox = mailbox
        self._door = door

    def __repr__(self) -> str:
        return f"PullAgent({self._agent_id!r})"

    async def decide(self, question: Question) -> Decision:
        clock = question.clock
        body = decide_body(question.request, question.ids, question.view, clock, 0.0)
        letter = self._letter(question.request, "decide", body, clock.budget_ms, clock.limit_ms)
        returned = await self._mailbox.ask(letter)
        if returned.answer is None and self._door is not None:
            closed_ms = await self._door.closed_ms(returned.began, returned.ms)
            if closed_ms > CLOSED_SHARE * returned.ms:
                return _given(returned, _ours(returned.ms, closed_ms))
        return _given(returned, _decision(returned, question))

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        await self._mailbox.tell(
            self._letter(notice.request, notice.kind, notice.body, 0, round(seconds * 1000))
        )
        return None

    def _letter(
        self, request: str, kind: LetterKind, body: bytes, budget_ms: int, limit_ms: int
    ) -> Letter:
        return Letter(
            request, self._agent_id, self._match_id, self._epoch, kind, body, budget_ms, limit_ms
        )


def _given(returned: Returned, decision: Decision) -> Decision:
    """With the moment that the request which was given counts its deadline from (decisions.py)."""
    if not returned.fetched:
        return decision
    return replace(decision, asked_at=round(returned.began, 3))


def _ours(ms: int, closed_ms: int) -> Decision:
    detail = f"the arena could not be reached for {closed_ms} ms of its time"
    return Decision(None, Fault("server", "server", detail, ms), ms, 0)


def _decision(returned: Returned, question: Question) -> Decision:
    ms = returned.ms
    if returned.answer is None:
        kind: Literal["timeout", "connect"] = "timeout" if returned.fetched else "connect"
        detail = _NOT_ANSWERED if returned.fetched else _NOT_FETCHED
        return Decision(None, Fault(kind, "bot", detail, ms), ms, ms)
    charged = max(0, ms - ALLOWANCE_MS) + max(0, returned.lay_ms - POLL_MS)
    if returned.answer not in question.view["legal"]:
        detail = "the stored answer is not legal"
        return Decision(None, Fault("illegal", "bot", detail, ms), ms, charged)
    return Decision(returned.answer, None, ms, charged, returned.note)
