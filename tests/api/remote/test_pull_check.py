"""Checks of agents that fetch their questions: good ones pass, each bad one fails by its line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from baohuang.api.models.base import ULID, new_id
from baohuang.api.remote.conformance import Finding
from baohuang.api.remote.pull import Letter, Returned
from baohuang.api.remote.pull_check import PullSubject, findings
from baohuang.api.remote.questions import samples

LATE = Returned(2000, fetched=True)
NOBODY = Returned(2000, fetched=False)
Bot = Callable[[dict[str, Any]], str | None]


@dataclass
class Box:
    """A mailbox whose other end is a function; None is no answer. `letters`: all that came."""

    bot: Bot
    ms: int = 200
    letters: list[Letter] = field(default_factory=list)
    missed: Returned = LATE

    async def ask(self, letter: Letter) -> Returned:
        self.letters.append(letter)
        answer = self.bot(orjson.loads(letter.body))
        return self.missed if answer is None else Returned(self.ms, True, answer)

    async def tell(self, letter: Letter) -> None:
        self.letters.append(letter)
        self.bot(orjson.loads(letter.body))


def check(box: Box, budget_ms: int = 2000) -> list[Finding]:
    async def work() -> list[Finding]:
        subject = PullSubject("01AGENT", new_id(), box, budget_ms, each=1)
        return [finding async for finding in findings(subject)]

    return asyncio.run(work())


def fallback(request: dict[str, Any]) -> str:
    return str(request.get("fallback", ""))


def wrong(found: list[Finding], verdict: str = "failed") -> list[str]:
    return [finding.name for finding in found if finding.verdict == verdict]


def test_a_good_one_passes_every_phase_of_every_preset() -> None:
    found = check(Box(fallback))
    assert {finding.verdict for finding in found} == {"ok"}
    names = [finding.name for finding in found]
    phases = {f"{sample.preset}, {sample.phase}" for sample in samples(1)}
    assert phases < set(names)
    assert set(names) - phases == {
        "fetches its questions",
        "the same request twice",
        "20 requests at once",
        "a field it does not know",
        "notice deal_end",
        "notice match_end",
        "speed",
    }


def test_questions_belong_to_no_match_and_each_has_an_id_of_its_own() -> None:
    box = Box(fallback)
    check(box)
    ids = [letter.request for letter in box.letters]
    assert len(set(ids)) == len(ids)
    assert {letter.match_id for letter in box.letters} == {None}
    bodies = [orjson.loads(letter.body) for letter in box.letters]
    (match,) = {body["match"] for body in bodies}
    assert re.fullmatch(ULID, match)
    assert {body["tournament"] for body in bodies} == {None}
    other = Box(fallback)
    check(other)
    assert not {letter.request for letter in other.letters} & set(ids)


def test_who_does_not_fetch_is_asked_once_and_has_time_to_wake_up() -> None:
    box = Box(lambda _: None, missed=NOBODY)
    (only,) = check(box)
    assert (only.name, only.verdict) == ("fetches its questions", "failed")
    assert "nobody asked" in only.detail
    assert "start it" in only.detail
    (letter,) = box.letters
    assert (letter.budget_ms, letter.limit_ms) == (2000, 32_000)


def test_who_cannot_play_a_phase_fails_by_its_name() -> None:
    found = check(Box(lambda asked: None if asked.get("phase") == "kick" else fallback(asked)))
    failed = [name for name in wrong(found) if name.endswith(", kick")]
    assert failed
    assert {f"{s.preset}, kick" for s in samples(1) if s.phase == "kick"} == set(failed)


def test_an_answer_that_is_not_legal_fails() -> None:
    (only,) = check(Box(lambda _: "fly"))
    assert only.verdict == "failed"
    assert "illegal" in only.detail


def test_who_minds_new_fields_fails() -> None:
    found = check(Box(lambda r: None if "new" in r.get("public", ()) else fallback(r)))
    assert wrong(found) == ["a field it does not know"]


@pytest.mark.parametrize("kind", ["deal_end", "match_end"])
def test_whom_a_notice_ends_fails(kind: str) -> None:
    ended: list[str] = []

    def fragile(request: dict[str, Any]) -> str | None:
        if request["kind"] == kind:
            ended.append(kind)
        return None if ended else fallback(request)

    failed = wrong(check(Box(fragile)))
    assert failed[0] == f"notice {kind}"
    assert len(failed) == (2 if kind == "deal_end" else 1)


def test_who_is_slow_or_changes_his_mind_is_warned() -> None:
    assert wrong(check(Box(fallback, ms=1001)), "warning") == ["speed"]
    turns = iter(range(10_000))

    def fickle(request: dict[str, Any]) -> str:
        legal = request.get("legal", [""])
        return str(legal[next(turns) % len(legal)])

    assert wrong(check(Box(fickle)), "warning") == ["the same request twice"]


def test_who_does_not_answer_what_comes_again_fails() -> None:
    seen: list[Any] = []

    def once(request: dict[str, Any]) -> str | None:
        asked = [request.get(name) for name in ("rules", "phase", "hand", "history", "public")]
        if asked in seen:
            return None
        seen.append(asked)
        return fallback(request)

    assert "the same request twice" in wrong(check(Box(once)))
