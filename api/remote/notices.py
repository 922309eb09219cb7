"""Notices to agents (`deal_end`, `match_end`): in order a seat, and never waited for in play."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence

from .agent import Agent, Notice

_log = logging.getLogger(__name__)
_WAITING = 4  # notices that may queue up behind a slow one; older ones are dropped


class Notices:
    """One queue a listening seat, each emptied by a task of its own."""

    def __init__(self, agents: Sequence[Agent], seconds: float) -> None:
        self._agents = agents
        self._seconds = seconds
        self._queues: list[deque[Notice]] = [deque(maxlen=_WAITING) for _ in agents]
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def listens(self, seat: int) -> bool:
        return self._agents[seat].listens

    def send(self, seat: int, notice: Notice) -> None:
        self._queues[seat].append(notice)
        if seat not in self._tasks:
            self._tasks[seat] = asyncio.create_task(self._deliver(seat))

    async def finish(self) -> None:
        """Wait for what is on its way, `seconds` at most in all; the rest is given up."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=self._seconds)
        await self.stop()

    async def stop(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                _log.error("a notice failed here", exc_info=outcome)

    async def _deliver(self, seat: int) -> None:
        queue = self._queues[seat]
        while queue:
            await self._agents[seat].notify(queue.popleft(), self._seconds)
        del self._tasks[seat]
