"""One POST to a stranger, with a deadline, and a value for everything that can come of it.

Nothing but cancellation is raised. No redirects, no cookies, no proxy, no compression; status,
type, size, head and time are bounded. Connections are reused within one agent only.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import aiohttp

from .calls import Call, current_call
from .connector import AgentConnector
from .failures import EXPECTED, fault, from_deadline, from_exception, from_head
from .faults import Fault
from .guard import Guard
from .resolver import Resolver
from .urls import Blocked, Target

_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "baohuang-arena (bot protocol 1)",
}
_PAUSE = 0.05  # seconds before the second try when no connection could be made


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a client. Seconds, bytes, counts; `agents`: how many keep idle connections."""

    connect: float = 2.0
    body: int = 64 * 1024
    head_line: int = 8190
    head_lines: int = 128
    idle: float = 30.0
    per_agent: int = 256
    agents: int = 512
    total: int = 2048
    allowance_ms: float = 150.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A body that came in time. `ms`: the whole call; `answer_ms`: from the sending on.

    `allowance_ms` is the measured share of the network in it.
    """

    body: bytes
    ms: float
    answer_ms: float
    allowance_ms: float


@dataclass(slots=True, eq=False)
class _Lane:
    """The connections to one URL of one agent, and how far away it has been."""

    target: Target
    session: aiohttp.ClientSession
    turns: asyncio.Semaphore
    round_trips: deque[float] = field(default_factory=lambda: deque(maxlen=9))
    allowance_ms: float = 0.0
    busy: int = 0

    def learn(self, call: Call, most: float) -> None:
        if call.rtt_ms is not None:
            self.round_trips.append(call.rtt_ms)
            self.allowance_ms = min(statistics.median(self.round_trips), most)
            call.rtt_ms = None


class Client:
    """POSTs for all agents of one event loop. `close` it at the end; it closes its resolver."""

    def __init__(
        self, guard: Guard, resolver: Resolver | None = None, limits: Limits | None = None
    ) -> None:
        self.guard = guard
        self.resolver = resolver or Resolver(guard)
        self.limits = limits or Limits()
        self._turns = asyncio.Semaphore(self.limits.total)
        self._lanes: OrderedDict[tuple[str, str], _Lane] = OrderedDict()

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
        async with self._turns:
            try:
                lane = await self._lane(agent, url)
            except Blocked as blocked:
                return fault("blocked", "bot", blocked.detail)
            try:
                async with lane.turns:
                    return await self._in_time(lane, body, headers, seconds, exact)
            finally:
                lane.busy -= 1

    async def close(self) -> None:
        lanes = list(self._lanes.values())
        self._lanes.clear()
        for lane in lanes:
            await lane.session.close()
        await self.resolver.close()

    async def _in_time(
        self, lane: _Lane, body: bytes, headers: Mapping[str, str], seconds: float, exact: bool
    ) -> Reply | Fault:
        call = Call()
        token = current_call.set(call)
        start = time.monotonic()
        limit = seconds + lane.allowance_ms / 1000
        try:
            async with asyncio.timeout(limit):
                outcome = await self._tries(lane, call, body, headers, exact)
        except TimeoutError:
            outcome = from_deadline(call, limit, time.monotonic() - start)
        finally:
            current_call.reset(token)
        now = time.monotonic()
        lane.learn(call, self.limits.allowance_ms)
        ms = (now - start) * 1000
        if isinstance(outcome, Fault):
            return replace(outcome, ms=round(ms))
        return Reply(outcome, ms, (now - call.sent_at) * 1000, lane.allowance_ms)

    async def _tries(
        self, lane: _Lane, call: Call, body: bytes, headers: Mapping[str, str], exact: bool
    ) -> bytes | Fault:
        """One try, and one more when the connection failed before any byte came back."""
        outcome = await self._once(lane, call, body, headers, exact)
        if isinstance(outcome, Fault) and outcome.kind == "connect" and not call.received:
            if call.stage != "sent":
                self.resolver.forget(lane.target.host)
                await asyncio.sleep(_PAUSE)
            call.start_again()
            outcome = await self._once(lane, call, body, headers, exact)
        return outcome

    async def _once(
        self, lane: _Lane, call: Call, body: bytes, headers: Mapping[str, str], exact: bool
    ) -> bytes | Fault:
        try:
            async with lane.session.post(
                lane.target.url, data=body, headers=headers, allow_redirects=False
            ) as response:
                bad = from_head(response.status, response.headers, exact)
                return bad or await self._body(response)
        except EXPECTED as error:  # the deadline is none of these: it arrives as a cancellation
            return from_exception(error, call)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes | Fault:
        body = b""
        async for chunk in response.content.iter_any():
            body += chunk
            if len(body) > self.limits.body:
                return fault(
                    "too_large", "bot", f"the answer is longer than {self.limits.body} bytes"
                )
        return body

    async def _lane(self, agent: str, url: str) -> _Lane:
        """The agent's lane, counted as busy from now on; Blocked if its URL may not be called."""
        key = (agent, url)
        lane = self._lanes.get(key)
        if lane is not None:
            self._lanes.move_to_end(key)
            lane.busy += 1
            return lane
        lane = self._lanes[key] = self._open(url)
        lane.busy += 1
        await self._close_idle()
        return lane

    def _open(self, url: str) -> _Lane:
        target = self.guard.check_url(url)
        limits = self.limits
        session = aiohttp.ClientSession(
            connector=AgentConnector(self.guard, self.resolver, limits.per_agent, limits.idle),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect),
            trust_env=False,
            auto_decompress=False,
            max_line_size=limits.head_line,
            max_field_size=limits.head_line,
            max_headers=limits.head_lines,
        )
        return _Lane(target, session, asyncio.Semaphore(limits.per_agent))

    async def _close_idle(self) -> None:
        """Close the sessions that were idle longest, until no more are kept than allowed."""
        idle = [key for key, lane in self._lanes.items() if not lane.busy]
        for key in idle[: max(0, len(self._lanes) - self.limits.agents)]:
            await self._lanes.pop(key).session.close()
