"""What holds whatever the rules, the cards and the answers, over random valid rule sets."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang import engine
from baohuang.engine import (
    PRESETS,
    DealState,
    Draw,
    IllegalAnswer,
    Match,
    RuleSet,
    View,
    new_deal,
    replay,
    verify,
)

from .board import slots
from .laws import check_cards, check_end, check_question, unchanged_by, whole
from .strategies import keys, law, rule_sets, seeds
from .walk import key_of, random_match

SEATS = list("abcde")
FOREIGN = [
    "",
    "pass",
    "accept",
    "3",
    "XXXX",
    "call 3C",
    "open",
    "no",
    None,
    7,
    [],
    {"a": 1},
    b"pass",
]


@given(rule_sets())
@law()
def test_rule_sets_are_read_back_and_described_by_their_options(ruleset):
    assert RuleSet.from_json(json.loads(json.dumps(ruleset.to_json()))) == ruleset


@given(rule_sets(), keys, seeds)
@law()
def test_someone_may_act_until_the_deal_is_over_and_cards_are_conserved(ruleset, key, seed):
    state = new_deal(ruleset, key)
    start, lots, step = whole(state), Draw(key_of(seed), "laws"), 0
    while state.result is None:
        check_question(state)
        if state.phase != "play" or step % 16 == 0:
            check_cards(state, start)
        state.apply(lots.choice(state.legal))
        step += 1
    check_end(state)
    check_cards(state, start)


@given(rule_sets(), keys, seeds)
@law(25)
def test_every_listed_answer_applies_and_any_other_is_refused(ruleset, key, seed):
    state, lots = new_deal(ruleset, key), Draw(key_of(seed), "laws")
    while state.result is None:
        if lots.below(4) == 0 or state.phase != "play":
            for answer in state.legal:
                twin = state.copy()
                twin.apply(answer)
                said = twin.history[len(state.history) :]
                assert answer == "hidden" or said[0] == (state.seat, answer)
                assert twin.result is not None or len(twin.legal) > 1
            for answer in [*FOREIGN, *_neighbours(state, lots)]:
                if answer not in state.legal:
                    unchanged_by(state, answer, IllegalAnswer)
        state.apply(lots.choice(state.legal))
    for answer in FOREIGN:
        unchanged_by(state, answer, IllegalAnswer)


def _neighbours(state: DealState, lots: Draw) -> list[str]:
    """Plays of the deck that the seat may or may not have, and answers of other seats."""
    texts = tuple(state.combinations.plays)
    return [lots.choice(texts) for _ in range(8)] + [state.legal[0] + " ", state.legal[-1].lower()]


@given(rule_sets(), keys, seeds)
@law(25)
def test_copies_are_independent(ruleset, key, seed):
    state, lots = new_deal(ruleset, key), Draw(key_of(seed), "laws")
    for _ in range(lots.below(60)):
        if state.result is None:
            state.apply(lots.choice(state.legal))
    twin, before = state.copy(), slots(state)
    assert slots(twin) == before
    said = []
    while twin.result is None:
        said.append(lots.choice(twin.legal))
        twin.apply(said[-1])
        assert View(twin, 0)["hand"] is not None
    assert slots(state) == before
    once_more = state.copy()
    for answer in said:
        once_more.apply(answer)
    assert once_more.history == twin.history
    assert slots(state) == before


# -- matches ------------------------------------------------------------------------------------


def busy_match(ruleset, key, deals, lots):
    """Random answers; now and then the server answers for a seat, and somebody may leave."""
    match = Match(ruleset, key, deals)
    absent = (0, 12, 3)[lots.below(3)]
    leaver = lots.below(3) == 0
    while not match.over:
        if leaver and lots.below(150) == 0:
            match.desert(lots.below(5))
        elif absent and lots.below(absent) == 0:
            match.autoplay()
        else:
            match.answer(lots.choice(match.legal))
    return match


@given(rule_sets(), keys, seeds)
@law(60)
def test_records_verify_and_replay_gives_the_state(ruleset, key, seed):
    match = busy_match(ruleset, key, 3, Draw(key_of(seed), "laws"))
    record = json.loads(json.dumps(match.record(SEATS, "m")))
    verify(record)
    verify(json.loads(json.dumps(match.record(SEATS, reveal=False))))
    for entry in record["deals"]:
        state = replay(ruleset, entry)
        assert state.result is not None
        _check_only_choices(ruleset, entry)
        if entry["result"] != "uncounted":
            assert list(state.outcome().scores or [0] * 5) == entry["scores"]
        assert (state.outcome().places and list(state.outcome().places)) == entry["places"]
    assert match.totals == [sum(d["scores"][seat] for d in record["deals"]) for seat in range(5)]
    assert sum(match.totals) == 0


def _check_only_choices(ruleset, entry):
    """A record holds what was asked, nothing that the engine supplied."""
    state = replay(ruleset, entry | {"answers": []})
    for seat, answer, *_ in entry["answers"]:
        assert (state.seat, len(state.legal) > 1) == (seat, True)
        state.apply(answer)


@given(rule_sets(), keys, seeds)
@law(40)
def test_resume_of_a_log_equals_the_match(ruleset, key, seed):
    lots = Draw(key_of(seed), "laws")
    match = busy_match(ruleset, key, 3, lots)
    again = Match.resume(ruleset, key, 3, match.log)
    assert again.record(SEATS) == match.record(SEATS)
    assert (again.log, again.over) == (match.log, match.over)
    cut = lots.below(len(match.log) + 1)
    part = Match.resume(ruleset, key, 3, match.log[:cut])
    assert part.log == match.log[:cut]
    if not part.over:
        twin = Match.resume(ruleset, key, 3, list(part.log))
        assert json.dumps(twin.view()) == json.dumps(part.view())
    for seat, answer, auto in match.log[cut:]:
        if answer == "desert":
            part.desert(seat)
        else:
            assert part.seat == seat
            part.answer(answer, auto)
    assert part.record(SEATS) == match.record(SEATS)


@given(rule_sets(), keys, seeds)
@law(20)
def test_a_match_refuses_foreign_answers_and_stays_as_it_was(ruleset, key, seed):
    lots, match = Draw(key_of(seed), "laws"), Match(ruleset, key, 2)
    while not match.over:
        if lots.below(20) == 0:
            before = json.dumps([match.view(), match.log, match.record(SEATS)])
            for answer in FOREIGN:
                if answer not in match.legal:
                    with pytest.raises(IllegalAnswer):
                        match.answer(answer)
            assert json.dumps([match.view(), match.log, match.record(SEATS)]) == before
        match.answer(lots.choice(match.legal))
    for answer in ("pass", "accept"):
        with pytest.raises(IllegalAnswer):
            match.answer(answer)
    assert (match.seat, match.phase, match.legal) == (-1, "over", ())


def test_a_log_of_another_match_is_refused():
    match = random_match(PRESETS["jingji"], key_of("one"), 1)
    with pytest.raises(IllegalAnswer):
        Match.resume(PRESETS["jingji"], key_of("two"), 1, match.log)


# -- the same everywhere --------------------------------------------------------------------------

PROGRAM = """
import hashlib, json, sys, types
package = sys.modules["baohuang"] = types.ModuleType("baohuang")
package.__path__ = [{folder!r}]
from baohuang.engine import BOTS, PRESETS, Draw, new_deal
from baohuang.engine.play import play_match
key = bytes(range(32))
seen = [new_deal(rules, key).cards for rules in PRESETS.values()]
for preset in ("lianzhong-classic", "biesan"):
    bots = [BOTS["greedy"], *[BOTS["random"]] * 4]
    seen.append(play_match(PRESETS[preset], key, 2, bots).record(list("abcde")))
