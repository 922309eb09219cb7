"""A match that is recalled is its worker's until the question that is open has ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text

from baohuang.api.models import Agent, AgentStatus, Decision, Match
from baohuang.api.services import agents, matches, reclaim, version_secrets

from .playing import FakeMatch, claim, claimed

LEASE_S = 60.0


@pytest.fixture
def held(world):
    """A match that somebody plays; its agents are Anna's."""
    _, (match_id,) = world.playing(agents=5)
    return claimed(world, match_id)


def move(world, agent_id, to):
    return world.do(agents.move, "anna", agent_id, to)


def checkpoint(world, held, start=0, block=()):
    with world.database.begin() as session:
        return matches.checkpoint(session, held.match_id, held.epoch, start, block, [], LEASE_S)


def release(world, held):
    with world.database.begin() as session:
        matches.release(session, held.match_id, held.epoch)


def retired(world, held):
    with world.database.read() as session:
        return reclaim.retired_seats(session, held.match_id)


def test_its_worker_keeps_it_until_he_gives_it_back(world, held):
    move(world, held.seats[0].agent_id, AgentStatus.PAUSED)
    assert checkpoint(world, held) is matches.Held.RECALLED
    assert claim(world, held.match_id) is None, "the open question is still his"
    assert checkpoint(world, held, 0, [(0, "accept", False)]) is matches.Held.RECALLED
    release(world, held)
    again = claimed(world, held.match_id)
    assert again.log == ((0, "accept", False),)
    assert checkpoint(world, again, 1) is matches.Held.KEPT


def test_what_a_dead_worker_was_to_give_back_is_taken_like_any_other(world):
    _, (match_id,) = world.playing(agents=5)
    dead = claimed(world, match_id, lease_s=-1)
    move(world, dead.seats[0].agent_id, AgentStatus.PAUSED)
    again = claimed(world, match_id)
    assert checkpoint(world, again) is matches.Held.KEPT
    assert checkpoint(world, dead) is matches.Held.LOST


def test_a_match_can_end_while_it_is_recalled(world, held):
    move(world, held.seats[0].agent_id, AgentStatus.PAUSED)
    with world.database.begin() as session:
        assert matches.finish(session, held.match_id, held.epoch, FakeMatch(log=[]), [], [])
    with world.database.read() as session:
        assert session.scalar(select(Match.status)) == "finished"
        assert session.scalars(select(Decision)).all() == []


def test_nobody_waits_for_who_was_retired_and_for_who_is_paused_one_does(world, held):
    ids = [plan.agent_id for plan in held.seats]
    move(world, ids[1], AgentStatus.PAUSED)
    assert retired(world, held) == set()
    move(world, ids[3], AgentStatus.RETIRED)
    assert retired(world, held) == {3}


# -- at the same moment ---------------------------------------------------------------------------

WAITS = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")


@pytest.fixture
def busy(postgres_world):
    """A world where several write at once."""
    return postgres_world


def change(session, world, agent_id, what):
    """What an owner does; the secret afterwards."""
    anna = world.people["anna"]
    if what == "rotated":
        return version_secrets.rotate(session, world.vault, anna, agent_id, 0, True)[-1]
    agents.move(session, anna, agent_id, AgentStatus(what))
    return None


def wait_for_lock(world, *waiters):
    """Until somebody waits for a lock, or the waiters have ended without."""
    with world.database.engine.connect() as looking:
        while not all(each.done() for each in waiters) and not looking.scalar(WAITS):
            looking.rollback()


@pytest.mark.parametrize("what", ["retired", "paused", "rotated"])
def test_a_claim_reads_what_is_just_being_changed(busy, what):
    _, (match_id,) = busy.playing(agents=5)
    with busy.database.read() as session:
        agent_id = session.scalars(select(Agent.id).order_by(Agent.id)).first()
    with ThreadPoolExecutor(1) as pool:
        with busy.database.begin() as session:
            secret = change(session, busy, agent_id, what)
            session.flush()
            claiming = pool.submit(claimed, busy, match_id)
            wait_for_lock(busy, claiming)
        held = claiming.result(30)
    called = [plan for plan in held.seats if plan.agent_id == agent_id]
    assert [plan.secrets for plan in called] == ([(secret,)] if what == "rotated" else [])
    assert checkpoint(busy, held) is matches.Held.KEPT


@pytest.mark.parametrize("what", ["retired", "paused", "rotated"])
def test_a_change_recalls_what_is_just_being_claimed(busy, what):
    _, (match_id,) = busy.playing(agents=5)

    def changed(agent_id):
        with busy.database.begin() as session:
            change(session, busy, agent_id, what)

    with ThreadPoolExecutor(1) as pool:
        with busy.database.begin() as session:
            held = matches.claim(session, busy.vault, match_id, "worker", LEASE_S)
            changing = pool.submit(changed, held.seats[0].agent_id)
            wait_for_lock(busy, changing)
        changing.result(30)
    assert checkpoint(busy, held) is matches.Held.RECALLED


def test_a_change_recalls_what_was_opened_and_claimed_while_it_waited(busy):
    agent_id = busy.agent("anna", "late")
    tournament_id = busy.opened(capacity=5, rounds=1)
    busy.enter(tournament_id, agent_id)
    busy.act("start", tournament_id)

    def changed():
        with busy.database.begin() as session:
            change(session, busy, agent_id, "rotated")

    with ThreadPoolExecutor(1) as pool:
        with busy.database.begin() as session:
            session.execute(select(Agent.id).where(Agent.id == agent_id).with_for_update(read=True))
            changing = pool.submit(changed)
            wait_for_lock(busy, changing)
            (match_id,) = busy.open_next(tournament_id)
            held = claimed(busy, match_id)
            assert not changing.done()
        changing.result(30)
    assert checkpoint(busy, held) is matches.Held.RECALLED
