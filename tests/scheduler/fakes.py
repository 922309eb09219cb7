"""A ledger in memory and tables without bots: the runner's two neighbours, in the test's hand."""

import asyncio
import threading
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from baohuang.api.remote.agent import Decision
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.table import Played
from baohuang.api.services.matches import Claim, Held

TIMEOUT = Fault("timeout", "bot", "no answer", 2000)


def claim(epoch=1, log=()):
    return Claim("m", epoch, "t", 1, 1, None, b"", 1, 0, 0, tuple(log), ())


class FakeMatch:
    """A match of `length` decisions in one deal; each is a pass, so that nothing is heard of it."""

    deal = attempt = turn = 1
    deals_done = ()
    state = SimpleNamespace(history=())
    rules = None

    def __init__(self, length, log=()):
        self.length = length
        self.log = list(log)

    @property
    def seat(self):
        return len(self.log) % 5

    @property
    def over(self):
        return len(self.log) >= self.length


@dataclass
class FakeTables:
    """Plays by appending to the log; `at` maps a turn to what happens before its answer."""

    length: int = 25
    at: dict = field(default_factory=dict)
    faulty: set = field(default_factory=set)
    asked: list = field(default_factory=list)
    worth: asyncio.Future | None = None
    resumed_on: int | None = None  # a thread

    async def par(self, claim, model):
        return await self.worth

    def resume(self, claim):
        self.resumed_on = threading.get_ident()
        return FakeMatch(self.length, claim.log)

    async def play(self, claim, match, hooks):
        while not match.over and hooks.goes_on():
            turn = len(match.log)
            self.asked.append(turn)
            await self.at.get(turn, _nothing)()
            match.log.append((turn % 5, f"answer {turn}", turn in self.faulty))
            fault = TIMEOUT if turn in self.faulty else None
            decision = Decision(None if fault else "pass", fault, 1, 1)
            played = Played(
                turn + 1, turn % 5, f"r{turn}", "pass", fault is not None, decision, 0.0, None
            )
            if fault:
                hooks.on_fault(played, fault)
            waiting = hooks.on_decision(played)
            await (waiting if waiting is not None else asyncio.sleep(0))


async def _nothing():
    pass


@dataclass
class FakeLedger:
    """One match. `holder` is the epoch whose writes count; raised by a test, it fences off."""

    log: list = field(default_factory=list)
    faults: list = field(default_factory=list)
    blocks: list = field(default_factory=list)
    sayings: list = field(default_factory=list)
    holder: int = 0
    status: str = "queued"
    recalled: bool = False
    gone: frozenset = frozenset()  # seats whose agents were retired
    error: str | None = None
    model: object = None
    par: object = None
    written: asyncio.Event = field(default_factory=asyncio.Event)
    renewed: asyncio.Event = field(default_factory=asyncio.Event)

    async def claim(self, match_id):
        await asyncio.sleep(0)
        if self.status != "queued":
            return None
        self.recalled = False
        self.holder, self.status = self.holder + 1, "running"
        return replace(claim(), epoch=self.holder, log=tuple(self.log), par=self.model)

    async def lease_left(self, match_id):
        return 7.0 if self.status == "running" else None

    async def save(self, claim, start, tail):
        await asyncio.sleep(0)
        if not self._mine(claim):
            return Held.LOST
        assert start == len(self.log), "a block begins where the last one ended"
        self._add(tail)
        self.blocks += [len(tail.block)] if tail.block else []
        (self.written if tail.block else self.renewed).set()
        return Held.RECALLED if self.recalled else Held.KEPT

    async def retired(self, claim):
        return self.gone

    def _add(self, tail):
        self.log += tail.block
        self.faults += tail.faults
        self.sayings += tail.sayings

    async def finish(self, claim, match, tail):
        await asyncio.sleep(0)
        if not self._mine(claim):
            return False
        self._add(tail)
        assert self.log == match.log, "what is written is the match's log"
        self.status, self.par = "finished", tail.par
        return True

    async def release(self, claim):
        if self._mine(claim):
            self.status = "queued"

    async def fail_claim(self, match_id, error):
        self.error = error

    async def fail(self, claim, error):
        if self._mine(claim):
            self.status, self.error = "queued", error

    def _mine(self, claim):
        return claim.epoch == self.holder and self.status == "running"
