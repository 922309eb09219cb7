"""What a healthy agent notices of the tables beside its own, healthy and hostile ones.

Whole matches in one event loop, as a worker plays them: five healthy agents at one table, alone and
with other tables beside; and healthy agents each at a table with four hostile ones.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

from ..remote.agent import Decision, HttpAgent, Notice, Question
from ..remote.client import Client
from ..remote.faults import Fault
from ..remote.guard import Guard
from ..remote.signing import new_secret
from ..remote.table import Played, TimeRules, new_clocks, play
from ..remote.wire import MatchIds

LOOPBACK = "127.0.0.0/8"
RULES = rule_set("lianzhong-simple")
DEALS = 3
TIMES = TimeRules(budget_ms=300, bank_ms=1000, notice_ms=300)


@dataclass(frozen=True, slots=True)
class Company:
    """Tables in one event loop. Their seats: `w` a healthy agent that is watched, `h` one that is
    not, `x` a hostile one.
    """

    name: str
    tables: tuple[str, ...]


ALONE = Company("one table alone", ("wwwww",))
BESIDE_HEALTHY = Company("one beside 20 tables of healthy agents", ("wwwww", *["hhhhh"] * 20))
BESIDE_HOSTILE = Company("one beside 20 tables of hostile agents", ("wwwww", *["xxxxx"] * 20))
AMONG_HEALTHY = Company("25 tables of healthy agents", ("whhhh",) * 25)
AMONG_HOSTILE = Company("25 tables, each with four hostile agents", ("wxxxx",) * 25)
COMPANIES = (ALONE, BESIDE_HEALTHY, BESIDE_HOSTILE, AMONG_HEALTHY, AMONG_HOSTILE)


@dataclass(slots=True)
class Watched:
    """An agent with a stopwatch: milliseconds a call, and how far the latest went over its time."""

    agent: HttpAgent
    took_ms: list[float] = field(default_factory=list)
    late_ms: float = 0.0

    @property
    def listens(self) -> bool:
        return True

    async def decide(self, question: Question) -> Decision:
        start = time.perf_counter()
        decision = await self.agent.decide(question)
        took = (time.perf_counter() - start) * 1000
        self.took_ms.append(took)
        self.late_ms = max(self.late_ms, took - question.clock.limit_ms)
        return decision

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        return await self.agent.notify(notice, seconds)


@dataclass(frozen=True, slots=True)
class Found:
    """Of a company: the watched agents' calls in milliseconds, the faults, and tables that raised.

    `late_ms`: how long after its deadline the latest call to a watched or hostile agent ended.
    """

    calls: int
    p50: float
    p99: float
    late_ms: float
    faults: int
    raised: int


class Seats:
    """Who sits down: agents with names of their own, in turn at the places of their kind."""

    def __init__(self, client: Client, healthy: Sequence[str], hostile: Sequence[str]) -> None:
        self._client = client
        self._places = {"h": itertools.cycle(healthy), "x": itertools.cycle(hostile)}
        self._places["w"] = self._places["h"]
        self._numbers = itertools.count()
        self.seated: dict[str, list[Watched]] = {who: [] for who in self._places}

    def agent(self, who: str) -> Watched:
        url, name = next(self._places[who]), f"{who}{next(self._numbers)}"
        watched = Watched(HttpAgent(url, [new_secret()], self._client, name))
        self.seated[who].append(watched)
        return watched

    def times(self) -> list[float]:
        """What the watched ones' calls took."""
        return [ms for agent in self.seated["w"] for ms in agent.took_ms]

    def latest(self) -> float:
        return max(agent.late_ms for who in "wx" for agent in self.seated[who])


class _Faults:
    """Hooks that count faults."""

    def __init__(self) -> None:
        self.count = 0

    def on_decision(self, played: Played) -> None: ...

    def on_fault(self, played: Played, fault: Fault) -> None:
        self.count += 1


def all_companies(
    runner: asyncio.Runner,
    healthy: Sequence[str],
    hostile: Sequence[str],
    seconds: float,
    rounds: int,
) -> dict[Company, Found]:
    """Every company `rounds` times, in turn: what the machine does besides hits all of them."""
    found: dict[Company, list[Found]] = {company: [] for company in COMPANIES}
    for _ in range(rounds):
        for company in COMPANIES:
            found[company].append(runner.run(measured(company, healthy, hostile, seconds)))
    return {company: _middle(each) for company, each in found.items()}


async def measured(
    company: Company, healthy: Sequence[str], hostile: Sequence[str], seconds: float
) -> Found:
    """Its tables play match after match, for so long."""
    client, faults = Client(Guard([LOOPBACK])), _Faults()
    seats = Seats(client, healthy, hostile)
    tables = [
        asyncio.ensure_future(_matches(number, [seats.agent(who) for who in table], faults))
        for number, table in enumerate(company.tables)
    ]
    await asyncio.wait(tables, timeout=seconds)
    for table in tables:
        table.cancel()
    ended = await asyncio.gather(*tables, return_exceptions=True)
    await client.close()
    raised = sum(isinstance(end, Exception) for end in ended)
    return _found(seats, faults.count, raised)


async def _matches(table: int, agents: Sequence[Watched], faults: _Faults) -> None:
    for number in itertools.count():
        match = Match(RULES, (table << 32 | number).to_bytes(32, "big"), DEALS)
        ids = MatchIds(f"{table}/{number}")
        await play(match, ids, agents, new_clocks(TIMES), faults, TIMES)


def _found(seats: Seats, faults: int, raised: int) -> Found:
    times = seats.times()
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    return Found(len(times), cuts[49], cuts[98], seats.latest(), faults, raised)


def _middle(found: Sequence[Found]) -> Found:
    """Medians of the times, sums of what is counted, the latest end of all."""
    return Found(
        sum(each.calls for each in found),
        statistics.median(each.p50 for each in found),
        statistics.median(each.p99 for each in found),
        max(each.late_ms for each in found),
        sum(each.faults for each in found),
        sum(each.raised for each in found),
    )
