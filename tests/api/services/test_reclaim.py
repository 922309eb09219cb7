"""What an owner changes about his agent reaches the matches that are running."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from baohuang.api.models import AgentStatus, Match
from baohuang.api.services import agents, matches, reclaim, version_secrets, versions

from .playing import claimed

OLD_SECRETS = 2
"""Of a rotation: calls are signed with the new and the old one."""


def rotate(world, agent_id, *, force=False):
    with world.database.begin() as session:
        anna = world.people["anna"]
        *_, secret = version_secrets.rotate(session, world.vault, anna, agent_id, 3600, force)
        return secret


def pause(world, agent_id):
    return world.do(agents.move, "anna", agent_id, AgentStatus.PAUSED)


def kept(world, claim, *decided):
    """Whether a worker that writes down what was decided may go on; if not, it gives it back."""
    with world.database.begin() as session:
        place, mine = len(claim.log), (claim.match_id, claim.epoch)
        held = matches.checkpoint(session, *mine, place, decided, [], 60.0)
        if held is matches.Held.RECALLED:
            matches.release(session, *mine)
    return held is matches.Held.KEPT


def mine(claim, agent_id):
    (plan,) = (plan for plan in claim.seats if plan.agent_id == agent_id)
    return plan


@pytest.fixture
def held(world):
    """A match that somebody plays, and an agent in it."""
    _, (match_id,) = world.playing(agents=5)
    claim = claimed(world, match_id)
    return claim, claim.seats[0].agent_id


def test_a_rotated_secret_signs_the_calls_of_a_running_match(world, held):
    claim, agent_id = held
    secret = rotate(world, agent_id)
    assert not kept(world, claim), "its worker gives it back"
    again = claimed(world, claim.match_id)
    assert again.log == claim.log
    assert mine(again, agent_id).secrets[0] == secret
    assert len(mine(again, agent_id).secrets) == OLD_SECRETS
    others = [plan for plan in claim.seats if plan.agent_id != agent_id]
    assert [plan for plan in again.seats if plan.agent_id != agent_id] == others


def test_what_was_decided_before_a_worker_hears_of_it_stays_decided(world, held):
    """Else an owner could rotate his secret to have the last answers of a table given again."""
    claim, agent_id = held
    rotate(world, agent_id)
    assert not kept(world, claim, (0, "accept", False))
    assert not kept(world, claim, (0, "yield", False)), "he has given it back"
    assert claimed(world, claim.match_id).log == ((0, "accept", False),)


def test_who_is_paused_is_asked_no_more_and_plays_on_once_he_is_back(world, held):
    claim, agent_id = held
    pause(world, agent_id)
    assert not kept(world, claim)
    again = claimed(world, claim.match_id)
    assert again.seats[0].house_bot == "autoplay"
    world.do(agents.move, "anna", agent_id, AgentStatus.ACTIVE)
    assert not kept(world, again)
    assert claimed(world, claim.match_id).seats[0].agent_id == agent_id


def test_other_matches_and_those_that_nobody_plays_are_left_alone(world, held):
    claim, _ = held
    _, (waiting,) = world.playing(agents=5)
    other = world.agent("anna", "other")
    pause(world, other)
    assert kept(world, claim)
    with world.database.read() as session:
        before = session.execute(select(Match.epoch, Match.status).where(Match.id == waiting)).one()
    assert tuple(before) == (0, "queued")


def test_a_pause_that_changes_nothing_recalls_nothing(world, held):
    claim, agent_id = held
    pause(world, agent_id)
    assert not kept(world, claim)
    again = claimed(world, claim.match_id)
    pause(world, agent_id)
    assert kept(world, again)


def test_a_version_that_is_retired_again_recalls_nothing(world, held):
    claim, agent_id = held
    with world.database.begin() as session:
        anna, url = world.people["anna"], "https://next.example/"
        versions.create(session, world.vault, anna, agent_id, url)
    world.do(versions.retire, "anna", agent_id, 2)
    assert not kept(world, claim)
    again = claimed(world, claim.match_id)
    world.do(versions.retire, "anna", agent_id, 2)
    assert kept(world, again)


def test_a_match_is_not_held_up_on_and_on(world, held):
    claim, agent_id = held
    for _ in range(reclaim.HOURLY.quota):
        rotate(world, agent_id, force=True)
        assert not kept(world, claim)
        claim = claimed(world, claim.match_id)
    rotate(world, agent_id, force=True)
    assert kept(world, claim)
    world.do(agents.move, "anna", agent_id, AgentStatus.RETIRED)
    assert not kept(world, claim), "which is done once"
