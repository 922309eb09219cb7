"""rules.md 8: presets cell by cell, and every way in which a rule set is refused."""

import json

import pytest

from baohuang.engine import PRESETS, RuleSet, RuleSetError, rule_set

# The table of section 8, transcribed: y and n for yes and no, - where an option does not apply.
TABLE = """
option              lianzhong-classic    lianzhong-simple  wuren            baike              biesan         jingji
low_rank            6                    6                 3                3                  3              6
direction           clockwise            clockwise         anticlockwise    anticlockwise      anticlockwise  anticlockwise
aside               n                    n                 y                n                  n              n
guard               called               marked            called           called             called         marked
callable            any                  -                 no_twos          jokers_too         any            -
called_trump        n                    -                 n                y                  y              -
yield_to            previous             previous          previous         previous           previous       after_next
gift                none                 two_or_highest    two              none               two            none
refused_by_all      forced_second_round  second_round      ask_first_again  force_exact_three  redeal         abdicate
grab                y                    n                 n                n                  n              n
open_solo           declare              declare           show_four        none               none           declare
open_guard          y                    y                 n                n                  y              y
rebellion           n                    y                 n                n                  y              y
kick                n                    n                 n                n                  y              n
roast               n                    n                 n                n                  n              n
three_twos          n                    n                 n                n                  n              n
hold_back           n                    n                 n                n                  y              y
pass_lock           n                    n                 n                n                  n              y
heir                next                 next              next             next               next           next
end                 side_out             side_out          one_left         side_out           side_out       side_out
scores              lianzhong            lianzhong         wuren            lianzhong          biesan         jingji
tribute             n                    n                 y                n                  n              n
tribute_jokers      -                    -                 y                -                  -              -
autoplay_limit      3                    3                 3                3                  3              3
autoplay_dissolves  n                    n                 n                n                  n              n
desertion_penalty   40                   40                40               40                 40             40
"""  # noqa: E501
ROWS = [line.split() for line in TABLE.strip().splitlines()]
OPTIONS = [row[0] for row in ROWS[1:]]
CELLS = {"y": True, "n": False, "-": None}

WORDS = {
    "low_rank": [3, 6],
    "direction": ["clockwise", "anticlockwise"],
    "guard": ["called", "marked"],
    "callable": ["any", "no_twos", "jokers_too"],
    "yield_to": ["previous", "after_next"],
    "gift": ["none", "two", "two_or_highest"],
    "refused_by_all": [
        "forced_second_round", "second_round", "ask_first_again", "force_exact_three", "redeal",
        "abdicate",
    ],
    "open_solo": ["declare", "show_four", "none"],
    "heir": ["next", "teammate"],
    "end": ["side_out", "one_left"],
    "scores": ["lianzhong", "wuren", "biesan", "jingji"],
}  # fmt: skip
NUMBERS = ["autoplay_limit", "desertion_penalty"]
SWITCHES = [name for name in OPTIONS if name not in WORDS and name not in NUMBERS]


def cell(text):
    return CELLS[text] if text in CELLS else int(text) if text.isdigit() else text


@pytest.mark.parametrize("preset", ROWS[0][1:])
@pytest.mark.parametrize("option", OPTIONS)
def test_8_presets_cell_by_cell(preset, option):
    row = ROWS[1 + OPTIONS.index(option)]
    value = PRESETS[preset].to_json()["options"][option]
    expected = cell(row[ROWS[0].index(preset)])
    assert value == expected
    assert type(value) is type(expected)


def test_8_six_presets_and_no_option_more():
    assert set(PRESETS) == set(ROWS[0][1:])
    for ruleset in PRESETS.values():
        assert list(ruleset.to_json()["options"]) == OPTIONS


# -- overrides ------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["roast", "hold_back", "open_guard", "rebellion", "grab"])
def test_8_a_rule_set_is_a_preset_plus_overrides(option):
    for value in (True, False):
        ruleset = rule_set("lianzhong-simple", {option: value})
        expected = PRESETS["lianzhong-simple"].to_json()["options"] | {option: value}
        assert ruleset.to_json() == {"preset": "lianzhong-simple", "options": expected}


def test_8_every_preset_can_be_written_and_read_back():
    for name, ruleset in PRESETS.items():
        assert RuleSet.from_json(json.loads(json.dumps(ruleset.to_json()))) == ruleset
        assert rule_set(name) == ruleset
        assert rule_set(name, ruleset.to_json()["options"]) == ruleset


def test_8_frozen():
    with pytest.raises(AttributeError):
        PRESETS["jingji"].roast = True


def test_8_a_marked_guard_turned_into_a_called_one_gets_what_a_call_needs():
    ruleset = rule_set("lianzhong-simple", {"guard": "called"})
    assert (ruleset.callable, ruleset.called_trump) == ("any", False)


def test_8_a_called_guard_turned_into_a_marked_one_loses_it():
    ruleset = rule_set("biesan", {"guard": "marked"})
    assert (ruleset.callable, ruleset.called_trump) == (None, None)


# -- refused: unknown, wrong type, out of range ---------------------------------------------------


@pytest.mark.parametrize("preset", ["", "Jingji", "weihai", None, 3, True, [], {}, ("jingji",)])
def test_8_unknown_presets_are_refused(preset):
    with pytest.raises(RuleSetError) as caught:
        rule_set(preset)
    assert caught.value.option == "preset"


