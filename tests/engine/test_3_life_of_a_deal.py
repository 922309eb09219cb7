"""rules.md 3: the order of phases, what is refused, and who is not asked."""

import pytest

from baohuang.engine import PRESETS, IllegalAnswer, new_deal, rule_set

from .board import asked, position, rules, say, slots
from .walk import key_of, random_walk

ORDER = ["throne", "grab", "call", "declare", "kick", "play", "over"]


@pytest.mark.parametrize("preset", PRESETS)
def test_3_phases_come_in_order(preset):
    for number in range(30):
        phases = [s.phase for s in random_walk(new_deal(PRESETS[preset], key_of(preset, number)))]
        assert phases == sorted(phases, key=ORDER.index)


def test_3_a_phase_that_a_rule_set_does_not_have_is_skipped():
    """baike: throne and call, then straight to the lead."""
    hands = ("9C 9C 9C TC TC TC E", "4C", "9C", "4C", "TC")
    state = say(position(rules("baike"), *hands), "0 accept", "0 call 9C")
    assert (state.phase, state.seat) == ("play", 0)


def test_3_an_answer_that_is_not_on_the_list_is_refused():
    state = position(rules("lianzhong-simple"), "7C E", "8C G", "9C", "TC", "JC")
    before = slots(state)
    for answer in ("pass", "7", "Accept", "accept ", "", "grab", None, 0, ["accept"], {}):
        with pytest.raises(IllegalAnswer):
            state.apply(answer)
        assert slots(state) == before


def test_3_an_answer_after_the_end_is_refused():
    state = position(rules("biesan"), "3C E", "4C", "5C", "6C", "7C")
    assert state.result == "redeal"
    with pytest.raises(IllegalAnswer):
        state.apply("accept")


@pytest.mark.parametrize(
    ("preset", "script", "supplied"),
    [
        ("lianzhong-classic", ["0 accept", "0 open"], []),
        ("wuren", ["0 accept", "0 call 9C"], []),
        ("jingji", [], [(0, "accept")]),
    ],
)
def test_3_2_a_seat_with_only_one_legal_answer_is_not_asked(preset, script, supplied):
    """jingji: a holder of the emperor card alone cannot refuse, so the engine accepts for him."""
    emperor = "9C 9C 9C 9C TC TC TC E" if preset != "wuren" else "9C 9C 9C 9C TC TC TC"
    state = position(rule_set(preset), emperor, "8C G", "7C", "7D", "7H", offered=0)
    say(state, *script)
    said = [(int(line[0]), line[2:]) for line in script]
    assert state.history[: len(said) + len(supplied)] == supplied + said


def test_3_2_a_forced_pass_is_answered_by_the_engine_and_stands_in_the_history():
    """Only seat 2 can beat the ace; 1, 3 and 4 are not asked, and then the lead is 0's again."""
    state = position(rules("jingji"), "AC 7C E", "8C G", "2C 9C", "9D TC", "9H TD")
    say(state, "1 silent", "2 silent", "3 silent", "4 silent", "0 A")
    assert asked(state) == (1, ["pass", "x"])
    say(state, "1 pass", "2 pass")
    assert state.history[-5:] == [(0, "A"), (1, "pass"), (2, "pass"), (3, "pass"), (4, "pass")]
    assert (state.seat, state.leader) == (0, 0)
