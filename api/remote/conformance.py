"""Does an agent keep the bot protocol? One finding for each thing that was tried.

An author runs it against his own server (`baohuang check-bot`). It asks what a tournament would
ask, and what a tournament would not: broken bodies, unknown kinds, wrong signatures. Whatever is
not the point of a check is as bot.yaml says, the ids above all: an agent may refuse a call for it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import orjson

from .agent import Decision, HttpAgent, Question
from .client import Client, Reply
from .faults import Fault
from .questioning import LAST, NOTICES, Finding, NoticeKind, notice_body, questioned, speed, told
from .questions import Sample, drawn
from .signing import decode_secret, new_secret, signed_headers
from .wire import Clock, MatchIds, hello_body, request_id

__all__ = ["Finding", "Subject", "findings"]

COLD_SECONDS = 30.0  # a platform that starts the agent at the first call


@dataclass(frozen=True, slots=True)
class Subject:
    """The agent under test. `secrets` empty: calls go out unsigned and signatures are not tried.

    `lane` keeps its connections apart from those of every other check.
    """

    url: str
    client: Client
    secrets: tuple[str, ...] = ()
    budget_ms: int = 2000
    each: int = 3
    lane: str = field(default_factory=lambda: f"check {secrets.token_hex(8)}")

    @property
    def agent(self) -> HttpAgent:
        """The agent as a tournament calls it."""
        return HttpAgent(self.url, self.secrets, self.client, self.lane)

    @property
    def ids(self) -> MatchIds:
        """A match that nobody plays, another one for every check."""
        return MatchIds(self.request("match", "of this check"))

    def request(self, kind: str, what: str) -> str:
        """The request id of a call: another one for every check, the same for a call again."""
        return request_id(kind, self.lane, what, 0)

    async def decide(self, sample: Sample) -> Decision:
        """Its answer to a question, whose request id is that of the same question alone."""
        view = hashlib.sha256(orjson.dumps(sample.view)).hexdigest()
        clock = Clock(self.budget_ms, 0, LAST)
        request = self.request("decide", view)
        return await self.agent.decide(Question(request, self.ids, sample.view, clock))


async def findings(subject: Subject) -> AsyncIterator[Finding]:
    """Every check in turn. An agent that does not answer `hello` is asked nothing else."""
    hello = await _hello(subject)
    yield hello
    if hello.verdict == "failed":
        return
    times: list[int] = []
    async for finding in questioned(subject, await drawn(subject.each), times):
        yield finding
    for notice in NOTICES:
        yield await _notice(subject, notice)
    for name, body in _odd_bodies().items():
        yield await _odd(subject, name, body)
    if subject.secrets:
        yield await _no_signature(subject)
        yield await _wrong_signature(subject)
        yield await _old_signature(subject)
        yield await _two_signatures(subject)
    yield await _still_there(subject)
    yield speed(subject, times)


async def _hello(subject: Subject) -> Finding:
    start = time.monotonic()
    fault = await subject.agent.hello(secrets.token_hex(16), COLD_SECONDS)
    took = time.monotonic() - start
    if fault is not None:
        unsigned = "; the call was not signed, for no secret was given"
        hint = unsigned if fault.status == 401 and not subject.secrets else ""
        return Finding("hello", "failed", told(fault) + hint)
    slow = took > subject.budget_ms / 1000
    detail = f"answered after {took:.1f} s" + (": keep the agent warm" if slow else "")
    return Finding("hello", "warning" if slow else "ok", detail)


async def _notice(subject: Subject, kind: NoticeKind) -> Finding:
    request = subject.request(kind, "notice")
    body = notice_body(kind, request, subject.ids)
    reply = await _post(subject, request, body, subject.secrets, exact=False)
    if isinstance(reply, Fault):
        return Finding(f"notice {kind}", "failed", f"any 2xx will do; {told(reply)}")
    return Finding(f"notice {kind}", "ok")


def _odd_bodies() -> dict[str, bytes | dict[str, object]]:
    """Bodies that a tournament never sends; 4xx is the right answer. An object gets an id too."""
    return {
        "an unknown kind": {"protocol": 1, "kind": "dance"},
        "a body that is no JSON": b"{not json",
        "an empty body": b"",
        "a list": b"[1, 2, 3]",
        "a decide request without fields": {"protocol": 1, "kind": "decide"},
    }


async def _odd(subject: Subject, name: str, body: bytes | dict[str, object]) -> Finding:
    """Refused, or ignored, but the connection must not hang and the process must not end."""
    request = subject.request("odd", name)
    sent = body if isinstance(body, bytes) else orjson.dumps(body | {"request": request})
    reply = await _post(subject, request, sent, subject.secrets)
    if isinstance(reply, Fault) and reply.kind in ("timeout", "connect"):
        return Finding(name, "warning", f"answer 4xx instead; {told(reply)}")
    if isinstance(reply, Reply):
        return Finding(name, "warning", "answered 200; 4xx tells a mistake sooner")
    return Finding(name, "ok")


async def _no_signature(subject: Subject) -> Finding:
    return await _refused(subject, "no signature at all", (), int(time.time()))


async def _wrong_signature(subject: Subject) -> Finding:
    return await _refused(subject, "a wrong signature", (new_secret(),), int(time.time()))


async def _old_signature(subject: Subject) -> Finding:
    long_ago = int(time.time()) - 3600
    return await _refused(subject, "a signature of an hour ago", subject.secrets, long_ago)


async def _two_signatures(subject: Subject) -> Finding:
    """After a rotation the first of two signatures is of a secret that the agent may not know."""
    name = "two signatures, the second one fits"
    agent = HttpAgent(subject.url, (new_secret(), *subject.secrets), subject.client, subject.lane)
    fault = await agent.hello(secrets.token_hex(16), COLD_SECONDS)
    if fault is not None:
        return Finding(name, "failed", f"one that fits is enough; {told(fault)}")
    return Finding(name, "ok")


async def _refused(subject: Subject, name: str, keys: tuple[str, ...], at: int) -> Finding:
    request = subject.request("hello", name)
    body = hello_body(request, secrets.token_hex(16))
    if isinstance(await _post(subject, request, body, keys, at=at), Reply):
        return Finding(
            name, "failed", "it was believed: anybody could ask for your cards' next move"
        )
    return Finding(name, "ok", "refused")


async def _still_there(subject: Subject) -> Finding:
    fault = await subject.agent.hello(secrets.token_hex(16), COLD_SECONDS)
    if fault is not None:
        return Finding("still there after all this", "failed", told(fault))
    return Finding("still there after all this", "ok")


async def _post(
    subject: Subject,
    request: str,
    body: bytes,
    keys: tuple[str, ...],
    exact: bool = True,
    at: int | None = None,
) -> Reply | Fault:
    now = int(time.time()) if at is None else at
    headers = signed_headers([decode_secret(key) for key in keys], request, now, body)
    seconds = subject.budget_ms / 1000
    return await subject.client.post(
        subject.lane, subject.url, body, headers if keys else {}, seconds, exact
    )
