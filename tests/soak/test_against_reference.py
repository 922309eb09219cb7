"""The engine beside the second implementation for minutes, over new rule sets, deals and players.

A new seed each time; it is printed, and BAOHUANG_SEED repeats it.
"""

import os
import time
from collections.abc import Iterator
from random import Random, SystemRandom

import pytest

from ..engine.test_against_reference import (
    ABSENT,
    accepted_by_the_engine_alone,
    small_deals,
    some_rules,
    whole_match,
)

pytestmark = pytest.mark.soak

SECONDS = 300.0


@pytest.fixture
def seeded() -> Random:
    seed = int(os.environ.get("BAOHUANG_SEED") or SystemRandom().getrandbits(32))
    print(f"BAOHUANG_SEED={seed}")
    return Random(seed)


def while_time_is_left(random: Random) -> Iterator[Random]:
    """A new source of chance for every turn."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        yield Random(random.getrandbits(64))


def test_small_deals_go_the_same_way(seeded: Random) -> None:
    for random in while_time_is_left(seeded):
        small_deals(random, 20)


def test_whole_matches_go_the_same_way_and_spoilt_records_are_refused(seeded: Random) -> None:
    for random in while_time_is_left(seeded):
        rules = some_rules(random)
        record = whole_match(random, rules, *random.choice(ABSENT))
        assert list(accepted_by_the_engine_alone(record, random)) == []