print(hashlib.sha256(json.dumps(seen).encode()).hexdigest())
"""


def test_the_same_key_gives_the_same_deal_in_20_processes():
    folder = Path(engine.__file__).parent.parent  # installed or not, the package is here
    command = [sys.executable, "-c", PROGRAM.format(folder=str(folder))]
    found = set()
    for batch in range(5):
        running = [
            subprocess.Popen(
                command,
                env=os.environ | {"PYTHONHASHSEED": str(1 + 1009 * (4 * batch + number))},
                stdout=subprocess.PIPE,
            )
            for number in range(4)
        ]
        found |= {process.communicate()[0] for process in running}
        assert all(process.returncode == 0 for process in running)
    assert len(found) == 1


@given(rule_sets(), keys)
@law(20)
def test_a_deal_depends_on_key_number_and_attempt_alone(ruleset, key):
    one, two = new_deal(ruleset, key, 3, 2, 4), new_deal(ruleset, key, 3, 2, 4)
    assert slots(one) == slots(two)
    assert new_deal(ruleset, key, 3, 3, 4).cards != one.cards


@given(keys, st.integers(1, 50))
@law(20)
def test_presets_with_the_same_deck_deal_the_same_cards(key, number):
    """Duplicate: the deal hangs on deck and key, not on the other rules."""
    one = new_deal(PRESETS["lianzhong-simple"], key, number)
    two = new_deal(PRESETS["jingji"], key, number)
    assert one.cards == two.cards
