"""Agents that do everything wrong, played by a real worker: their rounds end, rightly."""

from itertools import cycle, islice
from pathlib import Path

import pytest
from sqlalchemy import func, select

from baohuang.api.bench.behaviours import BEHAVIOURS
from baohuang.api.bench.hostile import hostile_agents
from baohuang.api.bench.loopback import loopback_agents
from baohuang.api.models import Agent, Entry, Fault, Match
from baohuang.engine.record import verify

from .arena import until

CUPS = (list(BEHAVIOURS)[::2], list(BEHAVIOURS)[1::2])  # 95 agents each
SEATS = 95
GROWTH_KIB = 8 * 1024
CUP = {"format": "swiss", "deals": 1, "budget_ms": 300, "bank_ms": 0}
# What a machine with too much to do adds.
BUSY = {("timeout", "bot"), ("server", "server"), ("connect", "network"), ("tls", "bot")}


@pytest.fixture
def arena_url(postgres_arena):
    return postgres_arena


def peak_kib(pid, reset=False):
    """The peak of a process's memory, since it was reset; 0 where the system does not tell."""
    place = Path(f"/proc/{pid}")
    if not place.exists():
        return 0
    if reset:
        (place / "clear_refs").write_text("5")
    return int((place / "status").read_text().split("VmHWM:")[1].split()[0])


def play_cup(arena, worker, prefix, places, rounds=1):
    """To its end; KiB that the worker's peak has risen by."""
    before = peak_kib(worker.pid, reset=True)
    arena.prepare(places, prefix, **CUP, name=f"Cup {prefix}", rounds=rounds)
    until(lambda: arena.status() == "finished", 120)
    return peak_kib(worker.pid) - before


def faults_by_agent(arena):
    """Name of an agent -> (kind, charged to) of everything that it did wrong."""
    query = (
        select(Agent.name, Fault.kind, Fault.charged_to)
        .join(Entry, Entry.id == Fault.entry_id)
        .join(Agent, Agent.id == Entry.agent_id)
    )
    found = {}
    for name, kind, charged_to in arena.rows(query):
        found.setdefault(name, set()).add((kind, charged_to))
    return found


def test_a_worker_plays_rounds_of_hostile_agents_to_their_end(arena):
    """Every fault by its name and the bot's own, nothing raised, little memory.

    What code takes when it runs for the first time, it takes in two rounds of healthy agents. On
    PostgreSQL: each connection of SQLite keeps two MiB of a database that grows. That more calls
    take no more memory is a test of the caller (tests/api/remote/test_hostile.py).
    """
    with (
        hostile_agents() as hostile,
        loopback_agents() as healthy,
        arena.process("worker", "--timers") as worker,
    ):
        places = list(islice(cycle(healthy), SEATS))
        play_cup(arena, worker, "healthy", places, rounds=2)
        for number, names in enumerate(CUPS):
            wrong = [hostile[name] for name in names]
            seated = wrong + places[len(wrong) :]
            assert play_cup(arena, worker, f"{number}", seated) <= GROWTH_KIB
    found = faults_by_agent(arena)
    for cup, names in enumerate(CUPS):
        for number, name in enumerate(names):
            its = found.get(f"{cup} {number:02}", set())
            right = {(BEHAVIOURS[name].kind, "bot")} - {("ok", "bot")}
            assert right <= its <= right | BUSY, name
    for record in arena.records():
        verify(record)
    assert {tuple(row) for row in arena.rows(select(Match.attempts, Match.error))} == {(0, None)}
    assert arena.one(select(func.count(Match.id))) == SEATS // 5 * 4
