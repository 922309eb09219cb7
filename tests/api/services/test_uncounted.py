"""Which deals of a record do not count, and why."""

from __future__ import annotations

import pytest

from baohuang.api.services.uncounted import in_record
from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

KEY = bytes(range(32))
NAMES = ["a", "b", "c", "d", "e"]


def played(match, deals):
    return in_record(match.record(NAMES), deals)


def test_five_who_refuse_for_ever_void_every_deal():
    match = Match(rule_set("lianzhong-simple"), KEY, 2)
    while not match.over:
        match.answer("yield")
    assert played(match, 2) == [{"deal": 1, "why": "refused"}, {"deal": 2, "why": "refused"}]


def test_five_whom_the_arena_plays_void_the_rest():
    """Who deserts is played by the arena from then on, to the end of the match."""
    match = Match(rule_set("lianzhong-simple"), KEY, 2)
    for seat in range(5):
        match.desert(seat)
    assert match.over
    assert [void["why"] for void in played(match, 2)] == ["autoplay", "autoplay"]


def test_a_match_that_was_dissolved_lacks_the_deals_after():
    rules = rule_set("lianzhong-simple", {"autoplay_dissolves": True})
    match = Match(rules, KEY, 4)
    match.desert(match.seat)
    while not match.over:
        match.answer("accept" if "accept" in match.legal else match.fallback)
    lacking = [{"deal": deal, "why": "dissolved"} for deal in (2, 3, 4)]
    assert [void for void in played(match, 4) if void["deal"] > 1] == lacking


@pytest.mark.parametrize("record", [None, {"deals": [{"number": 1, "result": "abdicated"}]}])
def test_what_counts_is_not_told_of(record):
    assert in_record(record, 1) == []
