"""Rule sets in words: complete in both languages, and different where the rules are."""

from __future__ import annotations

import re

import pytest

from baohuang.engine.rules import CHOICES, NUMBERS, OPTIONS, PRESETS, SWITCHES, rule_set
from baohuang.engine.texts import describe, rules_text
from baohuang.engine.texts.options import NUMBERS as NUMBER_WORDS
from baohuang.engine.texts.options import WORDS

HAN = re.compile("[\u4e00-\u9fff]")


def test_every_value_of_every_option_has_words_in_both_languages():
    expected = dict(CHOICES) | dict.fromkeys(SWITCHES, (True, False))
    assert {name: set(words) for name, words in WORDS.items()} == {
        name: set(values) for name, values in expected.items()
    }
    assert set(NUMBER_WORDS) == set(NUMBERS)
    for words in WORDS.values():
        for english, chinese in words.values():
            assert english.isascii()
            assert HAN.search(chinese)


@pytest.mark.parametrize("preset", PRESETS)
def test_descriptions_follow_the_options(preset):
    rows = describe(PRESETS[preset])
    assert tuple(row.name for row in rows) == OPTIONS
    assert {row.name: row.value for row in rows} == PRESETS[preset].options()


@pytest.mark.parametrize(
    ("preset", "present", "absent"),
    [
        ("lianzhong-classic", ["168 cards", "grab it", "33 cards", "24"], ["Rebels may rebel"]),
        ("lianzhong-simple", ["guard card", "two of them", "+12 0 -12"], ["grab it"]),
        ("wuren", ["43 cards", "tribute", "drawn seat"], ["Declarations"]),
        ("baike", ["called trump >", "exactly three alike"], ["Open solo:"]),
        ("biesan", ["kick", "Places 2 and 3 draw", "+4 0 -4"], ["Open solo:"]),
        (
            "jingji",
            ["throw the emperor card", "stays out", "+16 +8 0 -8 -16"],
            ["each rebel gives one card"],
        ),
    ],
)
def test_a_text_tells_what_its_rule_set_plays(preset, present, absent):
    text = rules_text(PRESETS[preset], "en")
    assert [words for words in present if words not in text] == []
    assert [words for words in absent if words in text] == []


def test_an_option_changes_the_text():
    plain = rules_text(PRESETS["lianzhong-simple"], "zh")
    roasted = rules_text(rule_set("lianzhong-simple", {"roast": True}), "zh")
    assert "没有烤牌" in plain
    assert "没有烤牌" not in roasted


def test_both_languages_say_the_same_number_of_things():
    for rules in PRESETS.values():
        english, chinese = (rules_text(rules, language) for language in ("en", "zh"))
        assert english.count("\n- ") == chinese.count("\n- ")


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="no text in 'fr'"):
        rules_text(PRESETS["wuren"], "fr")
