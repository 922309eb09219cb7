"""Was it us? A little agent of the server's own, called like a stranger's whenever one fails.

If it cannot be reached either, the failure is ours: the question is put again once it can be, and
costs nobody anything.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Protocol

import orjson

from .agent import Agent, Decision, HttpAgent, Notice, Question, Try
from .client import Client
from .faults import Fault, Kind
from .guard import Guard

SUSPICIOUS: frozenset[Kind] = frozenset({"timeout", "connect", "dns", "tls", "server"})
"""Faults that may be this server's or its network's own."""

FRESH_S = 0.25  # for how long one look counts for all tables
LIMIT_S = 1.0  # the control's time to answer; it takes a few milliseconds
PAUSE_S = 1.0
PATIENCE_S = 30.0  # how long a table waits until the control is well again
AGAIN = 2  # times that a question is put again


class Judge(Protocol):
    """Tells whether calls go out and come back at all."""

    async def well(self) -> bool: ...

    async def recover(self) -> None: ...


class Control:
    """Looks at most once in a moment, for all who ask meanwhile."""

    def __init__(self, agent: HttpAgent) -> None:
        self._agent = agent
        self._look: asyncio.Task[bool] | None = None
        self._looked_at = 0.0

    async def well(self) -> bool:
        """Whether the control agent answers."""
        if self._look is None or time.monotonic() - self._looked_at > FRESH_S:
            self._looked_at = time.monotonic()
            self._look = asyncio.create_task(self._answers())
        return await asyncio.shield(self._look)

    async def recover(self) -> None:
        """Wait until it answers again, or patience ends."""
        end = time.monotonic() + PATIENCE_S
        while not await self.well() and time.monotonic() < end:  # noqa: ASYNC110 - not ours to set
            await asyncio.sleep(PAUSE_S)

    async def _answers(self) -> bool:
        return await self._agent.hello(secrets.token_hex(16), LIMIT_S) is None


@asynccontextmanager
async def control_at(url: str, guard: Guard) -> AsyncIterator[Control]:
    """The control agent at an operator's URL, or, without one, served here on loopback."""
    if url:
        async with _called(url, guard) as control:
            yield control
        return
    async with await asyncio.start_server(_serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with _called(f"http://127.0.0.1:{port}/", Guard([f"127.0.0.1/32:{port}"])) as control:
            yield control


@asynccontextmanager
async def _called(url: str, guard: Guard) -> AsyncIterator[Control]:
    client = Client(guard)
    try:
        yield Control(HttpAgent(url, (), client, "control"))
    finally:
        await client.close()


class FairAgent:
    """An agent that is called by HTTP, judged by the control when it fails; or one that fetches,
    judged by whether it could.
    """

    listens = True

    def __init__(self, agent: Agent, judge: Judge) -> None:
        self._agent = agent
        self._judge = judge

    def __repr__(self) -> str:
        return f"FairAgent({self._agent!r})"

    async def decide(self, question: Question) -> Decision:
        decision = await self._agent.decide(question)
        for _ in range(AGAIN):
            if not await self._ours(decision):
                return decision
            tries = _with(decision, question)
            await self._judge.recover()
            again = replace(question, asked_at=round(time.time(), 3))
            decision = await self._agent.decide(again)
            asked_at = decision.asked_at or again.asked_at
            decision = replace(decision, asked_at=asked_at, tries=tries)
        return await self._excused(decision)

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        return await self._agent.notify(notice, seconds)

    async def _excused(self, decision: Decision) -> Decision:
        """What the last try came to; if it failed for the same reason, at nobody's cost."""
        if not await self._ours(decision):
            return decision
        if decision.fault is not None and decision.fault.kind == "server":
            return replace(decision, charged_ms=0)  # it says what was wrong here
        detail = "this server could not reach its own agent either"
        fault = Fault("server", "server", detail, decision.ms)
        return replace(decision, fault=fault, charged_ms=0)

    async def _ours(self, decision: Decision) -> bool:
        """Whether a failure is not the agent's."""
        fault = decision.fault
        if fault is None or fault.kind not in SUSPICIOUS:
            return False
        return fault.charged_to == "server" or not await self._judge.well()


def _with(failed: Decision, question: Question) -> tuple[Try, ...]:
    """The tries so far, this one included."""
    if failed.fault is None:
        return failed.tries
    return (*failed.tries, Try(failed.asked_at or question.asked_at, failed.fault))


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Echo the challenge of every `hello` on a connection."""
    try:
        while True:
            writer.write(_echo(await _body(reader)))
            await writer.drain()
    except (OSError, ValueError, LookupError, asyncio.IncompleteReadError):
        pass  # it went, or was no client of ours
    finally:
        writer.close()


async def _body(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    return await reader.readexactly(length)


def _echo(body: bytes) -> bytes:
    asked = orjson.loads(body)
    answer = orjson.dumps({"request": asked["request"], "challenge": asked["challenge"]})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(answer) + answer
