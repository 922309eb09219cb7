"""A whole round of agents that do everything wrong, played by a real worker: it ends, rightly."""

from pathlib import Path

from sqlalchemy import func, select

from baohuang.api.bench.behaviours import BEHAVIOURS
from baohuang.api.bench.hostile import hostile_agents
from baohuang.api.models import Agent, Entry, Fault, Match, MatchStatus
from baohuang.engine.record import verify

from .arena import Arena, until
from .bots import running_bots

BUDGET_MS = 300
GROWTH_KIB = (6 + 8) * 1024  # 6 MiB are what such a round of healthy agents takes
# What a machine with too much to do adds.
BUSY = {("timeout", "bot"), ("server", "server"), ("connect", "network")}


def peak_kib(pid, reset=False):
    """The peak of a process's memory, since it was reset; 0 where the system does not tell."""
    place = Path(f"/proc/{pid}")
    if not place.exists():
        return 0
    if reset:
        (place / "clear_refs").write_text("5")
    return int((place / "status").read_text().split("VmHWM:")[1].split()[0])


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


def waiting(arena):
    """How many matches nobody plays yet."""
    return arena.one(select(func.count(Match.id)).where(Match.status == MatchStatus.QUEUED))


def test_a_worker_plays_a_round_of_hostile_agents_to_its_end(sqlite_arena):
    """Every fault by its name and the bot's own, nothing raised, little memory."""
    arena = Arena(sqlite_arena)
    healthy = -len(BEHAVIOURS) % 5
    with hostile_agents() as urls, running_bots() as bots:
        places = [*urls.values(), *(bots.url(number) for number in range(healthy))]
        arena.prepare(places, deals=1, budget_ms=BUDGET_MS, bank_ms=0)
        with arena.process("worker", "--timers") as worker:
            until(lambda: arena.decisions() > 0 and not waiting(arena))
            before = peak_kib(worker.pid, reset=True)
            until(lambda: arena.status() == "finished", 120)
            assert peak_kib(worker.pid) - before <= GROWTH_KIB
    found = faults_by_agent(arena)
    assert len(found) == len(BEHAVIOURS)
    for number, (name, (_, kind)) in enumerate(BEHAVIOURS.items()):
        assert (kind, "bot") in found[f"bot {number:02}"], name
        assert found[f"bot {number:02}"] <= {(kind, "bot"), *BUSY}, name
    for record in arena.records():
        verify(record)
    assert {tuple(row) for row in arena.rows(select(Match.attempts, Match.error))} == {(0, None)}
    arena.close()
