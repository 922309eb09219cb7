"""Shadows: asked the same, bounded, and without any effect on the agent at the table."""

import asyncio
from pathlib import Path

import orjson
import pytest

from baohuang.api.remote import shadow as module
from baohuang.api.remote.agent import Decision, HttpAgent, Notice, Question
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.shadow import ShadowedAgent, Shadows
from baohuang.api.remote.wire import Clock, MatchIds

from .support import Script, client_of, read_request, response, run, serving

EXAMPLE = Path(__file__).parents[3] / "openapi" / "examples" / "decide-follow.json"
VIEW = orjson.loads(EXAMPLE.read_bytes())
QUESTION = Question("01CBSY7VSGPSAGR2EBWPD9VW34", MatchIds("m"), VIEW, Clock(500, 0))
GOOD = Decision("pass", None, 5, 5)
LATE = Decision(None, Fault("timeout", "bot", "…", 500), 500, 500)
WRONG = Decision(None, Fault("illegal", "bot", "…", 5), 5, 5)


class Judge:
    def __init__(self, well: bool = True) -> None:
        self.is_well = well

    async def well(self) -> bool:
        return self.is_well

    async def recover(self) -> None: ...


class Scripted(HttpAgent):
    """Answers what it is told once `gate` is open."""

    def __init__(self, decision: Decision = GOOD, gate: asyncio.Event | None = None) -> None:
        self.decision = decision
        self.gate = gate
        self.asked: list[Question] = []
        self.heard: list[Notice] = []

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        if self.gate is not None:
            await self.gate.wait()
        return self.decision

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        self.heard.append(notice)
        return None


async def settled(shadows: Shadows) -> None:
    while shadows._tasks:
        await asyncio.gather(*shadows._tasks)


def test_the_shadow_gets_the_same_request_byte_for_byte_and_its_own_signature() -> None:
    bodies: dict[str, bytes] = {}
    signatures: set[str] = set()

    def script(name: str) -> Script:
        async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                headers, body = await read_request(reader)
                bodies[name] = body
                signatures.add(headers["webhook-signature"])
                answer = {"request": orjson.loads(body)["request"], "answer": "pass"}
                writer.write(response(orjson.dumps(answer)))
                await writer.drain()

        return answering

    secrets = ["whsec_" + letter * 32 for letter in "ab"]

    async def work() -> tuple[Decision, list[module.Comparison]]:
        async with (
            serving(script("real")) as real,
            serving(script("shadow")) as second,
            client_of("127.0.0.0/8") as client,
            client_of("127.0.0.0/8") as own,
        ):
            shadows = Shadows(Judge())
            agent = ShadowedAgent(
                HttpAgent(real, secrets[:1], client, "a"),
                "v",
                HttpAgent(second, secrets[1:], own, "v"),
                shadows,
            )
            decision = await agent.decide(QUESTION)
            await settled(shadows)
            return decision, shadows.take()[0]

    decision, kept = run(work())
    assert decision.answer == "pass"
    assert bodies["real"] == bodies["shadow"]
    assert len(signatures) == 2
    (comparison,) = kept
    assert (comparison.version_id, comparison.seat) == ("v", VIEW["seat"])
    assert (comparison.played.answer, comparison.shadow.answer) == ("pass", "pass")


def test_nobody_waits_for_a_shadow_and_its_answer_is_compared_when_it_comes() -> None:
    async def work() -> None:
        gate = asyncio.Event()
        shadows, slow = Shadows(Judge()), Scripted(WRONG, gate)
        agent = ShadowedAgent(Scripted(), "v", slow, shadows)
        assert await agent.decide(QUESTION) is GOOD  # while the gate is shut
        assert shadows.take() == ([], {})
        gate.set()
        await settled(shadows)
        ((comparison,), skipped) = shadows.take()
        assert (comparison.played, comparison.shadow) == (GOOD, WRONG)
        assert not skipped

    run(work())


def test_a_slow_agent_at_the_table_is_waited_for() -> None:
    async def work() -> None:
        gate = asyncio.Event()
        shadows = Shadows(Judge())
        agent = ShadowedAgent(Scripted(LATE, gate), "v", Scripted(), shadows)
        deciding = asyncio.create_task(agent.decide(QUESTION))
        await asyncio.sleep(0)
        assert shadows.take()[0] == []
        gate.set()
        assert await deciding is LATE
        await settled(shadows)
        ((comparison,), _) = shadows.take()
        assert (comparison.played, comparison.shadow) == (LATE, GOOD)

    run(work())


def test_what_is_beyond_its_share_is_skipped_and_counted() -> None:
    async def work() -> None:
        gate = asyncio.Event()
        shadows = Shadows(Judge(), at_once=3, each=2)
        slow = Scripted(GOOD, gate)
        first = ShadowedAgent(Scripted(), "one", slow, shadows)
        second = ShadowedAgent(Scripted(), "two", slow, shadows)
        for agent in (first, first, first, second, second):
            assert await agent.decide(QUESTION) is GOOD
        gate.set()
        await settled(shadows)
        kept, skipped = shadows.take()
        assert sorted(each.version_id for each in kept) == ["one", "one", "two"]
        assert skipped == {"one": 1, "two": 1}

    run(work())


def test_a_failure_of_our_own_says_nothing_about_the_shadow() -> None:
    async def work() -> None:
        shadows = Shadows(Judge(well=False))
        await ShadowedAgent(Scripted(), "v", Scripted(LATE), shadows).decide(QUESTION)
        await settled(shadows)
        assert shadows.take() == ([], {"v": 1})
        await ShadowedAgent(Scripted(), "v", Scripted(WRONG), shadows).decide(QUESTION)
        await settled(shadows)
        assert len(shadows.take()[0]) == 1  # what it said is never ours

    run(work())


def test_a_shadow_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)

    async def work() -> None:
        shadows = Shadows(Judge())
        hangs = Scripted(GOOD, asyncio.Event())
        await ShadowedAgent(Scripted(), "v", hangs, shadows).decide(QUESTION)
        await settled(shadows)
        ((comparison,), _) = shadows.take()
        assert comparison.shadow.fault is not None
        assert comparison.shadow.fault.kind == "timeout"

    run(work())


def test_a_table_that_is_left_leaves_no_comparison() -> None:
    async def work() -> None:
        shadows = Shadows(Judge())
        agent = ShadowedAgent(Scripted(GOOD, asyncio.Event()), "v", Scripted(), shadows)
        deciding = asyncio.create_task(agent.decide(QUESTION))
        await asyncio.sleep(0)
        deciding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await deciding
        await shadows.close()
        assert shadows.take()[0] == []

    run(work())


def test_notices_are_passed_on_and_not_waited_for() -> None:
    async def work() -> None:
        shadows, real, second = Shadows(Judge()), Scripted(), Scripted()
        notice = Notice("deal_end", "r", b"{}")
        assert await ShadowedAgent(real, "v", second, shadows).notify(notice, 1.0) is None
        await settled(shadows)
        assert (real.heard, second.heard) == ([notice], [notice])

    run(work())
