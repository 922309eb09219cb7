"""House agents: the same answers in the loop and in children, and no child outlives its parent."""

import asyncio
import multiprocessing
import os
import select
import subprocess
import sys
from typing import Any

from baohuang.api.remote.agent import HouseAgent, Question
from baohuang.api.remote.pool import BotPool
from baohuang.api.remote.wire import Clock, MatchIds
from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

from .support import run

KEY = bytes(range(32))


def questions(count: int) -> list[Question]:
    """The first questions of a match in which everybody takes the fallback."""
    match = Match(rule_set("lianzhong-simple"), KEY, 1)
    found = []
    for turn in range(count):
        found.append(Question(str(turn), MatchIds("m"), match.view(), Clock(10_000, 0)))
        match.autoplay()
    return found


async def answers(bot: str, pool: BotPool) -> list[str | None]:
    agent = HouseAgent(bot, KEY, pool)
    return [(await agent.decide(question)).answer for question in questions(6)]


def test_a_house_bot_answers_the_same_in_the_loop_and_in_a_child_process() -> None:
    async def work() -> None:
        outside = BotPool(workers=1, inline=frozenset())
        try:
            for bot in ("random", "greedy"):
                here = await answers(bot, BotPool())
                assert here == await answers(bot, outside)
                assert None not in here
        finally:
            outside.close()

    run(work())


def test_a_house_bots_draws_change_with_match_seat_turn_and_key() -> None:
    async def work() -> None:
        [question] = questions(1)
        wide = dict(question.view) | {"legal": [str(n) for n in range(1000)]}
        asked = {
            (await HouseAgent("random", key, BotPool()).decide(
                Question("r", MatchIds(match), wide | {"seat": seat, "turn": turn}, Clock(1, 0))
            )).answer
            for key in (KEY, bytes(32)) for match in "ab" for seat in (0, 1) for turn in (1, 2)
        }  # fmt: skip
        assert len(asked) >= 15  # of 16 draws from 1000

    run(work())


def test_a_house_bot_that_errs_is_a_fault_of_the_server() -> None:
    async def work() -> None:
        [question] = questions(1)
        wrong = Question("r", MatchIds("m"), dict(question.view) | {"fallback": "?"}, Clock(1, 0))
        decision = await HouseAgent("autoplay", KEY, BotPool()).decide(wrong)
        assert decision.fault is not None
        assert (decision.fault.kind, decision.fault.charged_to) == ("illegal", "server")
        assert decision.charged_ms == 0

    run(work())


def test_a_house_bot_that_takes_too_long_is_given_up_and_its_process_goes_on() -> None:
    async def work() -> None:
        pool = BotPool(workers=1, inline=frozenset())
        try:
            endless = dict(questions(1)[0].view) | {"legal": Endless(["a", "b"])}
            slow = Question("r", MatchIds("m"), endless, Clock(200, 0))
            decision = await HouseAgent("random", KEY, pool).decide(slow)
            assert decision.fault is not None
            assert (decision.fault.kind, decision.fault.charged_to) == ("server", "server")
            assert None not in await answers("random", pool)
        finally:
            pool.close()

    run(work())


class Endless(list[str]):
    """A list that nobody can index; it travels to the child by its class."""

    def __getitem__(self, _: object) -> Any:
        while True:
            pass


def test_a_child_that_was_killed_is_replaced() -> None:
    async def work() -> None:
        pool = BotPool(workers=1, inline=frozenset())
        others = set(multiprocessing.active_children())
        try:
            before = await answers("random", pool)
            [child] = set(multiprocessing.active_children()) - others
            child.kill()
            assert await answers("random", pool) == before
        finally:
            pool.close()

    run(work())


PARENT = """
import asyncio, multiprocessing, time
from baohuang.api.remote.pool import BotPool

async def main():
    pool = BotPool(workers=2, inline=frozenset())
    view = {"legal": ["pass", "7"], "fallback": "pass"}
    await asyncio.gather(*(pool.choose("random", view, bytes(32), str(n), 10) for n in range(8)))
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_children_end_when_their_parent_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the resource tracker complains of the murder
        text=True,
    )
    assert parent.stdout is not None
    with parent.stdout:
        children = [int(pid) for pid in parent.stdout.readline().split()]
    assert children
    ends = [os.pidfd_open(child) for child in children]
    try:
        parent.kill()
        parent.wait()
        for end in ends:
            assert select.select([end], [], [], 10)[0], "a child is still there"
    finally:
        for end in ends:
            os.close(end)


def test_many_house_decisions_in_place_let_other_tasks_run() -> None:
    async def work() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(tick())
        agent = HouseAgent("autoplay", KEY, BotPool())
        [question] = questions(1)
        for _ in range(320):
            await agent.decide(question)
        other.cancel()
        return ticks

    assert run(work()) >= 20
