"""An agent of whom everything is written down: notices too, which nobody at the table waits for."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

from .agent import Agent, Decision, Notice, Question
from .faults import Fault

LEFT = "the match went on elsewhere, or was over, before it was taken"


@dataclass(frozen=True, slots=True)
class Told:
    """A notice as it went. `asked_at` in seconds since 1970; `fault` is None if it was taken."""

    seat: int
    notice: Notice
    asked_at: float
    ms: int
    fault: Fault | None


class NoticeHook(Protocol):
    """Who writes it down."""

    def on_notice(self, told: Told) -> None:
        """After each notice, however it went. Called on the event loop, between decisions."""


class LoggedAgent:
    """The agent at a seat; what it is told is reported to the hook."""

    def __init__(self, agent: Agent, seat: int, hook: NoticeHook) -> None:
        self._agent = agent
        self._seat = seat
        self._hook = hook

    def __repr__(self) -> str:
        return f"LoggedAgent({self._agent!r})"

    @property
    def listens(self) -> bool:
        return self._agent.listens

    async def decide(self, question: Question) -> Decision:
        return await self._agent.decide(question)

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        asked_at, start = round(time.time(), 3), time.monotonic()
        fault: Fault | None = Fault("server", "server", LEFT)
        try:
            fault = await self._agent.notify(notice, seconds)
        except asyncio.CancelledError:
            self._report(notice, asked_at, start, fault)
            raise
        self._report(notice, asked_at, start, fault)
        return fault

    def _report(self, notice: Notice, asked_at: float, start: float, fault: Fault | None) -> None:
        ms = round((time.monotonic() - start) * 1000)
        self._hook.on_notice(Told(self._seat, notice, asked_at, ms, fault))
