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
QUESTION = Question("01CBSY7VSGPSAGR2EBWPD9VW34", MatchIds("m"), VIEW, Clock(30_000, 0))
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
                9,
            )
            decision = await agent.decide(QUESTION)
            await settled(shadows)
            return decision, shadows.take().found

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
        agent = ShadowedAgent(Scripted(), "v", slow, shadows, 9)
        assert await agent.decide(QUESTION) is GOOD  # while the gate is shut
        assert shadows.take().found == []
        gate.set()
        await settled(shadows)
        taken = shadows.take()
        (comparison,) = taken.found
        assert (comparison.played, comparison.shadow) == (GOOD, WRONG)
        assert not taken.skipped

    run(work())


def test_a_slow_agent_at_the_table_is_waited_for() -> None:
    async def work() -> None:
        gate = asyncio.Event()
        shadows = Shadows(Judge())
        agent = ShadowedAgent(Scripted(LATE, gate), "v", Scripted(), shadows, 9)
        deciding = asyncio.create_task(agent.decide(QUESTION))
        await asyncio.sleep(0)
        assert shadows.take().found == []
        gate.set()
        assert await deciding is LATE
        await settled(shadows)
        (comparison,) = shadows.take().found
        assert (comparison.played, comparison.shadow) == (LATE, GOOD)

    run(work())


def test_what_is_beyond_its_share_is_skipped_and_counted() -> None:
    async def work() -> None:
        gate = asyncio.Event()
        shadows = Shadows(Judge(), at_once=3, each=2)
        slow = Scripted(GOOD, gate)
        first = ShadowedAgent(Scripted(), "one", slow, shadows, 9)
        second = ShadowedAgent(Scripted(), "two", slow, shadows, 9)
        for agent in (first, first, first, second, second):
            assert await agent.decide(QUESTION) is GOOD
        gate.set()
        await settled(shadows)
        taken = shadows.take()
        assert sorted(each.version_id for each in taken.found) == ["one", "one", "two"]
        assert taken.skipped == {"one": 1, "two": 1}

    run(work())


def test_a_failure_of_our_own_says_nothing_about_the_shadow() -> None:
    async def work() -> None:
        shadows = Shadows(Judge(well=False))
        await ShadowedAgent(Scripted(), "v", Scripted(LATE), shadows, 9).decide(QUESTION)
        await settled(shadows)
        taken = shadows.take()
        assert (taken.found, taken.skipped) == ([], {"v": 1})
        await ShadowedAgent(Scripted(), "v", Scripted(WRONG), shadows, 9).decide(QUESTION)
        await settled(shadows)
        assert len(shadows.take().found) == 1  # what it said is never ours

    run(work())


def test_a_shadow_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)

    async def work() -> None:
        shadows = Shadows(Judge())
        hangs = Scripted(GOOD, asyncio.Event())
        await ShadowedAgent(Scripted(), "v", hangs, shadows, 9).decide(QUESTION)
        await settled(shadows)
        (comparison,) = shadows.take().found
        assert comparison.shadow.fault is not None
        assert comparison.shadow.fault.kind == "timeout"

    run(work())


def test_a_table_that_is_left_leaves_no_comparison() -> None:
    async def work() -> None:
        shadows = Shadows(Judge())
        agent = ShadowedAgent(Scripted(GOOD, asyncio.Event()), "v", Scripted(), shadows, 9)
        deciding = asyncio.create_task(agent.decide(QUESTION))
        await asyncio.sleep(0)
        deciding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await deciding
        await shadows.close()
        assert shadows.take().found == []

    run(work())


def test_notices_are_passed_on_and_not_waited_for() -> None:
    async def work() -> None:
        shadows, real, second = Shadows(Judge()), Scripted(), Scripted()
        notice = Notice("deal_end", "r", b"{}")
        assert await ShadowedAgent(real, "v", second, shadows, 9).notify(notice, 1.0) is None
        await settled(shadows)
        assert (real.heard, second.heard) == ([notice], [notice])

    run(work())


async def put(agent: ShadowedAgent, times: int, shadows: Shadows) -> None:
    for _ in range(times):
        await agent.decide(QUESTION)
        await settled(shadows)


def test_a_shadow_that_has_had_its_questions_is_asked_and_told_no_more() -> None:
    """Two tables that begin at once have one remainder between them."""

    async def work() -> None:
        shadows, second = Shadows(Judge()), Scripted()
        tables = [ShadowedAgent(Scripted(), "v", second, shadows, 3) for _ in range(2)]
        for table in tables:
            await put(table, 2, shadows)
        await tables[0].notify(Notice("deal_end", "r", b"{}"), 1.0)
        taken = shadows.take()
        assert (len(second.asked), second.heard) == (3, [])
        assert (taken.asked, taken.skipped) == ({"v": 3}, {"v": 2})
        shadows.hear({"v": 0})
        await put(ShadowedAgent(Scripted(), "v", second, shadows, 3), 1, shadows)
        assert len(second.asked) == 3, "what a claim knew is older"

    run(work())


def test_no_more_than_a_step_is_put_before_the_remainder_is_heard_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "STEP", 5)

    async def work() -> None:
        shadows, second = Shadows(Judge()), Scripted()
        agent = ShadowedAgent(Scripted(), "v", second, shadows, 100)
        await put(agent, 3, shadows)
        taken = shadows.take()
        await put(agent, 4, shadows)
        assert len(second.asked) == 5
        shadows.put_back(taken)  # it could not be written down
        await put(agent, 1, shadows)
        assert len(second.asked) == 5
        taken = shadows.take()
        assert (taken.asked, taken.skipped) == ({"v": 5}, {"v": 3})
        shadows.hear({"v": 95})
        await put(agent, 2, shadows)
        assert shadows.take().asked == {"v": 2}
        await put(agent, 2, shadows)
        shadows.hear({"v": 3})  # other workers asked it too; two of the three are gone already
        await put(agent, 9, shadows)
        assert len(second.asked) == 5 + 2 + 2 + 1

    run(work())


def test_a_question_counts_when_it_is_put_whatever_comes_of_it() -> None:
    async def work() -> None:
        shadows, lost = Shadows(Judge(well=False)), Scripted(LATE)
        await put(ShadowedAgent(Scripted(), "v", lost, shadows, 2), 3, shadows)
        taken = shadows.take()
        assert (taken.found, taken.asked, taken.skipped) == ([], {"v": 2}, {"v": 3})

    run(work())
