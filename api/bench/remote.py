"""The referee's overhead: decisions a second over HTTP beside other clients in bare loops.

Ours is everything: view, signature, guard, deadline, strict parsing, referee, clocks, hooks. The
others (clients.py) post bodies recorded from a match to the same agents, and read.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from baohuang.engine.match import Match
from baohuang.engine.rules import RuleSet, rule_set

from ..remote.agent import Agent, HouseAgent, HttpAgent, Question
from ..remote.client import Client
from ..remote.faults import Fault
from ..remote.guard import Guard
from ..remote.pool import INLINE, BotPool
from ..remote.signing import new_secret
from ..remote.table import Played, TimeRules, new_clocks, play
from ..remote.wire import Clock, MatchIds, decide_body, question_id
from .clients import PEERS, Peer
from .loopback import loop_factory, loopback_agents

LOOPBACK = "127.0.0.0/8"
WARM_UP = 0.3  # seconds, for connections
TIMES = TimeRules(budget_ms=10_000)


@dataclass(frozen=True, slots=True)
class Rate:
    """Decisions a second, and this process's CPU microseconds a decision."""

    per_second: float
    cpu_us: float


@dataclass(frozen=True, slots=True)
class Beside:
    """Ours beside one peer, medians over the rounds. `ratio`, `cpu_ratio`: above 1 ours is better.

    `faults` of ours over all rounds.
    """

    tables: int
    peer: Peer
    ours: Rate
    theirs: Rate
    ratio: float
    cpu_ratio: float
    faults: int


class _Count:
    """Hooks that count."""

    def __init__(self) -> None:
        self.decisions = 0
        self.faults = 0

    def on_decision(self, played: Played) -> None:
        self.one()

    def one(self) -> None:
        self.decisions += 1

    def on_fault(self, played: Played, fault: Fault) -> None:
        self.faults += 1


Start = Callable[[_Count], Awaitable[None]]


def measure(
    tables: Sequence[int] = (1, 50, 200),
    seconds: float = 1.5,
    rounds: int = 3,
    preset: str = "lianzhong-simple",
    peers: Sequence[Peer] = PEERS,
) -> Iterator[Beside]:
    """Each number of tables beside each peer that is installed, `seconds` each, in turn."""
    rules = rule_set(preset)
    present = [peer for peer in peers if peer.installed]
    with loopback_agents() as urls, asyncio.Runner(loop_factory=loop_factory()) as runner:
        for number in tables:
            yield from runner.run(_compare(rules, urls, number, present, seconds, rounds))


def remote_report(seconds: float = 1.5, rounds: int = 3) -> Iterator[str]:
    """The lines that `baohuang bench` prints about calls to bots."""
    yield "Decisions a second over HTTP, five agents on loopback (CPU µs a decision). Ours is all"
    yield "that a match takes, bare clients post and read; a ratio above 1 is in our favour."
    heads = f"{'ours':>15}   {'beside':10} {'guard':13} {'theirs':>15}"
    yield f"{'tables':>8} {heads} {'rate':>6} {'CPU':>6}"
    for found in measure(seconds=seconds, rounds=rounds):
        peer = f"{found.peer.name:10} {found.peer.guard:13} {_told(found.theirs)}"
        ratios = f"{found.ratio:6.2f} {found.cpu_ratio:6.2f}"
        faults = f"  {found.faults} faults" if found.faults else ""
        yield f"{found.tables:8} {_told(found.ours)}   {peer} {ratios}{faults}"
    missing = [peer.name for peer in PEERS if not peer.installed]
    if missing:
        yield f"Not installed here: {', '.join(missing)} (`make bench` installs all)"
    yield "House bots, CPU µs of this process: in the loop (longest), in a child process"
    for cost in house_costs():
        yield f"{cost.bot:>10} {cost.inline_us:7.0f} ({cost.longest_us:4.0f}) {cost.pool_us:7.0f}"


def _told(rate: Rate) -> str:
    return f"{rate.per_second:8.0f} ({rate.cpu_us:4.0f})"


async def _compare(
    rules: RuleSet,
    urls: list[str],
    tables: int,
    peers: Sequence[Peer],
    seconds: float,
    rounds: int,
) -> list[Beside]:
    """Ours and every peer once a round; ratios are of the same round."""
    bodies = recorded_bodies(rules)
    ours: list[Rate] = []
    theirs: dict[Peer, list[Rate]] = {peer: [] for peer in peers}
    faults = 0
    for _ in range(rounds):
        rate, count = await _rate(partial(_ours, rules, urls, tables), seconds)
        ours.append(rate)
        faults += count.faults
        for peer in peers:
            rate, _count = await _rate(partial(_bare, peer, urls, bodies, tables), seconds)
            theirs[peer].append(rate)
    return [_beside(tables, peer, ours, theirs[peer], faults) for peer in peers]


