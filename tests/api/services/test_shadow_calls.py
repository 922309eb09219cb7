"""The report of a shadow: counted by hand from a handful of calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count

import pytest

from baohuang.api.errors import NotFound
from baohuang.api.models import AgentVersion
from baohuang.api.remote import shadow as remote
from baohuang.api.remote.agent import Decision, HttpAgent, Question
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.shadow import Comparison, Taken
from baohuang.api.remote.wire import Clock, MatchIds
from baohuang.api.services import shadow_calls, versions

from .playing import claimed

VIEW = {"seat": 2, "phase": "play"}


@pytest.fixture
def site(world):
    """An agent with a verified shadow, and a match that it plays: agent, version, match."""
    agent_id = world.agent("anna", "bot")
    with world.database.begin() as session:
        who = world.people["anna"]
        made, _ = versions.create(
            session, world.vault, who, agent_id, "https://s.example/", shadow=True
        )
        versions.record_hello(session, who, agent_id, 2)
    tournament_id = world.opened(capacity=5)
    world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    return agent_id, made.id, match_id


def call(version_id, match_id, number, played, answer, ms=10, fault=None, phase="play"):
    question = Question(
        f"01{number:024}", MatchIds(match_id), {**VIEW, "phase": phase}, Clock(100, 900)
    )
    at_table = Decision(played, None if played else Fault("timeout", "bot", "…", 9), 20, 20)
    wrong = None if fault is None else Fault(fault, "bot", "what it did", ms)
    return Comparison(version_id, 2, question, at_table, Decision(answer, wrong, ms, ms))


def stored(world, calls, skipped=None):
    with world.database.begin() as session:
        asked = Counter(each.version_id for each in calls)
        return shadow_calls.store(session, Taken(calls, asked, Counter(skipped or {})))


def report(world, agent_id, number=2, who="anna"):
    with world.database.read() as session:
        return shadow_calls.report(session, world.people[who], agent_id, number)


def test_agreement_latency_and_faults_are_counted(world, site):
    agent_id, version_id, match_id = site
    stored(
        world,
        [
            call(version_id, match_id, 1, "77", "77", ms=10),
            call(version_id, match_id, 2, "77", "88", ms=20),
            call(version_id, match_id, 3, "pass", "pass", ms=30, phase="kick"),
            call(version_id, match_id, 4, "77", None, ms=40, fault="illegal"),
            call(version_id, match_id, 5, None, "77", ms=150),
            call(version_id, match_id, 6, "77", None, ms=1000, fault="timeout"),
        ],
        {version_id: 7},
    )
    found = report(world, agent_id)
    assert (found["asked"], found["answered"], found["skipped"]) == (6, 4, 7)
    assert (found["compared"], found["same"], found["agreement"]) == (3, 2, 0.6667)
    assert (found["illegal"], found["faults"]) == (1, {"illegal": 1, "timeout": 1})
    assert found["over_budget"] == 2
    assert found["ms"] == {"p50": 30, "p90": 1000, "p99": 1000, "most": 1000}
    assert found["played_ms"] == {"p50": 20, "p90": 20, "p99": 20, "most": 20}
    assert found["phases"] == [
        {"phase": "play", "compared": 2, "same": 1},
        {"phase": "kick", "compared": 1, "same": 1},
    ]
    shown = {each["request"][-1]: each for each in found["differences"]}
    assert set(shown) == {"2", "4", "5", "6"}
    assert (shown["2"]["played"], shown["2"]["answer"], shown["2"]["seat"]) == ("77", "88", 2)
    assert (shown["4"]["fault"], shown["4"]["detail"]) == ("illegal", "what it did")


def test_a_report_of_nothing_says_so(world, site):
    found = report(world, site[0])
    assert (found["asked"], found["agreement"], found["ms"], found["phases"]) == (0, None, None, [])
    with pytest.raises(NotFound):
        report(world, site[0], who="bert")


def test_a_question_that_is_asked_again_counts_once(world, site):
    agent_id, version_id, match_id = site
    stored(world, [call(version_id, match_id, 1, "77", "77")])
    stored(world, [call(version_id, match_id, 1, "77", "88")])
    found = report(world, agent_id)
    assert (found["asked"], found["same"]) == (1, 1)


def test_whoever_plays_takes_its_shadow_along(world, site):
    _, version_id, match_id = site
    (plan,) = [plan for plan in claimed(world, match_id, -1).seats if plan.agent_id]
    assert plan.shadow is not None
    assert (plan.shadow.version_id, plan.shadow.url) == (version_id, "https://s.example/")
    assert plan.shadow.left == 5000
    assert "whsec" not in repr(plan)
    assert (plan.url, plan.version) == ("https://bot.example/bot", 1)


@pytest.mark.parametrize("change", [{"status": "unverified"}, {"status": "retired"}, "enough"])
def test_one_that_may_not_be_asked_is_not(world, site, change):
    _, version_id, match_id = site
    values = {"shadow_asked": shadow_calls.MOST} if change == "enough" else change
    with world.database.begin() as session:
        version = session.get_one(AgentVersion, version_id)
        for name, value in values.items():
            setattr(version, name, value)
    assert all(plan.shadow is None for plan in claimed(world, match_id).seats)


def test_percentiles_are_those_of_the_nearest_rank():
    assert shadow_calls.quantiles([]) is None
    assert shadow_calls.quantiles([5]) == {"p50": 5, "p90": 5, "p99": 5, "most": 5}
    hundred = shadow_calls.quantiles(list(range(1, 101)))
    assert hundred == {"p50": 50, "p90": 90, "p99": 99, "most": 100}


class Answers(HttpAgent):
    """Says the same at once, and counts."""

    def __init__(self):
        self.asked = 0
        self._name = "answers"

    async def decide(self, question):
        self.asked += 1
        return Decision("77", None, 5, 5)


class Well:
    async def well(self):
        return True


def test_two_workers_put_one_step_more_than_one_and_the_report_keeps_its_bound(
    world, site, monkeypatch
):
    """A hundred in steps of 25: two workers have put 50, then 100; the one that writes first knows
    of 75 alone, and puts 25 more.
    """
    monkeypatch.setattr(shadow_calls, "MOST", 100)
    monkeypatch.setattr(remote, "STEP", 25)
    agent_id, version_id, match_id = site
    shadow, numbers = Answers(), count()

    async def puts_all_it_may(table):
        for _ in range(30):
            ids = MatchIds(match_id)
            await table.decide(Question(f"01{next(numbers):024}", ids, VIEW, Clock(100, 900)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    async def work():
        workers = [remote.Shadows(Well()) for _ in range(2)]
        tables = [
            remote.ShadowedAgent(Answers(), version_id, shadow, shadows, left(world, site))
            for shadows in workers
        ]
        for _ in range(6):
            for table in tables:
                await puts_all_it_may(table)
            for shadows in workers:
                with world.database.begin() as session:
                    shadows.hear(shadow_calls.store(session, shadows.take()))

    asyncio.run(work())
    assert shadow.asked == 125
    assert left(world, site) == -25
    found = report(world, agent_id)
    assert (found["asked"], found["same"]) == (100, 100)
    assert found["skipped"] == 6 * 2 * 30 - 125
    assert all(plan.shadow is None for plan in claimed(world, match_id).seats)


def left(world, site):
    with world.database.read() as session:
        return shadow_calls.left(session.get_one(AgentVersion, site[1]))
