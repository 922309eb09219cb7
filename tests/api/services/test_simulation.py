"""Random tournaments through the services: whatever happens, the invariants hold.

`make test` plays 200 of 5 to 60 entries, `make soak` 5,000.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from .conftest import World
from .invariants import Invariants
from .simulation import Simulation

BATCHES = 8
A_BATCH = 25
OWNERS = 12
AGENTS = 72

HAPPENS = {
    "adjust", "annul", "appeal", "check in", "close", "come back", "decide", "disqualify", "enter",
    "finish", "overdue", "pause", "penalize", "replay", "resume", "seat", "substitute", "undo",
    "warn", "withdraw",
}  # fmt: skip
"""What some tournament of each batch goes through; with refusals and rarer things there is more."""


def play(world: World, seed: int, tournaments: int) -> None:
    agents = world.agents(OWNERS, AGENTS)
    invariants, happened = Invariants(world.database), Counter[str]()
    for number in range(tournaments):
        random = Random(f"{seed}/{number}")
        size = 5 + int(56 * random.random() ** 3)  # 5 to 60; the small ones more often
        simulation = Simulation(world, random, agents, invariants)
        try:
            simulation.run(size)
        except Exception as error:
            error.add_note(f"seed {seed}/{number}, {size} entries, {dict(simulation.steps)}")
            raise
        happened += simulation.steps
    invariants.close()
    assert happened.keys() >= HAPPENS


@pytest.mark.parametrize("seed", range(BATCHES))
def test_random_tournaments_keep_the_invariants(sqlite_world: World, seed: int):
    play(sqlite_world, seed, A_BATCH)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 300))
def test_five_thousand_tournaments_keep_the_invariants(sqlite_world: World, seed: int):
    play(sqlite_world, seed, A_BATCH)
