"""What an agent that is checked is asked, however it gets its questions, and how it is judged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol, get_args

from .agent import Decision
from .faults import Fault
from .questions import Sample
from .wire import LastCall, MatchIds, deal_end_body, match_end_body

Verdict = Literal["ok", "warning", "failed"]
NoticeKind = Literal["deal_end", "match_end"]

NOTICES: Final[tuple[NoticeKind, ...]] = get_args(NoticeKind)
LAST: Final = LastCall(12, 10, "ok")
AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried, how it went, and what to mend."""

    name: str
    verdict: Verdict
    detail: str = ""


class Asked(Protocol):
    """An agent under test."""

    @property
    def budget_ms(self) -> int:
        """What it has for each decision."""

    async def decide(self, sample: Sample) -> Decision: ...


async def questioned(
    subject: Asked, asked: Sequence[Sample], times: list[int]
) -> AsyncIterator[Finding]:
    """Every phase of every preset, then what else may happen to a question.

    The milliseconds of what was answered go to `times`.
    """
    for preset in dict.fromkeys(sample.preset for sample in asked):
        for phase in dict.fromkeys(s.phase for s in asked if s.preset == preset):
            chosen = [s for s in asked if (s.preset, s.phase) == (preset, phase)]
            yield await _decisions(subject, preset, phase, chosen, times)
    yield await _same_again(subject, asked[-1])
    yield await _many_at_once(subject, asked[:AT_ONCE])
    yield await _unknown_fields(subject, asked[0])


async def _decisions(
    subject: Asked, preset: str, phase: str, asked: Sequence[Sample], times: list[int]
) -> Finding:
    name = f"{preset}, {phase}"
    for sample in asked:
        decision = await subject.decide(sample)
        if decision.fault is not None:
            return Finding(name, "failed", told(decision.fault))
        times.append(decision.ms)
    return Finding(name, "ok", f"{len(asked)} answered")


async def _same_again(subject: Asked, sample: Sample) -> Finding:
    """After a crash of the server the last question comes again, with the same id."""
    name = "the same request twice"
    first, second = [await subject.decide(sample) for _ in range(2)]
    for decision in (first, second):
        if decision.fault is not None:
            return Finding(name, "failed", told(decision.fault))
    if first.answer == second.answer:
        return Finding(name, "ok", "the same answer")
    detail = f"{first.answer} and then {second.answer}: a resumed match may go on differently"
    return Finding(name, "warning", detail)


async def _many_at_once(subject: Asked, asked: Sequence[Sample]) -> Finding:
    name = f"{len(asked)} requests at once"
    decisions = await asyncio.gather(*(subject.decide(sample) for sample in asked))
    faults = [decision.fault for decision in decisions if decision.fault is not None]
    if faults:
        return Finding(name, "warning", f"{len(faults)} failed, the first: {told(faults[0])}")
    return Finding(name, "ok")


async def _unknown_fields(subject: Asked, sample: Sample) -> Finding:
    """The protocol grows by new fields; an agent must not mind them."""
    grown = replace(sample, view=sample.view | {"public": sample.view["public"] | {"new": 1}})
    decision = await subject.decide(grown)
    if decision.fault is not None:
        return Finding("a field it does not know", "failed", told(decision.fault))
    return Finding("a field it does not know", "ok")


def speed(subject: Asked, times: Sequence[int]) -> Finding:
    """How fast it answered, as far as it did."""
    if not times:
        return Finding("speed", "failed", "not one decision was answered")
    middle, most = sorted(times)[len(times) // 2], max(times)
    detail = f"{middle} ms in the middle, {most} ms at most, budget {subject.budget_ms} ms"
    return Finding("speed", "warning" if most > subject.budget_ms / 2 else "ok", detail)


def notice_body(kind: NoticeKind, request: str, ids: MatchIds) -> bytes:
    """A notice about a deal, or a match of that deal, that nobody played."""
    deal = {
        "number": 1, "attempt": 1, "emperor": 1, "guard": 4, "solo": None, "called": None,
        "factor": 1, "places": [3, 1, 2, 5, 4], "scores": [-1, 2, -1, -1, 1], "result": "scored",
    }  # fmt: skip
    if kind == "deal_end":
        return deal_end_body(request, ids, 0, deal, [-1, 2, -1, -1, 1])
    return match_end_body(request, ids, 0, [-1, 2, -1, -1, 1], [0] * 5)


def told(fault: Fault) -> str:
    """A fault in words."""
    return f"{fault.kind}: {fault.detail}"
