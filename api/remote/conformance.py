"""Does an agent keep the bot protocol? One finding for each thing that was tried.

An author runs it against his own server (`baohuang check-bot`). It asks what a tournament would
ask, and what a tournament would not: broken bodies, unknown kinds, wrong signatures.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import orjson

from .agent import Decision, HttpAgent, Question
from .client import Client, Reply
from .faults import Fault
from .questions import Sample, samples
from .signing import decode_secret, new_secret, signed_headers
from .wire import Clock, LastCall, MatchIds, deal_end_body, match_end_body, question_id

Verdict = Literal["ok", "warning", "failed"]

IDS = MatchIds("01CHECKBOT0000000000000000", None, 1, 1)
COLD_SECONDS = 30.0  # a platform that starts the agent at the first call
AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried, how it went, and what to mend."""

    name: str
    verdict: Verdict
    detail: str = ""


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


async def findings(subject: Subject) -> AsyncIterator[Finding]:
    """Every check in turn. An agent that does not answer `hello` is asked nothing else."""
    hello = await _hello(subject)
    yield hello
    if hello.verdict == "failed":
        return
    asked = samples(subject.each)
    times: list[int] = []
    for preset in dict.fromkeys(sample.preset for sample in asked):
        for phase in dict.fromkeys(s.phase for s in asked if s.preset == preset):
            chosen = [s for s in asked if (s.preset, s.phase) == (preset, phase)]
            yield await _decisions(subject, preset, phase, chosen, times)
    yield await _same_again(subject, asked[-1])
    yield await _many_at_once(subject, asked[:AT_ONCE])
    yield await _unknown_fields(subject, asked[0])
    for notice in ("deal_end", "match_end"):
        yield await _notice(subject, notice)
    for name, body in _odd_bodies().items():
        yield await _odd(subject, name, body)
    if subject.secrets:
        yield await _no_signature(subject)
        yield await _wrong_signature(subject)
        yield await _old_signature(subject)
        yield await _two_signatures(subject)
    yield await _still_there(subject)
    yield _speed(subject, times)


async def _hello(subject: Subject) -> Finding:
    start = time.monotonic()
    fault = await subject.agent.hello(secrets.token_hex(16), COLD_SECONDS)
    took = time.monotonic() - start
    if fault is not None:
        unsigned = "; the call was not signed, for no secret was given"
        hint = unsigned if fault.status == 401 and not subject.secrets else ""
        return Finding("hello", "failed", _told(fault) + hint)
    slow = took > subject.budget_ms / 1000
    detail = f"answered after {took:.1f} s" + (": keep the agent warm" if slow else "")
    return Finding("hello", "warning" if slow else "ok", detail)


async def _decisions(
    subject: Subject, preset: str, phase: str, asked: Sequence[Sample], times: list[int]
) -> Finding:
    name = f"{preset}, {phase}"
    for sample in asked:
        decision = await _decide(subject, sample)
        if decision.fault is not None:
            return Finding(name, "failed", _told(decision.fault))
        times.append(decision.ms)
    return Finding(name, "ok", f"{len(asked)} answered")


async def _decide(subject: Subject, sample: Sample) -> Decision:
    clock = Clock(subject.budget_ms, 0, LastCall(12, 10, "ok"))
    question = Question(question_id(IDS, sample.view), IDS, sample.view, clock)
    return await subject.agent.decide(question)


async def _same_again(subject: Subject, sample: Sample) -> Finding:
    """After a crash of the server the last question comes again, with the same id."""
    first, second = [(await _decide(subject, sample)).answer for _ in range(2)]
    if first == second:
        return Finding("the same request twice", "ok", "the same answer")
    detail = f"{first} and then {second}: a match that is resumed may go on differently"
    return Finding("the same request twice", "warning", detail)


async def _many_at_once(subject: Subject, asked: Sequence[Sample]) -> Finding:
    name = f"{len(asked)} requests at once"
    decisions = await asyncio.gather(*(_decide(subject, sample) for sample in asked))
    faults = [decision.fault for decision in decisions if decision.fault is not None]
    if faults:
        return Finding(name, "warning", f"{len(faults)} failed, the first: {_told(faults[0])}")
    return Finding(name, "ok")


async def _unknown_fields(subject: Subject, sample: Sample) -> Finding:
    """The protocol grows by new fields; an agent must not mind them."""
    grown = replace(sample, view=sample.view | {"public": sample.view["public"] | {"new": 1}})
    decision = await _decide(subject, grown)
    if decision.fault is not None:
        return Finding("a field it does not know", "failed", _told(decision.fault))
    return Finding("a field it does not know", "ok")


async def _notice(subject: Subject, kind: str) -> Finding:
    request = "01CHECKBOTN0T1CE0000000000"
    deal = {
        "number": 1, "attempt": 1, "emperor": 1, "guard": 4, "solo": None, "called": None,
        "factor": 1, "places": [3, 1, 2, 5, 4], "scores": [-1, 2, -1, -1, 1], "result": "scored",
    }  # fmt: skip
    if kind == "deal_end":
        body = deal_end_body(request, IDS, 0, deal, [-1, 2, -1, -1, 1])
    else:
        body = match_end_body(request, IDS, 0, [-1, 2, -1, -1, 1], [0] * 5)
    reply = await _post(subject, body, subject.secrets, exact=False)
    if isinstance(reply, Fault):
        return Finding(f"notice {kind}", "failed", f"any 2xx will do; {_told(reply)}")
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
        return Finding(name, "warning", f"answer 4xx instead; {_told(reply)}")
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
        return Finding(name, "failed", f"one that fits is enough; {_told(fault)}")
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
        return Finding("still there after all this", "failed", _told(fault))
    return Finding("still there after all this", "ok")


def _speed(subject: Subject, times: Sequence[int]) -> Finding:
    if not times:
        return Finding("speed", "failed", "not one decision was answered")
    middle, most = sorted(times)[len(times) // 2], max(times)
    detail = f"{middle} ms in the middle, {most} ms at most, budget {subject.budget_ms} ms"
    return Finding("speed", "warning" if most > subject.budget_ms / 2 else "ok", detail)


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


def _told(fault: Fault) -> str:
    return f"{fault.kind}: {fault.detail}"
