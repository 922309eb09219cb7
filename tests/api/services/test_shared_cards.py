"""Where all tables play the same cards, nobody learns from one what is hidden at another."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from baohuang.api.models import Event, Standing
from baohuang.api.services import (
    fairness,
    result_lines,
    round_results,
    standing_lines,
    standings,
    tables,
)
from baohuang.api.services.principal import ANONYMOUS

from .playing import FakeMatch, deal, finish

SCORES = (6, 1, 0, -2, -5)


@pytest.fixture(params=[True, False], ids=["shared", "apart"])
def shared(request):
    return request.param


@pytest.fixture
def first_is_over(world, shared):
    """Two tables, the first of which has finished: the tournament's id and the matches'."""
    tournament_id, ids = world.playing(
        agents=10, capacity=10, rounds=2, deals=1,
        format_options={"shared_boards": shared, "effort": 1},
    )  # fmt: skip
    finish(world, ids[0], FakeMatch([deal(SCORES)]))
    refresh(world)
    return tournament_id, ids


def refresh(world):
    """As the timer does it."""
    for tournament_id in world.see(standings.dirty):
        made = world.see(standings.make, tournament_id)
        with world.database.begin() as session:
            standings.catch_up(session, made)
    assert world.see(standings.dirty) == []


def points_of(world, match_id, name=None):
    actor = ANONYMOUS if name is None else world.people[name]
    return tuple(seat["points"] for seat in world.see(tables.find_match, actor, match_id)["seats"])


def of_round(world, tournament_id, name=None):
    actor = ANONYMOUS if name is None else world.people[name]
    found = world.see(round_results.of_round, actor, tournament_id, 1)["matches"]
    return {match["id"]: len(match["results"]) for match in found}


def lines(world, tournament_id, name=None):
    actor = ANONYMOUS if name is None else world.people[name]
    with world.database.snapshot() as session:
        return len(list(result_lines.lines(session, actor, tournament_id))) - 1


def scored(world, tournament_id):
    with world.database.read() as session:
        kept = session.scalars(select(Standing.row).where(Standing.tournament_id == tournament_id))
        stored = sorted(row["points"] for row in kept)
    asked = [
        sorted(row["points"] for row in world.see(
            standings.rows, ANONYMOUS, tournament_id, None, 99, **how).items)
        for how in ({}, {"as_of": 1})
    ]  # fmt: skip
    table = world.see(standing_lines.table, ANONYMOUS, tournament_id)
    column = table[0].index("points")
    assert asked == [stored, stored]
    assert sorted(line[column] for line in table[1:]) == stored
    return stored


def told(world, match_id):
    with world.database.read() as session:
        query = select(Event.payload).where(
            Event.match_id == match_id, Event.kind == "match.finished"
        )
        return session.scalars(query).one()["points"]


@pytest.mark.parametrize("name", [None, "anna"])
def test_points_wait_for_the_last_table_with_these_cards(world, first_is_over, shared, name):
    tournament_id, (first, second) = first_is_over
    assert points_of(world, first, name) == ((None,) * 5 if shared else SCORES)
    assert of_round(world, tournament_id, name) == {first: 0 if shared else 5, second: 0}
    assert lines(world, tournament_id, name) == (0 if shared else 5)
    assert any(scored(world, tournament_id)) is not shared
    assert told(world, first) == (None if shared else list(SCORES))


def test_the_judges_see_them(world, first_is_over):
    tournament_id, (first, _) = first_is_over
    assert points_of(world, first, "olga") == SCORES
    assert of_round(world, tournament_id, "olga")[first] == 5
    assert lines(world, tournament_id, "olga") == 5


def test_then_all_is_told(world, first_is_over):
    tournament_id, (first, second) = first_is_over
    finish(world, second, FakeMatch([deal(SCORES)]))
    assert points_of(world, first) == SCORES
    assert of_round(world, tournament_id) == {first: 5, second: 5}
    assert told(world, second) == list(SCORES)
    world.close_rounds()
    assert scored(world, tournament_id) == sorted(SCORES * 2)
    assert lines(world, tournament_id) == 10


def test_when_it_is_cancelled_all_is_told_too(world, first_is_over):
    tournament_id, (first, _) = first_is_over
    world.act("cancel", tournament_id)
    refresh(world)
    assert points_of(world, first) == SCORES
    assert scored(world, tournament_id) == sorted([*SCORES, *[0] * 5])


def seats_of(world, match_id):
    return [seat["entry_id"] for seat in world.see(tables.find_match, ANONYMOUS, match_id)["seats"]]


def dealt_first(world, tournament_id):
    """entry -> deals in which it was dealt first, where there were any; and the ETag's start."""
    made = world.see(fairness.certificate, ANONYMOUS, tournament_id)
    each = zip(made["entries"], made["dealt_first"], strict=True)
    tag = world.see(fairness.tag, ANONYMOUS, tournament_id)
    return {entry["entry_id"]: times for entry, times in each if times}, tag


def test_who_became_emperor_is_not_told_by_who_is_dealt_first(world, shared):
    """Seat 3 is emperor in deal 1, so it is dealt first in deal 2 (rules.md 3.1)."""
    tournament_id, ids = world.playing(
        agents=10, capacity=10, rounds=2, deals=2,
        format_options={"shared_boards": shared, "effort": 1},
    )  # fmt: skip
    deals = [deal(SCORES, emperor=3), {**deal(SCORES), "first": 3}]
    firsts = [entry for match_id in ids for entry in seats_of(world, match_id)[0:4:3]]
    finish(world, ids[0], FakeMatch(list(deals)))
    seen, before = dealt_first(world, tournament_id)
    assert seen == ({} if shared else dict.fromkeys(firsts[:2], 1))
    finish(world, ids[1], FakeMatch(list(deals)))
    world.close_rounds()
    seen, after = dealt_first(world, tournament_id)
    assert seen == dict.fromkeys(firsts, 1)
    assert after != before
