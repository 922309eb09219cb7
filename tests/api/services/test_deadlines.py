"""Rounds that must end in time, that wait for their organizer, and clocks that stand in a pause."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select, text, update

from baohuang.api.models import Event, Match, MatchStatus, Overdue, Round, Tournament
from baohuang.api.services import deadlines, lifecycle, matches, next_round, rounds

from .passing import clock_of
from .playing import LEASE_S, FakeMatch, claimed, finish
from .racing import race


@pytest.fixture
def clock(monkeypatch):
    return clock_of(monkeypatch, deadlines, lifecycle, rounds, next_round)


def enforce(world):
    late = world.see(deadlines.passed)
    for round_id in late:
        with world.database.begin() as session:
            deadlines.enforce(session, round_id)
    return late


def close(world):
    return world.close_rounds()


def states(world, opened):
    with world.database.read() as session:
        return [session.get_one(Match, match_id).status for match_id in opened]


def test_a_round_has_its_deadline_from_its_opening(world):
    limited, _ = world.playing(agents=5, round_limit_s=600)
    endless, _ = world.playing(agents=5)
    with world.database.read() as session:
        found = {row.tournament_id: row for row in session.scalars(select(Round))}
    assert found[limited].deadline_at - found[limited].opened_at == timedelta(seconds=600)
    assert found[endless].deadline_at is None


def test_before_the_deadline_and_in_finished_rounds_nothing_is_ended(world, clock):
    _, (match_id,) = world.playing(agents=5, round_limit_s=600)
    clock(560)
    assert enforce(world) == []
    finish(world, match_id)
    close(world)
    clock(100)
    assert enforce(world) == []


def test_autoplay_ends_what_is_overdue_and_nobody_is_asked_any_more(world, clock):
    tournament_id, (first, second) = world.playing(agents=10, round_limit_s=600, overdue="autoplay")
    finish(world, first)
    held = claimed(world, second)
    clock(601)
    assert len(enforce(world)) == 1
    assert enforce(world) == [], "once"
    with world.database.begin() as session:
        assert not matches.renew(session, second, held.epoch, LEASE_S), "its worker is fenced off"
    again = claimed(world, second)
    assert again.epoch > held.epoch
    assert {plan.house_bot for plan in again.seats} == {"autoplay"}
    assert not any(plan.secrets or plan.agent_id or plan.stand_in for plan in again.seats)
    with world.database.begin() as session:
        match = FakeMatch()
        assert matches.finish(session, second, again.epoch, match, match.log, [])
    assert close(world) == [tournament_id]


def test_what_is_overdue_can_be_cancelled_and_counts_for_nobody(world, clock):
    tournament_id, opened = world.playing(agents=10, round_limit_s=600, overdue="cancel")
    finish(world, opened[0])
    clock(601)
    enforce(world)
    assert states(world, opened) == [MatchStatus.FINISHED, MatchStatus.CANCELLED]
    assert close(world) == [tournament_id]
    assert len(world.open_next(tournament_id)) == 2


def test_what_is_overdue_can_be_left_to_the_organizer(world, clock):
    tournament_id, opened = world.playing(agents=10, round_limit_s=600, overdue="attention")
    clock(601)
    enforce(world)
    found = world.tournament(tournament_id)
    assert found.status == "needs_attention"
    assert found.status_reason == "Round 1 is overdue: 2 matches are not finished."
    world.act("resume", tournament_id)
    assert enforce(world) == [], "it was dealt with"
    for match_id in opened:
        finish(world, match_id)
    assert close(world) == [tournament_id]


def test_of_two_who_enforce_at_once_one_does(world, clock):
    tournament_id, _ = world.playing(agents=10, round_limit_s=600, overdue="cancel")
    clock(601)
    (late,) = world.see(deadlines.passed)

    def end():
        with world.database.begin() as session:
            deadlines.enforce(session, late)

    race(end, end)
    with world.database.read() as session:
        told = select(Event.payload).where(Event.kind == "round.overdue")
        assert session.scalars(told.where(Event.tournament_id == tournament_id)).all() == [
            {"round": 1, "matches": 2, "then": "cancel"}
        ]


@pytest.mark.parametrize("stop", ["pause", "attention"])
def test_the_clock_of_a_round_stands_while_its_tournament_does(world, clock, stop):
    tournament_id, (match_id,) = world.playing(agents=5, round_limit_s=600, overdue="cancel")
    clock(500)
    if stop == "pause":
        world.act("pause", tournament_id)
    else:
        for _ in range(matches.MAX_ATTEMPTS):
            held = claimed(world, match_id)
            with world.database.begin() as session:
                matches.fail(session, match_id, held.epoch, "broken")
    clock(1000)
    assert enforce(world) == []
    world.act("resume", tournament_id)
    clock(80)
    assert enforce(world) == []
    clock(21)
    assert len(enforce(world)) == 1


def test_manual_rounds_wait_for_their_organizer(world, clock):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=3, advance="manual")
    finish(world, match_id)
    close(world)
    clock(10**6)
    assert world.tournament(tournament_id).next_round_at is None
    assert world.open_next(tournament_id) == []
    world.act("pause", tournament_id)
    world.act("resume", tournament_id)
    assert world.open_next(tournament_id) == []
    world.do(next_round.ask, "olga", tournament_id)
    assert len(world.open_next(tournament_id)) == 1


def test_a_manual_tournament_ends_with_its_last_round_by_itself(world):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=1, advance="manual")
    finish(world, match_id)
    close(world)
    assert world.tournament(tournament_id).status == "finished"


def test_the_rest_is_ended_in_the_order_in_which_others_lock_matches(postgres_world):
    world = postgres_world
    tournament_id, made = world.playing(
        agents=5, format_options={"effort": 1, "boards": 5}, deals=1
    )
    first, *_, last = sorted(made)
    for match_id in sorted(made, reverse=True):
        recall(world, match_id)  # now the last one lies before the first
    waits = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")

    def end():
        with world.database.begin() as session:
            for plan in ("indexscan", "bitmapscan"):
                session.execute(text(f"SET LOCAL enable_{plan} = off"))
            found = session.get_one(Tournament, tournament_id)
            deadlines.end_rest(session, found, Overdue.CANCEL)

    with ThreadPoolExecutor(1) as pool, world.database.engine.connect() as looking:
        with world.database.begin() as session:
            session.execute(owned(first))
            ending = pool.submit(end)
            while not ending.done() and not looking.scalar(waits):
                looking.rollback()
            session.execute(owned(last))
        ending.result(30)


def owned(match_id):
    named = update(Match).where(Match.id == match_id).values(owner="")
    return named.execution_options(synchronize_session=False)


def recall(world, match_id):
    with world.database.begin() as session:
        session.execute(owned(match_id))
