"""The sample agents: each is run as its own program and called as a stranger's server would be."""

import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from baohuang.api.remote.agent import HttpAgent, Question
from baohuang.api.remote.client import Client
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.signing import new_secret
from baohuang.api.remote.table import Played, SeatClock, TimeRules, new_clocks, play
from baohuang.api.remote.wire import Clock, MatchIds
from baohuang.engine.match import Match
from baohuang.engine.record import verify
from baohuang.engine.rules import rule_set

from .support import LOOPBACK, client_of, run

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "examples" / "bots"
NAMES = ["lowest", "random_bot", "greedy", "careful", "misbehaving"]
DECISIONS = sorted((ROOT / "openapi" / "examples").glob("decide-*.json"))
SECRET = new_secret()
TIMES = TimeRules(budget_ms=3000)


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """The five agents, each on a port of its own."""
    with contextlib.ExitStack() as stack:
        running = {}
        for name in NAMES:
            program = [sys.executable, str(BOTS / f"{name}.py"), "--port", "0"]
            running[name] = stack.enter_context(
                subprocess.Popen(
                    program, stdout=subprocess.PIPE, text=True, env={"AGENT_SECRET": SECRET}
                )
            )
            stack.callback(running[name].kill)
        yield {
            name: f"http://127.0.0.1:{int(agent.stdout.readline())}/"  # type: ignore[union-attr]
            for name, agent in running.items()
        }


@contextlib.asynccontextmanager
async def agents_of(urls: dict[str, str], secret: str = SECRET) -> AsyncIterator[list[HttpAgent]]:
    async with client_of(LOOPBACK) as client:
        yield [HttpAgent(url, [secret], client, name) for name, url in urls.items()]


def asked(path: Path) -> Question:
    data = json.loads(path.read_text())
    ids = MatchIds(data["match"], data["tournament"], data["round"], data["table"])
    return Question(data["request"], ids, data, Clock(5000, 0))


class Faults:
    def __init__(self) -> None:
        self.kinds: list[tuple[int, int, str]] = []

    def on_decision(self, played: Played) -> None: ...

    def on_fault(self, played: Played, fault: Fault) -> None:
        self.kinds.append((played.turn, played.seat, fault.kind))


def test_they_echo_the_challenge_of_hello(urls: dict[str, str]) -> None:
    async def work() -> list[Fault | None]:
        async with agents_of(urls) as agents:
            return [await agent.hello("c0ffee00") for agent in agents]

    assert run(work()) == [None] * 5


def test_they_refuse_a_call_that_is_not_signed_with_their_secret(urls: dict[str, str]) -> None:
    async def work() -> list[str | None]:
        async with agents_of(urls, new_secret()) as agents:
            faults = [await agent.hello("c0ffee00") for agent in agents]
            return [fault.detail if fault else None for fault in faults]

    assert run(work()) == ["status 401 instead of 200"] * 5


def test_they_answer_every_phase_legally_and_the_same_when_asked_again(
    urls: dict[str, str],
) -> None:
    async def work() -> None:
        async with agents_of(urls) as agents:
            for question in map(asked, DECISIONS):
                for agent in agents[:4]:
                    first, again = await agent.decide(question), await agent.decide(question)
                    assert first.fault is None, (agent, question.request, first.fault)
                    assert first.answer == again.answer

    run(work())


def whole_match(urls: dict[str, str], log: list[tuple[int, str, bool]]) -> tuple[Match, Faults]:
    rules = rule_set("lianzhong-simple")
    match = Match.resume(rules, bytes(range(32)), 2, log)
    faults = Faults()

    async def work() -> None:
        clocks = [*new_clocks(TIMES)[:4], SeatClock(0)]  # the slow one is given up soon
        async with agents_of(urls) as agents:
            await play(match, MatchIds("m7"), agents, clocks, faults, TIMES)

    run(work())
    return match, faults


@pytest.mark.usefixtures("late_alarms")
def test_a_match_among_them_ends_with_a_valid_record_and_goes_the_same_way_again(
    urls: dict[str, str],
) -> None:
    match, faults = whole_match(urls, [])
    verify(match.record(NAMES, "m7"))
    assert {seat for _, seat, _ in faults.kinds} == {4}
    half = match.log[: len(match.log) // 2]
    turn = Match.resume(match.rules, bytes(range(32)), 2, half).turn
    again, rest = whole_match(urls, half)
    assert again.record(NAMES, "m7") == match.record(NAMES, "m7")
    assert rest.kinds == [fault for fault in faults.kinds if fault[0] >= turn]


@pytest.mark.parametrize("name", ["lowest", "misbehaving"])
def test_who_plays_simply_takes_the_throne_or_five_of_it_would_never_play(
    urls: dict[str, str], name: str
) -> None:
    offered = asked(ROOT / "openapi" / "examples" / "decide-throne.json")
    assert "accept" in offered.view["legal"]

    async def work() -> str | None:
        async with agents_of({name: urls[name]}) as (one,):
            return (await one.decide(offered)).answer

    assert run(work()) == "accept"


@pytest.mark.usefixtures("late_alarms")
def test_the_misbehaving_one_goes_wrong_in_all_its_ways(urls: dict[str, str]) -> None:
    """Asked about many turns; each way shows as its own fault."""
    template = asked(DECISIONS[0])

    async def kinds(client: Client) -> set[str]:
        agent = HttpAgent(urls["misbehaving"], [SECRET], client)
        seen = set()
        for turn in range(1, 400):
            view = dict(template.view) | {"turn": turn}
            decision = await agent.decide(Question("r", template.ids, view, Clock(500, 0)))
            seen.add(decision.status)
            if len(seen) == 5:
                break
        return seen

    async def work() -> set[str]:
        async with client_of(LOOPBACK) as client:
            return await kinds(client)

    assert run(work()) == {"ok", "timeout", "illegal", "content_type", "connect"}


def test_each_is_shorter_than_120_lines_and_needs_only_the_standard_library() -> None:
    for path in BOTS.glob("*.py"):
        lines = path.read_text().splitlines()
        assert len(lines) < 120, path.name
        imports = {
            line.split()[1].split(".")[0] for line in lines if line.startswith(("import", "from"))
        }
        assert imports <= sys.stdlib_module_names | {"kit"}, path.name
