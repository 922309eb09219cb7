"""The engine beside a second implementation of the rules (tests/reference): same lists, same ends.

Whole matches and small deals run on both machines at once; at every question the legal list, the
view and the fallback are compared, at the end the record. Then records are spoilt: what the
reference refuses, `verify` must refuse. `tests/soak/test_against_reference.py` goes on for minutes.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from baohuang.engine import PRESETS, RecordError, RuleSet, verify

from ..reference import Difference, check
from .lockstep import Lockstep, SmallDeal, random_rules, small_deal
from .mutants import Record, erased, mutants
from .policies import policy

RECORDS = sorted((Path(__file__).parent / "records").rglob("*.json"))
ABSENT = [(0.0, 0.0), (0.15, 0.0), (0.6, 0.02), (0.02, 0.004)]
"""How often the server answers, how often a seat deserts."""


def some_rules(random: Random) -> RuleSet:
    if random.random() < 0.3:
        return PRESETS[random.choice(list(PRESETS))]
    return random_rules(random)


def whole_match(random: Random, rules: RuleSet, absent: float = 0.0, leave: float = 0.0) -> Record:
    lockstep = Lockstep(rules, random.randbytes(32), random.choice([1, 2, 3]))
    record = lockstep.play(policy(random), random, absent, leave)
    verify(record)
    return record


def small_deals(random: Random, deals: int) -> None:
    for _ in range(deals):
        small_deal(some_rules(random), random).play(policy(random))


def refused(judge: object, record: Record, error: type[Exception]) -> bool:
    try:
        judge(record)  # type: ignore[operator]
    except error:
        return True
    return False


def accepted_by_the_engine_alone(record: Record, random: Random) -> Iterator[str]:
    """Any other error than a RecordError comes through."""
    for name, mutant in mutants(record, random):
        if not refused(verify, mutant, RecordError) and refused(check, mutant, Difference):
            yield name


@pytest.mark.parametrize("seed", range(6))
def test_3_small_deals_go_the_same_way_under_any_rules(seed: int) -> None:
    small_deals(Random(seed), 60)


@pytest.mark.parametrize("preset", PRESETS)
def test_8_every_preset_plays_whole_matches_the_same_way(preset: str) -> None:
    random = Random(preset)
    for _ in range(2):
        whole_match(random, PRESETS[preset])


@pytest.mark.parametrize("seed", range(8))
def test_8_any_valid_options_play_whole_matches_the_same_way(seed: int) -> None:
    random = Random(seed)
    whole_match(random, random_rules(random))


@pytest.mark.parametrize(("absent", "leave"), ABSENT[1:])
@pytest.mark.parametrize("preset", ["lianzhong-simple", "wuren"])
def test_6_absent_seats_are_played_the_same_way(preset: str, absent: float, leave: float) -> None:
    whole_match(Random(f"{preset} {absent}"), PRESETS[preset], absent, leave)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_2_the_reference_accepts_the_golden_records(path: Path) -> None:
    check(json.loads(path.read_text()))


@pytest.mark.parametrize("preset", PRESETS)
def test_records_that_the_reference_refuses_are_refused(preset: str) -> None:
    random = Random(preset)
    record = whole_match(random, PRESETS[preset], absent=0.01)
    assert list(accepted_by_the_engine_alone(record, random)) == []


def test_3_2_a_gift_may_be_like_one_that_travels() -> None:
    """Seat 2 gives its 9C; seat 1, without a 2, then gives its own 9C, not its 7H."""
    hands = ["7H 7H X", "7H 9C X", "9C G x", "2H 6C E", "TD x X"]
    deal = SmallDeal(PRESETS["lianzhong-simple"], [hand.split() for hand in hands], None)
    script = iter(["yield"] * 4 + ["accept"])
    deal.play(lambda game: next(script, game.legal[-1]))


def test_6_a_deal_is_not_erased_by_fines_of_seats_that_played_on() -> None:
    random = Random(6)
    record = Lockstep(PRESETS["jingji"], bytes(32), 3).play(policy(random), random, 0.0, 0.0)
    erased(record, record["deals"][0])
    assert refused(check, record, Difference)
    assert refused(verify, record, RecordError)
