"""Does an agent keep the bot protocol? One finding for each thing that was tried.

An author runs it against his own server (`baohuang check-bot`). It asks what a tournament would
ask, and what a tournament would not: broken bodies, unknown kinds, wrong signatures.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import orjson

from .agent import Decision, HttpAgent, Question
from .client import Client, Reply
from .faults import Fault
from .questioning import LAST, NOTICES, Finding, NoticeKind, notice_body, questioned, speed, told
from .questions import Sample, samples
from .signing import decode_secret, new_secret, signed_headers
from .wire import Clock, MatchIds, question_id

__all__ = ["Finding", "Subject", "findings"]

IDS = MatchIds("01CHECKBOT0000000000000000", None, 1, 1)
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

    async def decide(self, sample: Sample) -> Decision:
        """Its answer to a question."""
        clock = Clock(self.budget_ms, 0, LAST)
        return await self.agent.decide(
            Question(question_id(IDS, sample.view), IDS, sample.view, clock)
        )


async def findings(subject: Subject) -> AsyncIterator[Finding]:
    """Every check in turn. An agent that does not answer `hello` is asked nothing else."""
    hello = await _hello(subject)
    yield hello
    if hello.verdict == "failed":
        return
    times: list[int] = []
    async for finding in questioned(subject, samples(subject.each), times):
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
    body = notice_body(kind, "01CHECKBOTN0T1CE0000000000", IDS)
    reply = await _post(subject, body, subject.secrets, exact=False)
    if isinstance(reply, Fault):
        return Finding(f"notice {kind}", "failed", f"any 2xx will do; {told(reply)}")
    return Finding(f"notice {kind}", "ok")


def _odd_bodies() -> dict[str, bytes]:
    """Bodies that a tournament never sends; 4xx is the right answer."""
    return {
        "an unknown kind": orjson.dumps({"protocol": 1, "kind": "dance", "request": "x"}),
        "a body that is no JSON": b"{not json",
        "an empty body": b"",
        "a list": b"[1, 2, 3]",
        "a decide request without fields": orjson.dumps({"protocol": 1, "kind": "decide"}),
    }


async def _odd(subject: Subject, name: str, body: bytes) -> Finding:
    """Refused, or ignored, but the connection must not hang and the process must not end."""
    reply = await _post(subject, body, subject.secrets)
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
    body = orjson.dumps(
        {"protocol": 1, "kind": "hello", "request": "01CHECKBOT", "challenge": "forged"}
    )
    if isinstance(await _post(subject, body, keys, at=at), Reply):
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
    body: bytes,
    keys: tuple[str, ...],
    exact: bool = True,
    at: int | None = None,
) -> Reply | Fault:
    now = int(time.time()) if at is None else at
    headers = signed_headers([decode_secret(key) for key in keys], secrets.token_hex(8), now, body)
    seconds = subject.budget_ms / 1000
    return await subject.client.post(
        subject.lane, subject.url, body, headers if keys else {}, seconds, exact
    )
