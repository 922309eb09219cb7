"""A match that goes on elsewhere: who was absent from which deals is known from its log."""

import asyncio
from dataclasses import replace

import pytest

from baohuang.api.services.matches import Claim, SeatPlan
from baohuang.api.services.signing_secrets import SecretUnreadable
from baohuang.engine.match import DESERT, Match
from baohuang.engine.rules import rule_set
from baohuang.scheduler.tables import AgentTables, _absences

RULES, KEY, DEALS = rule_set("lianzhong-simple"), bytes(range(32)), 4


def played(absent_from, deals):
    """The log of a match up to the end of so many deals; seat 2 fails in some."""
    match, failed = Match(RULES, KEY, DEALS), {}
    while not match.over and match.deal <= deals:
        if match.seat == 2 and match.deal in absent_from:
            failed[len(match.log)] = "bot"
            match.autoplay()
        else:
            match.answer(match.fallback)
    return match, failed


def claim(log, charges):
    return Claim("m", 2, None, None, None, RULES, KEY, DEALS, 1, 1, tuple(log), (), charges=charges)


@pytest.mark.parametrize(("before", "leaves"), [({1, 2}, True), ({1}, False), (set(), False)])
def test_the_third_deal_counts_those_before_another_worker_came(before, leaves):
    match, failed = played(before, 2)
    absences = _absences(claim(match.log, failed))
    assert absences.note(2, 3, "bot", True) is leaves
    assert absences.note(1, 3, "bot", True) is False


def test_a_deal_that_was_excused_stays_excused():
    match, failed = played({1, 2}, 2)
    failed[min(failed)] = "network"
    assert _absences(claim(match.log, failed)).note(2, 3, "bot", True) is False


def test_who_left_already_has_left():
    match, failed = played({1, 2, 3}, 3)
    match.desert(2)
    assert (2, DESERT, True) in match.log
    assert _absences(claim(match.log, failed)).note(2, 4, "bot", True) is True


def test_nobody_is_called_unsigned():
    plan = SeatPlan("e", "bot", None, "a", "https://bot.example/", secrets=())
    unsigned = replace(claim([], {}), seats=(plan,) * 5)
    tables = AgentTables(*[None] * 7)
    with pytest.raises(SecretUnreadable):
        asyncio.run(tables.play(unsigned, tables.resume(unsigned), None))
