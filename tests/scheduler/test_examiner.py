"""Checks by a worker, against real bots: a badge, a failure, and none when it was us."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update

from baohuang.api.config import Config
from baohuang.api.models import AgentVersion
from baohuang.api.remote.client import Client
from baohuang.api.remote.guard import Guard
from baohuang.scheduler import examiner
from baohuang.scheduler.examiner import Examiner
from baohuang.scheduler.parts import Parts
from baohuang.scheduler.queue import NoQueue

from .arena import until
from .bots import running_bots
from .test_doctor import Judge


@pytest.fixture
def arena_url(sqlite_arena):
    return sqlite_arena


def asked(arena):
    with arena.database.begin() as session:
        session.execute(update(AgentVersion).values(check_at=0.0))


def one_round(arena, judge):
    """How many were checked, and what came of the first."""

    async def work():
        config = Config(database_url=arena.url, secret_key=arena.key, allow=("127.0.0.0/8",))
        parts, client = Parts.of(config, NoQueue()), Client(Guard(["127.0.0.0/8"]))
        with ThreadPoolExecutor(1) as threads:
            try:
                return await Examiner(parts, client, judge, threads).round()
            finally:
                await client.close()
                parts.close()

    count = asyncio.run(work())
    with arena.database.read() as session:
        return count, session.scalars(select(AgentVersion)).first()


def test_findings_are_kept_and_who_believes_anybody_gets_no_badge(arena):
    """These bots do not look at signatures, which is a failure; all else is right."""
    with running_bots() as bots:
        arena.author([bots.url(0)])
        asked(arena)
        count, version = one_round(arena, Judge())
    assert count == 1
    verdicts = {name: verdict for name, verdict, _ in version.findings}
    assert verdicts["hello"] == "ok"
    assert verdicts["lianzhong-simple, play"] == "ok"
    assert {name for name, verdict in verdicts.items() if verdict == "failed"} == {
        "no signature at all", "a wrong signature", "a signature of an hour ago",
    }  # fmt: skip
    assert (version.check_at, version.badge_until) == (None, None)
    assert version.checked_at is not None


def test_a_failure_of_our_own_is_tried_again(arena):
    arena.author(["http://127.0.0.1:9/"])
    asked(arena)
    count, version = one_round(arena, Judge(well=False))
    assert count == 1
    assert version.check_at > 0
    assert (version.checked_at, version.findings) == (None, None)
    assert one_round(arena, Judge())[0] == 0  # not before its time


def test_a_check_that_takes_for_ever_has_failed(arena, monkeypatch):
    monkeypatch.setattr(examiner, "LIMIT_S", 0.05)
    with running_bots(think_s=1) as bots:
        arena.author([bots.url(0)])
        asked(arena)
        _, version = one_round(arena, Judge())
    assert [verdict for _, verdict, _ in version.findings] == ["failed"]


def test_a_worker_checks_whoever_asks(arena):
    arena.author(["http://127.0.0.1:9/"])
    asked(arena)
    with arena.process("worker", "--timers"):
        until(lambda: arena.one(select(AgentVersion.checked_at)))
    (findings,) = arena.rows(select(AgentVersion.findings))[0]
    assert [name for name, *_ in findings] == ["hello"]
    assert findings[0][1] == "failed"
