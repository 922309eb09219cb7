"""What a check asks is played beside the event loop, whoever checks, and once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from baohuang.api.remote import conformance, pull_check, questions
from baohuang.api.remote.client import Client
from baohuang.api.remote.conformance import Finding, Subject
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.pull_check import PullSubject
from baohuang.api.remote.questions import Sample, drawn
from baohuang.engine import PRESETS

from .support import LOOPBACK, read_request, response, run, serving
from .test_pull_check import Box, fallback

HELLO = b'{"challenge":"%s"}'


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[threading.Thread]]:
    """The threads that played samples, one an occasion; nothing is kept from before or after."""
    by: list[threading.Thread] = []
    play = questions.samples

    def noted(each: int, seed: int = 1) -> list[Sample]:
        by.append(threading.current_thread())
        return play(each, seed)

    monkeypatch.setattr(questions, "samples", noted)
    questions._kept.cache_clear()
    yield by
    questions._kept.cache_clear()


def test_many_who_ask_at_once_get_what_was_played_once_elsewhere(
    players: list[threading.Thread],
) -> None:
    async def work() -> list[tuple[Sample, ...]]:
        return await asyncio.gather(*(drawn(1) for _ in range(8)), drawn(2))

    *ones, two = run(work())
    assert all(each == ones[0] for each in ones)
    assert {sample.preset for sample in ones[0]} == set(PRESETS)
    assert len(ones[0]) < len(two)
    assert len(players) == 2
    assert threading.main_thread() not in players


async def called() -> list[Finding]:
    """A check of an agent that is called and only knows `hello`."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, body = await read_request(reader)
            challenge = body.partition(b'"challenge":"')[2].partition(b'"')[0]
            writer.write(response(HELLO % challenge))

    async with serving(script) as url:
        client = Client(Guard([LOOPBACK]))
        found = await all_of(conformance.findings(Subject(url, client, each=1)))
        await client.close()
        return found


async def fetching() -> list[Finding]:
    return await all_of(pull_check.findings(PullSubject("01AGENT", "m", Box(fallback), each=1)))


async def all_of(findings: AsyncIterator[Finding]) -> list[Finding]:
    return [finding async for finding in findings]


@pytest.mark.parametrize("check", [called, fetching])
def test_a_check_plays_nothing_on_the_event_loop(check, players: list[threading.Thread]) -> None:
    found = run(check())
    assert len(found) > len(PRESETS)
    assert len(players) == 1
    assert threading.main_thread() not in players
