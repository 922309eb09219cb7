"""A shadow is asked what the agent at the table is asked, at the same time, and awaited by nobody.

It has connections and a bounded number of calls of its own; what is beyond that is skipped, so that
a slow shadow costs the table nothing. What came of it is kept until somebody takes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """One question as the version at the table (`played`) and its shadow answered it."""

    version_id: str
    seat: int
    question: Question
    played: Decision
    shadow: Decision


class Shadows:
    """All shadows of one event loop. `judge` tells whether a failure is our own."""

    def __init__(self, judge: Judge, at_once: int = AT_ONCE, each: int = EACH) -> None:
        self._judge = judge
        self._at_once = at_once
        self._each = each
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: Counter[str] = Counter()
        self._kept: list[Comparison] = []
        self._skipped: Counter[str] = Counter()

    def take(self) -> tuple[list[Comparison], Counter[str]]:
        """What was compared since the last time, and how often each version was skipped."""
        taken = self._kept, self._skipped
        self._kept, self._skipped = [], Counter()
        return taken

    def compare(
        self,
        version_id: str,
        shadow: HttpAgent,
        question: Question,
        played: asyncio.Future[Decision],
    ) -> None:
        """Ask a shadow, and keep its answer beside what is played, once that is known."""
        self._start(version_id, self._compared(version_id, shadow, question, played))

    def notify(self, version_id: str, shadow: HttpAgent, notice: Notice, seconds: float) -> None:
        self._start(version_id, self._told(shadow, notice, seconds))

    async def close(self) -> None:
        """Give up what is on its way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, version_id: str, call: Coroutine[Any, Any, None]) -> None:
        if len(self._tasks) >= self._at_once or self._busy[version_id] >= self._each:
            call.close()
            self._skipped[version_id] += 1
            return
        self._busy[version_id] += 1
        task = asyncio.create_task(call)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(version_id, done))

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
    """The agent at the table; whatever it is asked, its shadow is asked too."""

    listens = True

    def __init__(self, agent: Agent, version_id: str, shadow: HttpAgent, shadows: Shadows) -> None:
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
