"""Agents: whoever answers for a seat, a house bot here or a stranger's server, behind one protocol.

An agent never raises for what a bot or the network did: its Decision carries an answer or a Fault.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .client import Client, Reply
from .faults import Fault
from .pool import BotPool, PoolFailed
from .signing import decode_secret, signed_headers
from .wire import (
    BadAnswer,
    Clock,
    MatchIds,
    check_hello,
    decide_body,
    hello_body,
    parse_answer,
    request_id,
)


@dataclass(frozen=True, slots=True)
class Question:
    """One decision to make. `view` is Match.view(): what this seat may see, and nothing else.

    `asked_at`: seconds since 1970, to the millisecond, as the call log keeps it.
    """

    request: str
    ids: MatchIds
    view: Mapping[str, Any]
    clock: Clock
    asked_at: float = field(default_factory=lambda: round(time.time(), 3))


@dataclass(frozen=True, slots=True)
class Try:
    """One time that a question was put in vain, through no fault of the agent's."""

    asked_at: float
    fault: Fault


@dataclass(frozen=True, slots=True)
class Decision:
    """`answer` is legal, or None with the fault. `charged_ms` is what counts against the clock.

    `asked_at`: when the question was put, if that was not when the Question says: it was fetched
    later, or put again; then `tries` has how it went before. To the millisecond, as there.
    """

    answer: str | None
    fault: Fault | None
    ms: int
    charged_ms: int
    note: str | None = None
    asked_at: float | None = None
    tries: tuple[Try, ...] = field(default=(), compare=False)

    @property
    def status(self) -> str:
        return self.fault.kind if self.fault else "ok"


@dataclass(frozen=True, slots=True)
class Notice:
    """The body of a `deal_end` or `match_end`, made for one seat."""

    kind: Literal["deal_end", "match_end"]
    request: str
    body: bytes


class Agent(Protocol):
    """What plays a seat."""

    @property
    def listens(self) -> bool:
        """Whether notices are worth making for it."""

    async def decide(self, question: Question) -> Decision: ...

    async def notify(self, notice: Notice, seconds: float) -> Fault | None: ...


class HouseAgent:
    """A house bot by name. Its draws hang on `key`, match, seat and turn: a resume repeats them."""

    listens = False

    def __init__(self, bot: str, key: bytes, pool: BotPool) -> None:
        self._bot = bot
        self._key = key
        self._pool = pool

    def __repr__(self) -> str:
        return f"HouseAgent({self._bot!r})"

    async def decide(self, question: Question) -> Decision:
        view = question.view
        ctx = f"house/{question.ids.match}/{view['turn']}/{view['phase']}/{view['seat']}"
        seconds = question.clock.limit_ms / 1000
        start = time.monotonic()
        try:
            answer = await self._pool.choose(self._bot, view, self._key, ctx, seconds)
        except PoolFailed as error:
            return _failed(Fault("server", "server", str(error), _since(start)))
        ms = _since(start)
        if answer not in view["legal"]:
            return _failed(Fault("illegal", "server", f"the house bot {self._bot} erred", ms))
        return Decision(answer, None, ms, ms)

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        return None


class HttpAgent:
    """A stranger's server at one URL. `secrets` are `whsec_…`, the newest first (two in rotation).

    `name` keeps its connections apart from those of other agents at the same place: use its id.
    """

    listens = True

    def __init__(self, url: str, secrets: Sequence[str], client: Client, name: str = "") -> None:
        self._url = url
        self._keys = tuple(decode_secret(secret) for secret in secrets)
        self._client = client
        self._name = name or url

    def __repr__(self) -> str:
        return f"HttpAgent({self._name!r})"

    async def decide(self, question: Question) -> Decision:
        now = question.asked_at
        request, clock = question.request, question.clock
        body = decide_body(request, question.ids, question.view, clock, now)
        reply = await self._post(request, body, now, clock.limit_ms / 1000)
        if isinstance(reply, Fault):
            return _failed(reply)
        ms, charged = round(reply.ms), round(max(0.0, reply.answer_ms - reply.allowance_ms))
        try:
            answer = parse_answer(reply.body, request, question.view["legal"])
        except BadAnswer as bad:
            return Decision(None, Fault(bad.kind, "bot", bad.detail, ms), ms, charged)
        return Decision(answer.text, None, ms, charged, answer.note)

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        """Send a notice; any 2xx will do."""
        reply = await self._post(notice.request, notice.body, time.time(), seconds, exact=False)
        return reply if isinstance(reply, Fault) else None

    async def hello(self, challenge: str, seconds: float = 10.0) -> Fault | None:
        """Verify that the owner of this URL runs this protocol: None if `challenge` came back."""
        request = request_id("hello", self._name, challenge, 0)
        body = hello_body(request, challenge)
        reply = await self._post(request, body, time.time(), seconds)
        if isinstance(reply, Fault):
            return reply
        try:
            check_hello(reply.body, request, challenge)
        except BadAnswer as bad:
            return Fault(bad.kind, "bot", bad.detail, round(reply.ms))
        return None

    async def _post(
        self, request: str, body: bytes, now: float, seconds: float, exact: bool = True
    ) -> Reply | Fault:
        headers = signed_headers(self._keys, request, int(now), body) if self._keys else {}
        return await self._client.post(self._name, self._url, body, headers, seconds, exact)


def _failed(fault: Fault) -> Decision:
    """A decision without an answer; a fault of the bot costs it its own time, as an answer does."""
    return Decision(None, fault, fault.ms, fault.own_ms if fault.charged_to == "bot" else 0)


def _since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)
