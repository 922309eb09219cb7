"""Section F of the hostile list: what a server may do to its caller, each against a real socket.

Every call ends by its deadline with the fault named, and raises nothing.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from baohuang.api.bench.behaviours import BEHAVIOURS, misbehaving
from baohuang.api.bench.hostile import hostile_agents
from baohuang.api.bench.misdeeds import GOOD, REQUEST, json_body, says, sleeps
from baohuang.api.bench.sealed import trusted
from baohuang.api.remote.agent import HttpAgent, Question
from baohuang.api.remote.client import Client
from baohuang.api.remote.wire import Clock, MatchIds

from .support import LOOPBACK, client_of, read_request, response, run, serving

DEADLINE = 0.35  # seconds; the servers below would go on for longer
UNHURRIED = 30.0  # for what is to be seen before any deadline, however busy the machine
BY_DEADLINE = {"timeout", "tls"}  # faults that may be seen by nothing but the time
LATE = 5  # allowed beyond it: the machine is shared, and a minute would be a hang
pytestmark = pytest.mark.usefixtures("late_alarms")
VIEW = {
    "deal": 1, "deals": 1, "turn": 1, "seat": 0, "rules": {}, "phase": "play", "hand": "7C",
    "role": "rebel", "public": {}, "trick": None, "history": [], "legal": ["pass", "7"],
    "fallback": "pass",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def trust() -> Iterator[None]:
    with trusted():
        yield


def question(ms: int = round(UNHURRIED * 1000)) -> Question:
    return Question(REQUEST, MatchIds("m"), VIEW, Clock(ms, 0))


def peak_kib() -> int:
    """The process's peak memory since it was reset."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def new_peak_kib() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return peak_kib()


async def ask(client: Client, url: str, seconds: float = DEADLINE) -> tuple[str, str, float]:
    start = time.monotonic()
    decision = await HttpAgent(url, [], client).decide(question(round(seconds * 1000)))
    elapsed = time.monotonic() - start
    assert decision.answer is None or decision.fault is None
    charged = decision.fault.charged_to if decision.fault else ""
    return decision.status, charged, elapsed


@pytest.mark.parametrize(
    "loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
@pytest.mark.parametrize("case", BEHAVIOURS)
def test_a_hostile_server_gets_its_fault_by_the_deadline(case: str, loop: Any) -> None:
    behaviour = BEHAVIOURS[case]
    seconds = DEADLINE if behaviour.kind in BY_DEADLINE else UNHURRIED

    async def work() -> tuple[str, str, float]:
        async with misbehaving(behaviour) as url, client_of(LOOPBACK) as client:
            return await ask(client, url, seconds)

    status, charged, elapsed = run(work(), loop)
    assert (status, charged) == (behaviour.kind, "" if behaviour.kind == "ok" else "bot")
    assert elapsed < seconds + LATE


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_hundred_at_once_take_little_memory_and_no_more_when_asked_again() -> None:
    async def grown(client: Client, urls: list[str], times: int) -> int:
        gc.collect()
        before = new_peak_kib()
        for _ in range(times):
            for some in (urls[::2], urls[1::2]):
                await asyncio.gather(*(ask(client, url) for url in some))
        return peak_kib() - before

    async def work(urls: list[str]) -> list[int]:
        async with client_of(LOOPBACK) as client:
            return [await grown(client, urls, times) for times in (1, 1, 3)]

    with hostile_agents() as urls:
        first, _, again = run(work([*urls.values()]))
    assert first <= 8 * 1024
    assert again <= 1024


def test_116_an_unasked_second_answer_reaches_nobody() -> None:
    """At once and late: neither the next call nor another agent at the same place is given it."""
    stolen = GOOD.replace(b"pass", b"7")

    async def work() -> list[str | None]:
        late = asyncio.Event()

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for data in (response(GOOD), response(GOOD) + response(stolen), response(GOOD)):
                await read_request(reader)
                writer.write(data)
                await late.wait()
                writer.write(response(stolen))

        async with serving(script) as url, client_of(LOOPBACK) as client:
            mine, other = HttpAgent(url, [], client, "mine"), HttpAgent(url, [], client, "other")
            answers = [(await mine.decide(question())).answer]
            late.set()
            await asyncio.sleep(0.01)
            for agent in (other, mine, other, mine):
                answers.append((await agent.decide(question())).answer)
                await asyncio.sleep(0.01)
            return answers

    assert run(work()) == ["pass"] * 5


def test_117_a_cookie_never_comes_back() -> None:
    async def work() -> list[str | None]:
        cookies = []

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                headers, _ = await read_request(reader)
                cookies.append(headers.get("cookie"))
                writer.write(response(GOOD, "200 OK", "Set-Cookie: seen=1; Path=/"))

        async with serving(script) as url, client_of(LOOPBACK) as client:
            for name in ("one", "one", "two"):
                await HttpAgent(url, [], client, name).decide(question())
        return cookies

    assert run(work()) == [None, None, None]


def test_a_healthy_agent_is_answered_beside_a_hundred_that_never_answer() -> None:
    async def work() -> int:
        healthy = 0
        async with (
            serving(says(b"", sleeps)) as silent,
            serving(json_body(GOOD)) as good,
            client_of(LOOPBACK) as client,
        ):
            hung = [
                asyncio.create_task(
                    HttpAgent(silent, [], client, f"hung {n}").decide(question(60_000))
                )
                for n in range(100)
            ]
            for _ in range(20):
                decision = await HttpAgent(good, [], client, "good").decide(question())
                healthy += decision.answer == "pass"
            assert not any(task.done() for task in hung)
            for task in hung:
                task.cancel()
            await asyncio.gather(*hung, return_exceptions=True)
        return healthy

    assert run(work()) == 20
