"""contract.md 2 and 4: what spectators hear of a running match, and that it tells nothing hidden.

The judge of the content is the finished deal replayed; the judge of secrecy is that nothing hangs
on where the match was interrupted to write it down, since it stops only where somebody has a
choice.
"""

import json
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine import PRESETS, Draw, Match
from baohuang.engine import match as match_module
from baohuang.engine.commentary import QUIET, Mark, since, told_so_far
from baohuang.engine.deal import Dealt
from baohuang.engine.record import replay

from .board import rules
from .strategies import keys, law, rule_sets
from .walk import key_of


def followed(ruleset, key, deals, stops, absent=0):
    """A random match, told whenever its log has a length that is in `stops`, and at the end."""
    match, lots = Match(ruleset, key, deals), Draw(key, "walk")
    mark, heard = Mark(), []
    while not match.over:
        if absent and lots.below(absent) == 0:
            match.autoplay()
        else:
            match.answer(lots.choice(match.legal))
        if len(match.log) in stops or match.over:
            sayings, mark = since(match, mark)
            heard += sayings
    return match, heard


def told(sayings):
    return [(saying.kind, dict(saying.facts)) for saying in sayings]


@given(rule_sets(), keys, st.sets(st.integers(1, 400), max_size=40), st.integers(0, 6))
@law(25)
def test_2_what_is_heard_does_not_hang_on_when_it_was_written_down(ruleset, key, stops, absent):
    match, heard = followed(ruleset, key, 2, stops, absent)
    _, at_the_end = followed(ruleset, key, 2, set(), absent)
    _, at_once = followed(ruleset, key, 2, set(range(1, 5000)), absent)
    assert told(heard) == told(at_the_end) == told(at_once)
    assert since(match, told_so_far(match))[0] == []


@given(rule_sets(), keys, st.integers(0, 6))
@law(25)
def test_4_every_public_answer_is_heard_in_order(ruleset, key, absent):
    match, heard = followed(ruleset, key, 2, set(range(0, 5000, 7)), absent)
    turn, answers, place = 1, [], 0
    for kind, facts in told(heard):
        entry = match.deals_done[place]
        assert (facts["deal"], facts["attempt"]) == (entry["number"], entry["attempt"])
        if kind == "deal.started":
            assert answers == []
        elif kind == "deal.answers":
            assert facts["turn"] == turn
            turn += len(facts["answers"])
            answers += facts["answers"]
        else:
            history = replay(match.rules, entry).history
            assert answers == [list(answer) for answer in history]
            outcome = {name: entry[name] for name in facts if name not in ("deal", "attempt")}
            assert outcome == {n: facts[n] for n in facts if n not in ("deal", "attempt")}
            answers, place = [], place + 1
    assert place == len(match.deals_done)
    assert turn - 1 == sum(len(replay(match.rules, entry).history) for entry in match.deals_done)


@given(rule_sets(), keys)
@law(20)
def test_4_a_saying_ends_with_a_loud_answer_or_with_the_deal(ruleset, key):
    _, heard = followed(ruleset, key, 2, set(range(1, 5000)))
    kinds = told(heard)
    for (kind, facts), (following, _) in pairwise(kinds):
        if kind == "deal.answers":
            *before, last = facts["answers"]
            assert all(answer in QUIET for _, answer in before)
            assert last[1] not in QUIET or following == "deal.finished"


@given(rule_sets(), keys, st.integers(1, 300))
@law(20)
def test_2_a_successor_goes_on_where_the_log_ends(ruleset, key, length):
    """A worker that takes a match over knows by the log alone what was told."""
    match, _ = followed(ruleset, key, 2, set())
    taken_over = Match.resume(ruleset, key, 2, match.log[:length])
    _, mark = since(taken_over, Mark())
    assert told_so_far(taken_over) == mark
    assert told_so_far(Match(ruleset, key, 2)) == Mark()


def hushed(monkeypatch, third):
    """A king is led and all pass: seat 3 holds aces and would not, or cannot beat it."""
    hands = ("QC KC E", "7C 7D G", "JC JD", third, "8H 8S")
    cards = tuple(tuple(hand.split()) for hand in hands)
    monkeypatch.setattr(match_module, "deal", lambda *_: Dealt(cards, None, 0))
    match = Match(rules("lianzhong-simple", open_guard=False, rebellion=False), bytes(32), 1)
    mark, heard = Mark(), []
    for answer in ("accept", "K", "pass", "pass", "Q", "pass", "pass"):
        if answer in match.legal:
            match.answer(answer)
            sayings, mark = since(match, mark)
            heard.append(told(sayings))
    return heard


def test_4_a_forced_pass_cannot_be_told_from_a_chosen_one(monkeypatch):
    chosen, forced = hushed(monkeypatch, "AC AD"), hushed(monkeypatch, "8C 8D")
    assert len(chosen) > len(forced)  # in the one deal seat 3 was asked, in the other it was not
    assert [*chain(*chosen)] == [*chain(*forced)]
    assert any([3, "pass"] in facts.get("answers", ()) for _, facts in chain(*forced))


@pytest.mark.parametrize("preset", PRESETS)
def test_4_no_hand_no_key_and_no_mark_of_the_servers_answers(preset):
    key = key_of("commentary", preset)
    match, heard = followed(PRESETS[preset], key, 3, set(range(1, 5000)), absent=5)
    text = json.dumps(told(heard))
    assert key.hex() not in text
    assert "auto" not in text
    assert "hidden" not in text.replace('"solo": "hidden"', "")
    hidden = {"hands", "aside", "tribute", "first", "offered"}
    assert not any(hidden & facts.keys() for _, facts in told(heard))
    for entry in match.deals_done:
        assert all(hand not in text for hand in entry["hands"])
