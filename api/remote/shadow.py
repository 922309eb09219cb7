"""A shadow is asked what the agent at the table is asked, at the same time, and awaited by nobody.

It has connections and a bounded number of calls of its own; what is beyond that is skipped, so that
a slow shadow costs the table nothing. What came of it is kept until somebody takes it.

A shadow is asked so many questions in all, by whatever tables and workers. Each event loop counts
down from the remainder that it heard of last, and puts no more than a `STEP` before it hears anew:
so each but one may go beyond the bound by one step, however many matches it plays.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from .agent import Agent, Decision, HttpAgent, Notice, Question
from .control import SUSPICIOUS, Judge
from .faults import Fault

_log = logging.getLogger(__name__)

AT_ONCE = 64  # calls of all shadows of a worker
EACH = 4  # of one version
PATIENCE_S = 30.0
KEPT = 5_000  # comparisons that wait to be taken
STEP = 250  # questions to one version before its remainder is heard anew


@dataclass(frozen=True, slots=True)
class Comparison:
    """One question as the version at the table (`played`) and its shadow answered it."""

    version_id: str
    seat: int
    question: Question
    played: Decision
    shadow: Decision


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of the shadows for a while; `asked` and `skipped` by version.

    A question that was asked may be compared later, or never.
    """

    found: list[Comparison]
    asked: Counter[str]
    skipped: Counter[str]

    def __bool__(self) -> bool:
        return bool(self.found or self.asked or self.skipped)


class Shadows:
    """All shadows of one event loop. `judge` tells whether a failure is our own."""

    def __init__(self, judge: Judge, at_once: int = AT_ONCE, each: int = EACH) -> None:
        self._judge = judge
        self._at_once = at_once
        self._each = each
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: Counter[str] = Counter()
        self._kept: list[Comparison] = []
        self._asked: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._left: dict[str, int] = {}

    def take(self) -> Taken:
        """What came of them since the last time."""
        taken = Taken(self._kept, self._asked, self._skipped)
        self._kept, self._asked, self._skipped = [], Counter(), Counter()
        return taken

    def put_back(self, taken: Taken) -> None:
        """What was taken could not be written down: it counts nevertheless."""
        self._asked.update(taken.asked)
        self._skipped.update(taken.skipped)

    def expect(self, version_id: str, left: int) -> None:
        """A table begins whose shadow may be asked `left` times more, as was known at its claim."""
        self._left[version_id] = min(left, self._left.get(version_id, STEP))

    def hear(self, left: Mapping[str, int]) -> None:
        """How often versions may be asked now that all that was taken is written down."""
        for version_id, number in left.items():
            self._left[version_id] = min(number, STEP) - self._asked[version_id]

    def compare(
        self,
        version_id: str,
        shadow: HttpAgent,
        question: Question,
        played: asyncio.Future[Decision],
    ) -> None:
        """Ask a shadow, and keep its answer beside what is played, once that is known."""
        if self._start(version_id, self._compared(version_id, shadow, question, played)):
            self._asked[version_id] += 1
            self._left[version_id] -= 1

    def notify(self, version_id: str, shadow: HttpAgent, notice: Notice, seconds: float) -> None:
        self._start(version_id, self._told(shadow, notice, seconds))

    async def close(self) -> None:
        """Give up what is on its way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, version_id: str, call: Coroutine[Any, Any, None]) -> bool:
        """Whether it may be called now; else it is skipped."""
        if self._has_enough(version_id):
            call.close()
            self._skipped[version_id] += 1
            return False
        self._busy[version_id] += 1
        task = asyncio.create_task(call)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(version_id, done))
        return True

    def _has_enough(self, version_id: str) -> bool:
        busy = len(self._tasks) >= self._at_once or self._busy[version_id] >= self._each
        return busy or self._left[version_id] <= 0

    def _ended(self, version_id: str, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._busy[version_id] -= 1
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a shadow's call failed here", exc_info=error)

    async def _compared(
        self,
        version_id: str,
        shadow: HttpAgent,
        question: Question,
        played: asyncio.Future[Decision],
    ) -> None:
        decision = await _asked(shadow, question)
        if await self._ours(decision) or len(self._kept) >= KEPT:
            self._skipped[version_id] += 1
            return
        seat = question.view["seat"]
        self._kept.append(Comparison(version_id, seat, question, await played, decision))

    async def _told(self, shadow: HttpAgent, notice: Notice, seconds: float) -> None:
        await shadow.notify(notice, seconds)

    async def _ours(self, decision: Decision) -> bool:
        fault = decision.fault
        return fault is not None and fault.kind in SUSPICIOUS and not await self._judge.well()


class ShadowedAgent:
    """The agent at the table; whatever it is asked, its shadow is asked too, `left` times."""

    listens = True

    def __init__(
        self, agent: Agent, version_id: str, shadow: HttpAgent, shadows: Shadows, left: int
    ) -> None:
        shadows.expect(version_id, left)
        self._agent = agent
        self._version_id = version_id
        self._shadow = shadow
        self._shadows = shadows

    def __repr__(self) -> str:
        return f"ShadowedAgent({self._agent!r})"

    async def decide(self, question: Question) -> Decision:
        played: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._shadows.compare(self._version_id, self._shadow, question, played)
        try:
            decision = await self._agent.decide(question)
        except BaseException:
            played.cancel()
            raise
        played.set_result(decision)
        return decision

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        self._shadows.notify(self._version_id, self._shadow, notice, seconds)
        return await self._agent.notify(notice, seconds)


async def _asked(shadow: HttpAgent, question: Question) -> Decision:
    """What a shadow answers, with the clock of the one at the table and not for ever."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await shadow.decide(question)
    except TimeoutError:
        ms = round(PATIENCE_S * 1000)
        return Decision(None, Fault("timeout", "bot", "no answer for half a minute", ms), ms, ms)
