"""Questions of every phase and preset, taken from real deals: what `check-bot` asks."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from baohuang.engine import PRESETS, Match, RuleSet

MATCHES = 40  # per preset at most; rare phases need a few
_PLAYING = threading.Lock()  # many checks may begin at once


@dataclass(frozen=True, slots=True)
class Sample:
    """One question as a seat sees it. `view` is what Match.view() gives."""

    preset: str
    phase: str
    view: dict[str, Any]


def samples(each: int, seed: int = 1) -> list[Sample]:
    """About `each` questions of every phase of every preset, the longest list of leads included."""
    return [sample for rules in PRESETS.values() for sample in _of_preset(rules, each, seed)]


async def drawn(each: int) -> tuple[Sample, ...]:
    """`samples`, played once for all who ask, and on a thread: it may take a third of a second.

    The event loop of a check may have tables to serve.
    """
    return await asyncio.to_thread(_played, each)


def _played(each: int) -> tuple[Sample, ...]:
    with _PLAYING:
        return _kept(each)


@lru_cache(8)
def _kept(each: int) -> tuple[Sample, ...]:
    return tuple(samples(each))


def _of_preset(rules: RuleSet, each: int, seed: int) -> Iterator[Sample]:
    wanted = dict.fromkeys(_phases(rules), each)
    pick = random.Random(seed)  # noqa: S311 - positions to ask about need no secrecy
    for number in range(MATCHES):
        match = Match(rules, (seed * MATCHES + number).to_bytes(32, "big"), deals=2)
        while not match.over and any(wanted.values()):
            phase = match.phase
            # Half of the questions at most, so that a sample is spread over a deal.
            if wanted.get(phase) and (phase != "play" or pick.random() < 0.1):
                wanted[phase] -= 1
                yield Sample(rules.preset, phase, match.view())
            match.answer(match.legal[pick.randrange(len(match.legal))])


def _phases(rules: RuleSet) -> Iterator[str]:
    yield "throne"
    if rules.grab:
        yield "grab"
    if rules.guard == "called" or rules.open_solo == "declare":
        yield "call"
    if rules.open_guard or rules.rebellion:
        yield "declare"
    if rules.kick:
        yield "kick"
    yield "play"
