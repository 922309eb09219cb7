"""Settings of a tournament that has begun: some change to the end, the others are named."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Invalid, PreconditionFailed
from baohuang.api.models import Event, Round, Tournament, utc_now
from baohuang.api.schemas.tournaments import TournamentUpdate
from baohuang.api.services import endings, tournaments
from baohuang.api.services.running_settings import CHANGEABLE

from .playing import finish


@pytest.fixture
def world(sqlite_world):
    return sqlite_world


def change(world, tournament_id, version=None, **settings):
    known = world.tournament(tournament_id).version if version is None else version
    return world.do(tournaments.update_settings, "olga", tournament_id, known, settings)


def after_round_1(world, **settings):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=3, **settings)
    finish(world, match_id)
    world.close_rounds()
    return tournament_id


def running_round(world, tournament_id):
    with world.database.read() as session:
        return session.scalars(select(Round).where(Round.tournament_id == tournament_id)).one()


VALUES = {
    "name": "Autumn cup", "capacity": 30, "waiting_list": 3, "entries_per_owner": 9,
    "late_entry_round": 3, "advance": "manual", "round_interval_s": 60, "round_limit_s": 600,
    "overdue": "cancel", "appeal_window_s": 60, "ending": "manual",
}  # fmt: skip


@pytest.mark.parametrize("status", ["running", "paused", "needs_attention"])
def test_what_touches_nothing_that_was_drawn_can_change(world, status):
    assert VALUES.keys() == CHANGEABLE
    tournament_id, _ = world.playing(agents=5, rounds=3)
    with world.database.begin() as session:
        session.get_one(Tournament, tournament_id).status = status
    changed = change(world, tournament_id, **VALUES)
    assert {name: getattr(changed, name) for name in VALUES} == VALUES
    with world.database.read() as session:
        told = session.scalars(select(Event).where(Event.kind == "tournament.changed")).one()
    assert told.payload == {"settings": sorted(VALUES)}


def test_what_was_entered_for_is_refused_by_name(world):
    tournament_id, _ = world.playing(agents=5)
    before = world.tournament(tournament_id)
    fixed = set(TournamentUpdate().fields) - CHANGEABLE
    assert {"deals", "rule_set", "rounds", "scoring", "forbidden_pairs"} <= fixed
    for name in fixed:
        with pytest.raises(Conflict) as refused:
            change(world, tournament_id, name="Other cup", **{name: None})
        assert refused.value.problem_code == "tournament_running"
        assert [error.pointer for error in refused.value.errors] == [f"/{name}"]
    after = world.tournament(tournament_id)
    assert (after.version, after.name) == (before.version, before.name)


def test_the_version_still_counts(world):
    tournament_id, _ = world.playing(agents=5)
    version = world.tournament(tournament_id).version
    change(world, tournament_id, name="Other cup")
    with pytest.raises(PreconditionFailed):
        change(world, tournament_id, version, name="Third cup")


def test_room_does_not_shrink_below_who_is_in_nor_grow_beyond_the_format(world):
    tournament_id, _ = world.playing(agents=7, rounds=7, format="single_table", capacity=9)
    for capacity in (6, 10):
        with pytest.raises(Invalid) as refused:
            change(world, tournament_id, capacity=capacity)
        assert refused.value.errors[0].pointer == "/capacity"


def test_a_knockout_that_runs_can_have_another_name(world):
    tournament_id, _ = world.playing(agents=10, format="knockout", rounds=None)
    assert change(world, tournament_id, name="Other cup").name == "Other cup"


def test_more_room_lets_those_in_who_wait(world):
    tournament_id = world.opened(capacity=5, waiting_list=1, late_entry_round=3, rounds=3)
    for number in range(6):
        last = world.enter(tournament_id, world.agent("anna", f"bot-{number}"))
    world.act("start", tournament_id)
    world.open_next(tournament_id)
    assert world.entry(last).status == "waiting"
    change(world, tournament_id, capacity=6)
    assert (world.entry(last).status, world.entry(last).joined) == ("entered", 2)


def test_rounds_that_came_by_themselves_wait_and_the_other_way_round(world):
    tournament_id = after_round_1(world, round_interval_s=600)
    assert world.tournament(tournament_id).next_round_at is not None
    assert change(world, tournament_id, advance="manual").next_round_at is None
    again = change(world, tournament_id, advance="automatic", round_interval_s=60)
    left = (again.next_round_at - utc_now()).total_seconds()
    assert 0 < left <= 60


def test_a_change_amid_a_round_counts_at_its_end(world):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=3)
    change(world, tournament_id, advance="manual")
    finish(world, match_id)
    world.close_rounds()
    assert world.tournament(tournament_id).next_round_at is None


def test_the_deadline_of_the_round_that_runs_moves_with_the_limit(world):
    tournament_id, _ = world.playing(agents=5, rounds=3, round_limit_s=600)
    opened = running_round(world, tournament_id).opened_at
    for limit in (60, None, 3600, 900):
        change(world, tournament_id, round_limit_s=limit)
        wanted = None if limit is None else opened + timedelta(seconds=limit)
        assert running_round(world, tournament_id).deadline_at == wanted


def test_time_that_was_given_back_after_a_pause_stays_given_back(world):
    tournament_id, _ = world.playing(agents=5, rounds=3, round_limit_s=600)
    with world.database.begin() as session:
        row = session.get_one(Round, running_round(world, tournament_id).id)
        row.deadline_at += timedelta(seconds=50)
    change(world, tournament_id, round_limit_s=700)
    found = running_round(world, tournament_id)
    assert found.deadline_at == found.opened_at + timedelta(seconds=750)


def test_an_end_that_is_held_goes_by_what_is_changed(world):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=1, ending="manual")
    finish(world, match_id)
    world.close_rounds()
    held = change(world, tournament_id, ending="after_appeals", appeal_window_s=60)
    assert 0 < (held.finishes_at - utc_now()).total_seconds() <= 60
    assert change(world, tournament_id, appeal_window_s=3600).finishes_at > held.finishes_at
    change(world, tournament_id, ending="at_once")
    assert world.see(endings.due) == [tournament_id]


@pytest.mark.parametrize("status", ["finished", "cancelled"])
def test_after_the_end_nothing_changes(world, status):
    tournament_id, _ = world.playing(agents=5)
    world.act("cancel", tournament_id)
    with world.database.begin() as session:
        session.get_one(Tournament, tournament_id).status = status
    with pytest.raises(Conflict) as refused:
        change(world, tournament_id, name="Other cup")
    assert refused.value.problem_code == f"tournament_{status}"
