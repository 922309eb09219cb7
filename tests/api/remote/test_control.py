"""Was it us? What our own agent could not have answered either is asked again and costs nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from baohuang.api.remote import control
from baohuang.api.remote.agent import Decision, HttpAgent, Question
from baohuang.api.remote.control import Control, FairAgent, control_at
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.wire import Clock, MatchIds

from .support import client_of, read_request, response, run, serving

EXAMPLE = Path(__file__).parents[3] / "openapi" / "examples" / "decide-follow.json"
VIEW = orjson.loads(EXAMPLE.read_bytes())
QUESTION = Question("01CBSY7VSGPSAGR2EBWPD9VW34", MatchIds("m"), VIEW, Clock(500, 0))
GOOD = Decision("pass", None, 5, 5)


def failed(kind: str, charged_to: str) -> Decision:
    fault = Fault(kind, charged_to, "…", 30)  # type: ignore[arg-type]
    return Decision(None, fault, 30, 30 if charged_to == "bot" else 0)


class Judge:
    """Well as it is told; `recovered` counts how often somebody waited for it."""

    def __init__(self, *states: bool) -> None:
        self.states = list(states)
        self.recovered = 0

    async def well(self) -> bool:
        return self.states.pop(0)

    async def recover(self) -> None:
        self.recovered += 1


class Scripted(HttpAgent):
    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)
        self.asked: list[Question] = []

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        return self.decisions.pop(0)


def decided(agent: Scripted, judge: Judge) -> Decision:
    return run(FairAgent(agent, judge).decide(QUESTION))


def test_an_answer_is_taken_without_asking_the_control() -> None:
    assert decided(Scripted(GOOD), Judge()) is GOOD


@pytest.mark.parametrize("kind", ["timeout", "connect", "dns", "tls"])
def test_a_failure_is_the_agents_when_the_control_is_well(kind: str) -> None:
    bad = failed(kind, "bot")
    agent, judge = Scripted(bad), Judge(True)
    assert decided(agent, judge) is bad
    assert judge.recovered == 0


@pytest.mark.parametrize("kind", ["status", "illegal", "schema", "stale", "blocked", "too_large"])
def test_what_an_agent_said_is_never_ours(kind: str) -> None:
    bad = failed(kind, "bot")
    assert decided(Scripted(bad), Judge()) is bad


def test_the_question_is_put_again_when_the_control_failed_too() -> None:
    agent, judge = Scripted(failed("timeout", "bot"), GOOD), Judge(False)
    decision = decided(agent, judge)
    assert judge.recovered == 1
    first, again = agent.asked
    assert decision == replace(GOOD, asked_at=again.asked_at)
    assert [(tried.asked_at, tried.fault.kind) for tried in decision.tries] == [
        (first.asked_at, "timeout")
    ]
    assert (again.request, again.view, again.clock) == (first.request, first.view, first.clock)


def test_who_fetches_later_was_asked_then_the_first_time_and_again() -> None:
    first = replace(failed("server", "server"), asked_at=1001.5)
    decision = decided(Scripted(first, replace(GOOD, asked_at=1040.25)), Judge())
    assert decision.asked_at == 1040.25
    assert [tried.asked_at for tried in decision.tries] == [1001.5]


def test_a_delay_of_our_own_is_asked_again_without_the_control() -> None:
    assert decided(Scripted(failed("server", "server"), GOOD), Judge()).answer == "pass"


def test_what_stays_ours_is_charged_to_the_server_and_to_nobodys_clock() -> None:
    agent = Scripted(*[failed("timeout", "bot")] * 3)
    decision = decided(agent, Judge(False, False, False))
    assert decision.fault is not None
    assert (decision.fault.kind, decision.fault.charged_to) == ("server", "server")
    assert decision.charged_ms == 0
    assert len(agent.asked) == 3
    assert [tried.asked_at for tried in decision.tries] == [
        question.asked_at for question in agent.asked[:2]
    ]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look may take its time, and stays fresh."""
    monkeypatch.setattr(control, "LIMIT_S", 30.0)
    monkeypatch.setattr(control, "FRESH_S", 60.0)


@pytest.mark.usefixtures("unhurried")
def test_the_own_control_agent_answers_and_is_looked_at_once_for_many() -> None:
    async def work() -> list[bool]:
        async with control_at("", Guard()) as found:
            looks = await asyncio.gather(*(found.well() for _ in range(100)))
            assert found._look is not None
            first = found._look
            await found.well()
            assert found._look is first
            return looks

    assert run(work()) == [True] * 100


@asynccontextmanager
async def outside(status: str) -> AsyncIterator[str]:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, body = await read_request(reader)
            asked = orjson.loads(body)
            writer.write(response(orjson.dumps({"challenge": asked["challenge"]}), status))
            await writer.drain()

    async with serving(script) as url:
        yield url


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(("status", "well"), [("200 OK", True), ("503 Down", False)])
def test_an_operators_control_agent_is_called_through_the_guard(status: str, well: bool) -> None:
    async def work() -> bool:
        async with outside(status) as url, control_at(url, Guard(["127.0.0.0/8"])) as found:
            return await found.well()

    assert run(work()) is well


def test_recovery_waits_until_the_control_is_well_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(control, "PAUSE_S", 0.01)
    monkeypatch.setattr(control, "FRESH_S", 0.0)

    class Slow(Control):
        looks = 0

        async def _answers(self) -> bool:
            self.looks += 1
            return self.looks >= 4

    async def work() -> tuple[int, int]:
        async with client_of() as client:
            slow, never = Slow(HttpAgent("", (), client)), Slow(HttpAgent("", (), client))
            await slow.recover()
            never.looks = -1_000_000
            monkeypatch.setattr(control, "PATIENCE_S", 0.1)
            await never.recover()
            return slow.looks, never.looks

    looked, in_vain = run(work())
    assert looked == 4
    assert in_vain < 0