@pytest.mark.parametrize("name", ["", "Roast", "roast ", "preset", "seats", "rules"])
def test_8_unknown_options_are_refused_by_name(name):
    with pytest.raises(RuleSetError) as caught:
        rule_set("jingji", {name: True})
    assert caught.value.option == str(name)
    assert str(name) in str(caught.value)


WRONG = {
    **{name: [0, 1, "true", "no", "", [], {}, 1.0, 2] for name in SWITCHES},
    **{name: [-1, True, False, "3", 3.0, 1e9, [], {}, 10**30, float("nan")] for name in NUMBERS},
    **{
        name: ["", words[0].upper(), words[0] + " ", 0, True, [words[0]], {}, 1.5]
        for name, words in WORDS.items()
        if name != "low_rank"
    },
    "low_rank": [4, 5, 7, "3", "6", 6.0, True, [6], {}, -3],
}


@pytest.mark.parametrize(
    ("option", "value"),
    [(option, value) for option in OPTIONS for value in WRONG[option]],
)
def test_8_every_option_refuses_wrong_types_and_values_by_name(option, value):
    base = "wuren" if option in ("callable", "called_trump", "tribute_jokers") else "jingji"
    with pytest.raises(RuleSetError) as caught:
        rule_set(base, {option: value})
    assert caught.value.option == option
    assert option in str(caught.value)


@pytest.mark.parametrize("option", OPTIONS)
def test_8_null_is_refused_where_an_option_applies(option):
    with pytest.raises(RuleSetError) as caught:
        rule_set("wuren", {option: None})
    assert caught.value.option == option


@pytest.mark.parametrize(
    ("option", "value"), [(name, value) for name, words in WORDS.items() for value in words]
)
def test_8_every_value_of_the_table_is_accepted_somewhere(option, value):
    accepted = []
    for preset in PRESETS:
        try:
            accepted.append(rule_set(preset, {option: value}))
        except RuleSetError as error:
            if not error.others:  # refused, and not as a contradiction
                raise
    assert accepted
    assert all(getattr(ruleset, option) == value for ruleset in accepted)


# -- refused: contradictions, with both names -----------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "overrides", "names"),
    [
        ("baike", {"roast": True}, {"roast", "called_trump"}),
        ("lianzhong-classic", {"roast": True, "called_trump": True}, {"roast", "called_trump"}),
        ("jingji", {"kick": True, "rebellion": False}, {"kick", "rebellion"}),
        ("lianzhong-classic", {"kick": True}, {"kick", "rebellion"}),
        ("biesan", {"rebellion": False}, {"kick", "rebellion"}),
        ("biesan", {"refused_by_all": "abdicate"}, {"refused_by_all", "guard"}),
        ("jingji", {"guard": "called"}, {"refused_by_all", "guard"}),
        ("lianzhong-simple", {"callable": "any"}, {"callable", "guard"}),
        ("jingji", {"called_trump": False}, {"called_trump", "guard"}),
        ("baike", {"tribute_jokers": True}, {"tribute_jokers", "tribute"}),
        ("wuren", {"tribute": False, "tribute_jokers": True}, {"tribute_jokers", "tribute"}),
        ("lianzhong-simple", {"open_solo": "show_four"}, {"open_solo", "guard"}),
        ("wuren", {"guard": "marked"}, {"open_solo", "guard"}),
        ("lianzhong-classic", {"open_solo": "none"}, {"grab", "open_solo"}),
        ("wuren", {"grab": True}, {"grab", "open_solo"}),
        ("biesan", {"open_solo": "declare"}, {"scores", "open_solo"}),
        ("lianzhong-simple", {"scores": "biesan"}, {"scores", "open_solo"}),
        (
            "lianzhong-simple",
            {"refused_by_all": "forced_second_round"},
            {"refused_by_all", "guard"},
        ),
        ("jingji", {"refused_by_all": "force_exact_three"}, {"refused_by_all", "guard"}),
    ],
)
def test_8_contradictions_are_refused_naming_both_options(preset, overrides, names):
    with pytest.raises(RuleSetError) as caught:
        rule_set(preset, overrides)
    assert {caught.value.option, *caught.value.others} == names
    for name in names:
        assert repr(name) in str(caught.value)


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        None, 3, [], "jingji", {}, {"options": {}}, {"preset": "jingji", "options": []},
        {"preset": "jingji", "options": None}, {"preset": "jingji", "options": {}, "more": 1},
        {"preset": ["jingji"], "options": {}}, {"preset": "jingji", "options": {"no": 1}},
        {"preset": "jingji", "options": {"roast": 10**5000}}, {"preset": 10**5000, "options": {}},
        {"preset": "x" * 10**6, "options": {}}, {"preset": "jingji", "options": {"x" * 10**6: 1}},
    ],
)  # fmt: skip
def test_8_from_json_refuses_everything_else(value):
    with pytest.raises(RuleSetError) as caught:
        RuleSet.from_json(value)
    assert len(str(caught.value)) < 1000  # an error is a sentence, not an echo


@pytest.mark.parametrize("option", OPTIONS)
def test_8_options_refuse_huge_and_deep_values_with_a_sentence(option):
    deep = []
    for _ in range(5_000):
        deep = [deep]
    for value in (10**5000, deep, "x" * 10**6, {"a": deep}, float("inf")):
        with pytest.raises(RuleSetError) as caught:
            rule_set("wuren", {option: value})
        assert len(str(caught.value)) < 1000
