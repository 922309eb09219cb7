"""Probes over HTTP: a real question, the consequence, and none when it was us."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select, update

from baohuang.api.config import Config
from baohuang.api.models import Agent, AgentNotice
from baohuang.api.remote import questions
from baohuang.api.remote.client import Client
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import CaresLookup
from baohuang.scheduler.doctor import Doctor
from baohuang.scheduler.parts import Parts
from baohuang.scheduler.queue import NoQueue

from .bots import running_bots


@pytest.fixture
def arena_url(sqlite_arena):
    return sqlite_arena


class Judge:
    def __init__(self, well=True):
        self.is_well = well

    async def well(self):
        return self.is_well

    async def recover(self): ...


@asynccontextmanager
async def doctor(arena, judge):
    config = Config(database_url=arena.url, secret_key=arena.key, allow=("127.0.0.0/8",))
    parts, client = Parts.of(config, NoQueue()), Client(Guard(["127.0.0.0/8"]))
    with ThreadPoolExecutor(1) as threads:
        try:
            yield Doctor(parts, client, judge, threads)
        finally:
            await client.close()
            parts.close()


def rounds(arena, count, judge=None):
    """So many rounds, a minute apart; how many agents each probed."""

    async def work():
        async with doctor(arena, judge or Judge()) as at_work:
            probed = []
            for _ in range(count):
                with arena.database.begin() as session:
                    session.execute(update(Agent).values(probe_at=0.0))
                probed.append(await at_work.round())
            return probed

    return asyncio.run(work())


def spar(arena, *urls):
    _, agents = arena.author(urls)
    with arena.database.begin() as session:
        session.execute(update(Agent).values(sparring=True))
    return agents


def status(arena, agent_id):
    return arena.one(select(Agent.status).where(Agent.id == agent_id))


def test_a_good_agent_answers_a_real_question_and_a_dead_one_is_paused(arena):
    with running_bots() as bots:
        good, dead = spar(arena, bots.url(0), "http://127.0.0.1:1024/")
        assert rounds(arena, 4) == [2, 2, 2, 2]
        assert len(bots.sent) == 4
        assert all(question["legal"] and question["hand"] for question in bots.sent)
        assert len({question["request"] for question in bots.sent}) == 4
    assert (status(arena, good), status(arena, dead)) == ("active", "paused")
    assert arena.rows(select(AgentNotice.agent_id, AgentNotice.kind)) == [(dead, "paused")]


def test_the_questions_are_played_beside_the_event_loop_that_all_tables_share(arena, monkeypatch):
    players, play = [], questions.samples

    def noted(*asked):
        players.append(threading.current_thread())
        return play(*asked)

    monkeypatch.setattr(questions, "samples", noted)
    questions._kept.cache_clear()
    with running_bots() as bots:
        spar(arena, bots.url(0), bots.url(1))
        assert rounds(arena, 2) == [2, 2]
    assert len(players) == 1
    assert threading.main_thread() not in players


def test_who_cannot_be_reached_is_paused_only_while_others_are(arena, monkeypatch):
    lost, good = spar(arena, "http://lost.example/", "http://good.example/")
    away = Fault("connect", "network", "no connection in time")
    gone = {lost, good}

    async def probe(_self, contact):
        return away if contact.agent_id in gone else None

    monkeypatch.setattr(Doctor, "_probe", probe)
    rounds(arena, 4)
    assert (status(arena, lost), status(arena, good)) == ("active", "active"), "it may be us"
    gone.remove(good)
    rounds(arena, 4)
    assert (status(arena, lost), status(arena, good)) == ("paused", "active")


def test_who_has_a_name_is_not_to_blame_when_no_name_server_answers(arena, monkeypatch):
    """An agent that has an address instead is reached as before."""
    silent = {"lost.example", "known.example"}

    async def lookup(_self, name):
        if name in silent:
            raise OSError("no name server answers")
        return ["127.0.0.1"]

    monkeypatch.setattr(CaresLookup, "__call__", lookup)
    with running_bots() as bots:
        place = bots.url(0)
        lost, known, addressed = spar(
            arena,
            "http://lost.example:1024/",
            place.replace("127.0.0.1", "known.example"),
            place,
        )
        rounds(arena, 4)
        assert [status(arena, each) for each in (lost, known, addressed)] == ["active"] * 3
        silent.remove("known.example")
        rounds(arena, 4)
    assert [status(arena, each) for each in (lost, known)] == ["paused", "active"]


def test_what_was_our_own_failure_counts_for_nothing(arena):
    (dead,) = spar(arena, "http://127.0.0.1:1024/")
    rounds(arena, 4, Judge(well=False))
    assert status(arena, dead) == "active"


def test_it_comes_back_when_its_agent_does(arena):
    with running_bots() as bots:
        (agent_id,) = spar(arena, bots.url(0))
        with arena.database.begin() as session:
            session.execute(
                update(Agent).values(status="paused", paused_by="health", sparring=False)
            )
        rounds(arena, 3)
    assert status(arena, agent_id) == "active"
