"""What hostile agents cost: late ends, memory, and the patience of healthy agents beside them.

Servers run in processes of their own. That a worker plays rounds of such agents to their end is a
test (tests/scheduler/test_hostile.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

from ..remote.agent import HttpAgent, Question
from ..remote.client import Client
from ..remote.guard import Guard
from ..remote.signing import new_secret
from ..remote.wire import Clock, MatchIds, question_id
from .behaviours import BEHAVIOURS, misbehaving
from .company import ALONE, BESIDE_HOSTILE, LOOPBACK, Company, Found, Watched, all_companies
from .loopback import loop_factory, loopback_agents
from .sealed import trusted

HOSTILE = 100
BUDGET_MS = 300
LATE_MS, MEMORY_MIB, RISE_MS = 50, 8, 20  # what is promised


@dataclass(frozen=True, slots=True)
class Ending:
    """How long after its deadline the latest call to one behaviour ended."""

    name: str
    late_ms: float


def hostile_report(seconds: float = 5.0, rounds: int = 3) -> Iterator[str]:
    """The lines that `baohuang bench hostile` prints."""
    with (
        hostile_agents() as urls,
        loopback_agents() as healthy,
        asyncio.Runner(loop_factory=loop_factory()) as runner,
    ):
        yield from _at_once(*runner.run(_endings(urls, rounds)), rounds)
        yield from _beside(all_companies(runner, healthy, [*urls.values()], seconds, rounds))


def _at_once(endings: Sequence[Ending], grown: float | None, rounds: int) -> Iterator[str]:
    worst = max(endings, key=lambda ending: ending.late_ms)
    yield f"{len(endings)} hostile behaviours, {HOSTILE} at once, {rounds} times"
    late = f"{worst.late_ms:.1f} ms after its deadline"
    yield f"  latest end {late}, at most {LATE_MS} ({worst.name})"
    yield f"  memory grew by {_told(grown)} MiB, at most {MEMORY_MIB}"


def _beside(companies: Mapping[Company, Found]) -> Iterator[str]:
    yield "A healthy agent's calls, by the tables that are played in its event loop"
    for company, found in companies.items():
        times = f"p50 {found.p50:6.2f} ms  p99 {found.p99:6.2f} ms"
        yield f"  {company.name:40} {found.calls:7} calls  {times}  {found.faults:6} faults"
    rise = companies[BESIDE_HOSTILE].p99 - companies[ALONE].p99
    yield f"  p99 rises by {rise:.2f} ms beside {HOSTILE} hostile agents, at most {RISE_MS}"
    late = max(found.late_ms for found in companies.values())
    yield f"  latest end {late:.1f} ms after its deadline, at most {LATE_MS}"
    yield f"  tables that raised anything: {sum(found.raised for found in companies.values())}"


@contextmanager
def hostile_agents() -> Iterator[dict[str, str]]:
    """The URL of a server for each behaviour, in a process of their own.

    Until the end this process, and those that it starts, trust the certificate of their TLS.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=_main, args=(there,), daemon=True)
    with trusted():
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
                name: await stack.enter_async_context(misbehaving(behaviour))
                for name, behaviour in BEHAVIOURS.items()
            }
        )
        # Readable when the parent closes or ends.
        await asyncio.get_running_loop().run_in_executor(None, urls.poll, None)


async def _endings(urls: dict[str, str], rounds: int) -> tuple[list[Ending], float | None]:
    """Every behaviour asked a question, 100 at once; and the MiB that the memory grew by."""
    client = Client(Guard([LOOPBACK]))
    watched = {name: Watched(HttpAgent(url, [new_secret()], client)) for name, url in urls.items()}
    question = _question()
    try:
        gc.collect()
        before = _peak_mib(reset=True)
        for _ in range(rounds):
            for some in _hundreds([*watched.values()]):
                await asyncio.gather(*(each.decide(question) for each in some))
        after = _peak_mib()
    finally:
        await client.close()
    endings = [Ending(name, agent.late_ms) for name, agent in watched.items()]
    return endings, None if before is None or after is None else after - before


def _hundreds(agents: Sequence[Watched]) -> Iterator[Sequence[Watched]]:
    for start in range(0, len(agents), HOSTILE):
        yield agents[start : start + HOSTILE]


def _question() -> Question:
    match, ids = Match(rule_set("lianzhong-simple"), bytes(32), 1), MatchIds("bench")
    view = match.view()
    return Question(question_id(ids, view), ids, view, Clock(BUDGET_MS, 0))


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
