"""A person's seat against a door in memory: typing, time, being late."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from baohuang.api.sitting.arena import ArenaRefused
from baohuang.api.sitting.seat import Gone, Keyboard, Seat

EXAMPLES = Path(__file__).parents[3] / "openapi" / "examples"
FOLLOW, DEAL_END, MATCH_END = (
    json.loads((EXAMPLES / f"{name}.json").read_text())
    for name in ("decide-follow", "deal_end", "match_end")
)


class Door:
    def __init__(self, *requests, refusal=None):
        self.requests = [None, *requests, MATCH_END]
        self.answers = []
        self.refusal = refusal

    def fetch(self):
        return self.requests.pop(0)

    def answer(self, request, answer):
        if self.refusal:
            raise self.refusal
        self.answers.append((request, answer))


def play(door, typed):
    said = []
    Seat(door, Keyboard(io.StringIO(typed)), said.append, matches=1).play()
    return "\n".join(said)


def test_what_is_typed_is_answered_until_the_match_has_ended():
    door = Door(FOLLOW, DEAL_END)
    said = play(door, "2\n")
    assert door.answers == [(FOLLOW["request"], "22222")]
    assert "2 s + 28 s bank" in said
    assert "Deal 1 is over" in said
    assert "The match is over" in said


def test_nonsense_is_asked_again_and_a_question_mark_lists_all():
    door = Door(FOLLOW)
    said = play(door, "33\n?\n\n")
    assert "'33' is not among them" in said
    assert door.answers == [(FOLLOW["request"], "pass")]


def test_who_is_late_is_told_so_and_plays_on():
    late = ArenaRefused(409, "Time is up; the fallback was played.")
    assert "Too late: Time is up" in play(Door(FOLLOW, refusal=late), "2\n")


def test_a_refusal_that_no_waiting_mends_ends_it():
    with pytest.raises(ArenaRefused):
        play(Door(FOLLOW, refusal=ArenaRefused(403, "no")), "2\n")


def test_the_end_of_the_input_ends_it():
    with pytest.raises(Gone):
        play(Door(FOLLOW), "")


def test_a_keyboard_waits_no_longer_than_it_may():
    ours, theirs = os.pipe()
    with os.fdopen(ours) as source, os.fdopen(theirs, "w") as typing:
        keyboard = Keyboard(source)
        assert keyboard.line(0.01) is None
        typing.write("7\n")
        typing.flush()
        assert keyboard.line(10) == "7\n"


def test_nothing_typed_in_time_leaves_it_to_the_server():
    ours, theirs = os.pipe()
    said = []
    slow = FOLLOW | {"clock": FOLLOW["clock"] | {"budget_ms": 10, "bank_ms": 0}}
    with os.fdopen(ours) as source, os.fdopen(theirs, "w"):
        Seat(Door(slow), Keyboard(source), said.append, matches=1).play()
    assert "Time is up; pass was played for you." in said
