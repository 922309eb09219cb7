"""What a person is shown, and how his typing is understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baohuang.api.sitting import screen

EXAMPLES = Path(__file__).parents[3] / "openapi" / "examples"


def example(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text())


FOLLOW = example("decide-follow")


def test_a_hand_is_shown_by_rank_with_its_suits_and_jokers_last():
    assert screen.hand("3C 3C 4D TH TS x x X") == "3CC 4D THS xx X"
    assert screen.hand("2S G E") == "2S G E"


def test_the_table_says_who_is_who_who_acted_and_what_is_to_beat():
    lines = screen.question(FOLLOW).splitlines()
    assert lines[1] == "Deal 1 of 10: scores count 2 times"
    assert lines[3].split() == ["seat", "1", "(you)", "34", "cards", "+0", "rebel"]
    assert lines[6].split() == ["seat", "4", "29", "cards", "+0", "emperor", "played", "AAAAA"]
    assert "To beat: AAAAA" in lines
    assert lines[-1].startswith("1:pass  2:22222")


def test_only_what_was_not_heard_before_is_told_again():
    shown = screen.question(FOLLOW, heard=4)
    assert "since then: 4 AAAAA, 0 pass" in shown
    assert "since then" not in screen.question(FOLLOW, heard=len(FOLLOW["history"]))


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES.glob("decide-*.json")])
def test_every_phase_can_be_shown(name):
    request = example(name)
    shown = screen.question(request)
    assert all(f":{answer}" in shown for answer in request["legal"][: screen.SHOWN])


def test_a_long_list_is_cut_and_says_so():
    legal = [str(number) for number in range(100)]
    assert "… and 70 more" in screen.answers(legal)
    assert "100:99" in screen.answers(legal, 100)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "pass"),
        ("1\n", "pass"),
        (" 2 ", "22222"),
        ("2222X", "2222X"),
        ("7", "22xxX"),
        ("0", None),
        ("8", None),
        ("2222", None),
        ("²", None),
        ("-1", None),
    ],
)
def test_a_number_or_the_answer_itself_or_nothing_is_understood(typed, answer):
    assert screen.understood(typed, FOLLOW) == answer


def test_an_answer_that_looks_like_a_number_is_the_answer():
    request = {"legal": ["3", "4", "5", "6"], "fallback": "3"}
    assert screen.understood("4", request) == "4"
    assert screen.understood("1", request) == "3"


def test_ends_of_deals_and_matches_are_told_with_points():
    shown = screen.deal_end(example("deal_end"))
    assert "seat 2 (you)  guard    3rd     +1  in all    +1" in shown
    assert "2nd of five" in screen.match_end(example("match_end"))
    deserted = example("match_end") | {"penalties": [0, 0, -40, 0, 0]}
    assert "-39 points, 5th of five" in screen.match_end(deserted)
    redeal = example("deal_end") | {"places": None, "emperor": None, "guard": None}
    assert "emperor" not in screen.deal_end(redeal)