def _beside(
    tables: int, peer: Peer, ours: Sequence[Rate], theirs: Sequence[Rate], faults: int
) -> Beside:
    pairs = list(zip(ours, theirs, strict=True))
    return Beside(
        tables,
        peer,
        _median(ours),
        _median(theirs),
        statistics.median(o.per_second / t.per_second for o, t in pairs),
        statistics.median(t.cpu_us / o.cpu_us for o, t in pairs),
        faults,
    )


async def _bare(
    peer: Peer, urls: list[str], bodies: list[bytes], tables: int, count: _Count
) -> None:
    await peer.run(urls, bodies, tables, count.one)


def _median(rates: Sequence[Rate]) -> Rate:
    return Rate(
        statistics.median(rate.per_second for rate in rates),
        statistics.median(rate.cpu_us for rate in rates),
    )


async def _rate(start: Start, seconds: float) -> tuple[Rate, _Count]:
    """Run until told to stop, and count what is done after the warm-up. Raises what it raises."""
    count = _Count()
    task = asyncio.ensure_future(start(count))
    await asyncio.sleep(WARM_UP)
    done, clock, cpu = count.decisions, time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    done, clock, cpu = (
        count.decisions - done,
        time.perf_counter() - clock,
        time.process_time() - cpu,
    )
    await _end(task)
    return Rate(done / clock, cpu / max(done, 1) * 1e6), count


async def _end(task: asyncio.Future[None]) -> None:
    """Cancel it until it has ended: a client may lose a cancellation. Raises what it raised."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=1.0)
    if not task.cancelled():
        task.result()


async def _ours(rules: RuleSet, urls: list[str], tables: int, count: _Count) -> None:
    client = Client(Guard([LOOPBACK]))
    agents = [HttpAgent(url, [new_secret()], client) for url in urls]
    try:
        await asyncio.gather(*(_table(rules, agents, n, count) for n in range(tables)))
    finally:
        await client.close()


async def _table(rules: RuleSet, agents: Sequence[Agent], number: int, count: _Count) -> None:
    for game in itertools.count():
        match = Match(rules, _key(number, game), 10)
        ids = MatchIds(f"bench-{number}-{game}")
        await play(match, ids, agents, new_clocks(TIMES), count, TIMES)


def recorded_bodies(rules: RuleSet, count: int = 300) -> list[bytes]:
    """Requests of a match between agents that answer as the loopback agents do."""
    match = Match(rules, _key(0, 0), 10)
    bodies: list[bytes] = []
    while not match.over and len(bodies) < count:
        ids, view = MatchIds("bench-0-0"), match.view()
        clock = Clock(2000, 30_000)
        bodies.append(decide_body(question_id(ids, view), ids, view, clock, time.time()))
        match.answer(match.legal[match.turn % len(match.legal)])
    return bodies


def _key(number: int, game: int) -> bytes:
    return (number * 1_000_003 + game).to_bytes(32, "big")


# House bots: in the event loop, or in a child process


@dataclass(frozen=True, slots=True)
class HouseCost:
    """Microseconds of the event loop's process a decision: in the loop, and through the pool."""

    bot: str
    inline_us: float
    longest_us: float
    pool_us: float


def house_costs(questions: int = 300) -> list[HouseCost]:
    """Why the bots of pool.INLINE may run in the loop: the trip to a child costs it more."""
    asked = list(_questions(questions))
    return [asyncio.run(_house_cost(bot, asked)) for bot in sorted(INLINE)]


def _questions(count: int) -> Iterator[Question]:
    match = Match(rule_set("lianzhong-simple"), _key(0, 0), 10)
    for _ in range(count):
        yield Question("r", MatchIds("bench"), match.view(), Clock(10_000, 0))
        match.answer(match.legal[match.turn % len(match.legal)])


async def _house_cost(bot: str, asked: list[Question]) -> HouseCost:
    inline = await _timed(HouseAgent(bot, _key(0, 0), BotPool()), asked)
    pool = BotPool(workers=1, inline=frozenset())
    try:
        agent = HouseAgent(bot, _key(0, 0), pool)
        await _timed(agent, asked[:20])  # the child starts
        outside = await _timed(agent, asked)
    finally:
        pool.close()
    return HouseCost(bot, statistics.mean(inline), max(inline), statistics.mean(outside))


async def _timed(agent: HouseAgent, asked: list[Question]) -> list[float]:
    taken = []
    for question in asked:
        start = time.process_time()
        await agent.decide(question)
        taken.append((time.process_time() - start) * 1e6)
    return taken
