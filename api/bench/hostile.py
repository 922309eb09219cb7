"""What hostile agents cost: late ends, memory, and the patience of a healthy agent beside them.

Servers run in processes of their own. That a worker plays a round of such agents to its end is a
test (tests/scheduler/test_hostile.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import multiprocessing
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

from ..remote.agent import Decision, HttpAgent, Question
from ..remote.client import Client
from ..remote.guard import Guard
from ..remote.signing import new_secret
from ..remote.wire import Clock, MatchIds, question_id
from .behaviours import BEHAVIOURS
from .loopback import loop_factory, loopback_agents
from .scripted import serving

LOOPBACK = "127.0.0.0/8"
HOSTILE = 100
BUDGET_MS = 300
AGAIN_S = 0.1  # the other seats' time, from one question to an agent to the next
LATE_MS, MEMORY_MIB, RISE_MS = 50, 8, 20  # what is promised


@dataclass(frozen=True, slots=True)
class Ending:
    """How long after its deadline the latest call to one behaviour ended."""

    name: str
    late_ms: float


@dataclass(frozen=True, slots=True)
class Beside:
    """A healthy agent's calls in milliseconds, and how many agents' calls raised anything."""

    calls: int
    p50: float
    p99: float
    raised: int


@dataclass(slots=True)
class _Watched:
    """An agent with a stopwatch: milliseconds a call, and how many of them after its deadline."""

    agent: HttpAgent
    took_ms: list[float] = field(default_factory=list)
    late_ms: float = 0.0

    async def decide(self, question: Question) -> Decision:
        start = time.perf_counter()
        decision = await self.agent.decide(question)
        took = (time.perf_counter() - start) * 1000
        self.took_ms.append(took)
        self.late_ms = max(self.late_ms, took - question.clock.limit_ms)
        return decision


def hostile_report(seconds: float = 5.0, rounds: int = 3) -> Iterator[str]:
    """The lines that `baohuang bench hostile` prints."""
    with (
        hostile_agents() as urls,
        loopback_agents() as healthy,
        asyncio.Runner(loop_factory=loop_factory()) as runner,
    ):
        endings, grown = runner.run(_endings(urls, rounds))
        worst = max(endings, key=lambda ending: ending.late_ms)
        yield f"{len(endings)} hostile behaviours, all at once, {rounds} times"
        late = f"{worst.late_ms:.1f} ms after its deadline"
        yield f"  latest end {late}, at most {LATE_MS} ({worst.name})"
        yield f"  memory grew by {_told(grown)} MiB, at most {MEMORY_MIB}"
        alone, beside = runner.run(_alone_and_beside(urls, healthy[0], seconds, rounds))
        yield f"A healthy agent's calls, alone and beside {HOSTILE} hostile ones"
        for name, found in (("alone", alone), ("beside", beside)):
            times = f"p50 {found.p50:6.2f} ms  p99 {found.p99:6.2f} ms"
            yield f"  {name:7} {found.calls:7} calls  {times}"
        yield f"  p99 rises by {beside.p99 - alone.p99:.2f} ms, at most {RISE_MS}"
        yield f"  calls that raised anything: {alone.raised + beside.raised}"


@contextmanager
def hostile_agents() -> Iterator[dict[str, str]]:
    """The URL of a server for each behaviour, in a process of their own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=_main, args=(there,), daemon=True)
    child.start()
    there.close()
    try:
        yield here.recv()
    finally:
        here.close()
        child.join(5)
        child.kill()


def _main(urls: Connection) -> None:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(urls))


async def _serve(urls: Connection) -> None:
    async with contextlib.AsyncExitStack() as stack:
        urls.send(
            {
                name: await stack.enter_async_context(serving(make()))
                for name, (make, _) in BEHAVIOURS.items()
            }
        )
        # Readable when the parent closes or ends.
        await asyncio.get_running_loop().run_in_executor(None, urls.poll, None)


async def _endings(urls: dict[str, str], rounds: int) -> tuple[list[Ending], float | None]:
    """Every behaviour asked a question, all at once; and the MiB that the memory grew by."""
    client = Client(Guard([LOOPBACK]))
    watched = {name: _Watched(HttpAgent(url, [new_secret()], client)) for name, url in urls.items()}
    question = _question()
    try:
        gc.collect()
        before = _peak_mib(reset=True)
        for _ in range(rounds):
            await asyncio.gather(*(each.decide(question) for each in watched.values()))
        after = _peak_mib()
    finally:
        await client.close()
    endings = [Ending(name, agent.late_ms) for name, agent in watched.items()]
    return endings, None if before is None or after is None else after - before


def _question() -> Question:
    match, ids = Match(rule_set("lianzhong-simple"), bytes(32), 1), MatchIds("bench")
    view = match.view()
    return Question(question_id(ids, view), ids, view, Clock(BUDGET_MS, 0))


async def _alone_and_beside(
    urls: dict[str, str], healthy: str, seconds: float, rounds: int
) -> tuple[Beside, Beside]:
    """In turn, so that what the machine does besides hits both."""
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(await _beside({}, healthy, seconds))
        beside.append(await _beside(urls, healthy, seconds))
    return _middle(alone), _middle(beside)


async def _beside(urls: Mapping[str, str], healthy: str, seconds: float) -> Beside:
    """The healthy agent asked without end, and 100 of `urls`, each again and again."""
    client = Client(Guard([LOOPBACK]))
    watched = _Watched(HttpAgent(healthy, [new_secret()], client, "healthy"))
    turn = itertools.cycle(urls.items()) if urls else iter(())
    hostile = [
        HttpAgent(url, [new_secret()], client, f"{name} {number}")
        for number, (name, url) in enumerate(itertools.islice(turn, HOSTILE))
    ]
    asked = [_asked(watched, 0.0), *(_asked(each, AGAIN_S) for each in hostile)]
    tasks = [asyncio.ensure_future(each) for each in asked]
    try:
        await asyncio.sleep(seconds)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await client.close()
    raised = sum(isinstance(end, Exception) for end in ended)
    cuts = statistics.quantiles(watched.took_ms, n=100)
    return Beside(len(watched.took_ms), cuts[49], cuts[98], raised)


async def _asked(agent: _Watched | HttpAgent, pause: float) -> None:
    """Hostile agents begin one by one."""
    question = _question()
    await asyncio.sleep(random.uniform(0, pause))
    while True:
        await agent.decide(question)
        await asyncio.sleep(pause)


def _middle(found: Sequence[Beside]) -> Beside:
    return Beside(
        sum(each.calls for each in found),
        statistics.median(each.p50 for each in found),
        statistics.median(each.p99 for each in found),
        sum(each.raised for each in found),
    )


def _peak_mib(*, reset: bool = False) -> float | None:
    """This process's peak memory (since it was reset); None where the system does not tell."""
    if sys.platform != "linux":
        return None
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _told(grown: float | None) -> str:
    return "?" if grown is None else f"{grown:.1f}"
