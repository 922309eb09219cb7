"""Random tournaments through the services: whatever happens, the invariants of simulation.py hold.

The small ones are many, the big ones few: `make test` takes seconds, `make soak` plays 5,000.
"""

from __future__ import annotations

from random import Random

import pytest

from baohuang.api.services import audit

from .conftest import World
from .simulation import Counts, Simulation
from .watching import watch

BATCHES = 4
A_BATCH = 10
A_SOAK_BATCH = 25


def play(world: World, seed: int, tournaments: int) -> None:
    watch(world.database)
    counts = before(world)
    agents = [world.agent("anna", f"bot-{number}") for number in range(60)]
    for number in range(tournaments):
        random = Random(f"{seed}/{number}")
        size = random.choice([5, 5, 6, 7, 8, 9, 10, 12])
        if number == tournaments - 1:
            size = random.randint(14, 60)
        simulation = Simulation(world, random, agents, counts)
        try:
            simulation.run(size)
        except AssertionError as error:
            error.add_note(f"seed {seed}/{number}, {size} entries, {dict(simulation.steps)}")
            raise


def before(world: World) -> Counts:
    """What was in the log before the database began to watch."""
    with world.database.read() as session:
        return Counts(seen=audit.head(session).seq)


@pytest.mark.parametrize("seed", range(BATCHES))
def test_random_tournaments_keep_the_invariants(sqlite_world: World, seed: int):
    play(sqlite_world, seed, A_BATCH)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 300))
def test_five_thousand_tournaments_keep_the_invariants(sqlite_world: World, seed: int):
    play(sqlite_world, seed, A_SOAK_BATCH)
