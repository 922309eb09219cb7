"""One POST to a stranger, with a deadline, and a value for everything that can come of it.

Nothing but cancellation is raised. No redirects, no cookies, no proxy, no compression; status,
type, size, head and time are bounded. Connections are reused within one agent only.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .connection import Bounds, Connection
from .dial import Dialler
from .faults import LAG_SECONDS, TOO_BUSY, Fault
from .guard import Guard
from .lane import Lane
from .resolver import MOST_ADDRESSES, Resolver
from .urls import Blocked

_PAUSE = 0.05  # seconds before the second try when no connection could be made
_AGAIN = 2  # addresses that a call knocks at when it dials for the second time
_LATE = Fault("timeout", "bot", "no whole answer in time")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a client: seconds, counts; `agents`: how many keep idle connections."""

    connect: float = 2.0
    idle: float = 30.0
    per_agent: int = 256
    agents: int = 512
    total: int = 2048
    allowance_ms: float = 150.0
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, slots=True)
class Reply:
    """A body that came in time. `ms`: the whole call; `answer_ms`: from the sending on.

    `allowance_ms` is the measured share of the network in it.
    """

    body: bytes
    ms: float
    answer_ms: float
    allowance_ms: float


class Client:
    """POSTs for all agents of one event loop. `close` it at the end; it closes its resolver."""

    def __init__(
        self, guard: Guard, resolver: Resolver | None = None, limits: Limits | None = None
    ) -> None:
        self.guard = guard
        self.resolver = resolver or Resolver(guard)
        self.limits = limits or Limits()
        self._dialler = Dialler(guard, self.resolver, self.limits.bounds, self.limits.connect)
        self._turns = asyncio.Semaphore(self.limits.total)
        self._lanes: OrderedDict[tuple[str, str], Lane] = OrderedDict()

    async def post(
        self,
        agent: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        seconds: float,
        exact: bool = True,
    ) -> Reply | Fault:
        """POST `body` to an agent; the deadline begins when the call's turn has come.

        `agent` keeps connections apart. `exact` asks for status 200 and JSON, else any 2xx will do.
        The measured network allowance is added to `seconds`.
        """
        try:
            lane = self._lane(agent, url)
        except Blocked as blocked:
            return Fault("blocked", "bot", blocked.detail)
        lane.busy += 1
        try:
            async with self._turns, lane.turns:
                return await self._call(lane, lane.request(headers, body), seconds, exact)
        finally:
            lane.busy -= 1

    async def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()
        self._lanes.clear()
        await self.resolver.close()
        await asyncio.sleep(0)  # transports take their leave in the loop's next round

    async def _call(self, lane: Lane, request: bytes, seconds: float, exact: bool) -> Reply | Fault:
        start = time.monotonic()
        deadline = start + seconds + lane.allowance_ms / 1000
        outcome, had_ms = await self._tries(lane, request, exact, deadline)
        now = time.monotonic()
        ms = (now - start) * 1000
        if isinstance(outcome, bytes):
            return Reply(outcome, ms, had_ms, lane.allowance_ms)
        if outcome is _LATE and now - deadline > LAG_SECONDS:
            outcome = TOO_BUSY
        return replace(outcome, ms=round(ms), own_ms=round(max(0.0, had_ms - lane.allowance_ms)))

    async def _tries(
        self, lane: Lane, request: bytes, exact: bool, deadline: float
    ) -> tuple[bytes | Fault, float]:
        """The outcome, and for how many milliseconds the agent has had the request in all.

        A second try, on a connection of its own, when the first failed before any byte came back.
        How long the agent had kept the first is counted: else it could think there for nothing.
        """
        idle = lane.take()
        connection = idle or await self._dialler.dial(lane.target, deadline, lane.lost)
        outcome, had_ms, again = await self._try(lane, connection, request, exact, deadline)
        if again and (isinstance(connection, Connection) or await self._paused(lane, deadline)):
            most = MOST_ADDRESSES if idle else _AGAIN
            connection = await self._dialler.dial(lane.target, deadline, lane.lost, most)
            outcome, more_ms, _ = await self._try(lane, connection, request, exact, deadline)
            had_ms += more_ms
        return outcome, had_ms

    async def _try(
        self,
        lane: Lane,
        connection: Connection | Fault,
        request: bytes,
        exact: bool,
        deadline: float,
    ) -> tuple[bytes | Fault, float, bool]:
        """Outcome, how long the agent had the request, and whether another try is allowed."""
        if isinstance(connection, Fault):
            return connection, 0.0, connection.kind == "connect"
        lane.use(connection, self.limits.allowance_ms)
        # Not call_at: an event loop may keep a clock of its own that stands still meanwhile.
        loop = asyncio.get_running_loop()
        left = max(0.0, deadline - time.monotonic())
        alarm = loop.call_later(left, connection.give_up, _LATE)
        try:
            outcome = await connection.ask(request, exact)
        except asyncio.CancelledError:
            connection.close()
            raise
        finally:
            alarm.cancel()
        lane.give_back(connection)
        again = isinstance(outcome, Fault) and outcome.kind == "connect" and not connection.received
        had = time.monotonic() - connection.sent if connection.sent else 0.0
        return outcome, had * 1000, again

    async def _paused(self, lane: Lane, deadline: float) -> bool:
        """Wait a little before dialling again; False when no time is left for it."""
        self.resolver.forget(lane.target.host)
        if time.monotonic() + _PAUSE >= deadline:
            return False
        await asyncio.sleep(_PAUSE)
        return True

    def _lane(self, agent: str, url: str) -> Lane:
        key = (agent, url)
        lane = self._lanes.get(key)
        if lane is None:
            target = self.guard.check_url(url)
            lane = self._lanes[key] = Lane(target, self.limits.per_agent, self.limits.idle)
            self._close_idle(lane)
        self._lanes.move_to_end(key)
        return lane

    def _close_idle(self, spared: Lane) -> None:
        """Drop the lanes that were idle longest, until no more are kept than allowed."""
        idle = [k for k, lane in self._lanes.items() if not lane.busy and lane is not spared]
        for key in idle[: max(0, len(self._lanes) - self.limits.agents)]:
            self._lanes.pop(key).close()
