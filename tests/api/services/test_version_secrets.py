"""A secret that leaked is replaced in every version that shares it, and in no other."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from baohuang.api.errors import Conflict, NotFound
from baohuang.api.models import Agent, AgentVersion
from baohuang.api.services import agents, signing_secrets, version_secrets, versions
from baohuang.api.vault import Vault

from .playing import claimed

DAY_S = 86_400


@pytest.fixture
def agent_id(world):
    """Active, with one version; its secret is whsec_bot."""
    return world.agent("anna", "bot")


def rotate(world, agent_id, *, now=False, number=None, who="anna"):
    grace_s = 0 if now else DAY_S
    with world.database.begin() as session:
        person = world.people[who]
        *_, secret = version_secrets.rotate(
            session, world.vault, person, agent_id, grace_s, now, number
        )
        return secret


def create(world, agent_id, *, shadow=False):
    """A further version with a secret of its own: that secret. It is live at once, or a shadow."""
    with world.database.begin() as session:
        anna, url = world.people["anna"], "https://next.example/"
        made, secret = versions.create(session, world.vault, anna, agent_id, url, shadow=shadow)
        versions.record_hello(session, anna, agent_id, made.number)
        return secret


def move(world, agent_id, url="https://moved.example/"):
    with world.database.read() as session:
        version = session.get_one(Agent, agent_id).version
    number = world.do(agents.update, "anna", agent_id, version, url=url).current
    world.do(versions.record_hello, "anna", agent_id, number)


def signing(world, agent_id):
    """number -> what signs the calls of that version now."""
    with world.database.read() as session:
        found = session.scalars(select(AgentVersion).where(AgentVersion.agent_id == agent_id))
        return {each.number: signing_secrets.signing_secrets(world.vault, each) for each in found}


def plan_of(world, match_id, agent_id):
    (plan,) = (plan for plan in claimed(world, match_id, -1).seats if plan.agent_id == agent_id)
    return plan


@pytest.fixture
def pinned(world, agent_id):
    """A match of a round that was opened with version 1."""
    tournament_id = world.opened(capacity=5, rounds=2)
    world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    return match_id


def test_after_a_move_the_round_goes_on_and_the_leaked_secret_does_not(world, agent_id, pinned):
    move(world, agent_id)
    secret = rotate(world, agent_id, now=True)
    plan = plan_of(world, pinned, agent_id)
    assert (plan.version, plan.secrets) == (1, (secret,))
    assert signing(world, agent_id) == {1: (secret,), 2: (secret,)}


def test_both_secrets_sign_for_a_day_in_every_version_that_shares_them(world, agent_id):
    move(world, agent_id)
    secret = rotate(world, agent_id)
    assert signing(world, agent_id) == dict.fromkeys((1, 2), (secret, "whsec_bot"))
    with pytest.raises(Conflict) as refused:
        rotate(world, agent_id)
    assert refused.value.problem_code == "rotation_running"
    move(world, agent_id, "https://again.example/")  # takes both along
    last = rotate(world, agent_id, now=True)
    assert signing(world, agent_id) == dict.fromkeys((1, 2, 3), (last,))


def test_the_version_that_a_round_is_pinned_to_gets_a_new_secret_by_its_number(
    world, agent_id, pinned
):
    own = create(world, agent_id)
    assert rotate(world, agent_id, now=True) != own
    assert plan_of(world, pinned, agent_id).secrets == ("whsec_bot",), "it has one of its own"
    secret = rotate(world, agent_id, now=True, number=1)
    assert plan_of(world, pinned, agent_id).secrets == (secret,)


def test_a_shadow_gets_one_by_its_number_and_a_match_that_runs_learns_of_it(
    world, agent_id, pinned
):
    create(world, agent_id, shadow=True)
    secret = rotate(world, agent_id, now=True, number=2)
    plan = plan_of(world, pinned, agent_id)
    assert plan.secrets == ("whsec_bot",)
    assert plan.shadow.secrets == (secret,)


def test_one_version_of_several_that_share_a_secret_takes_the_others_along(world, agent_id):
    move(world, agent_id)
    create(world, agent_id, shadow=True)
    before = signing(world, agent_id)[3]
    secret = rotate(world, agent_id, now=True, number=1)
    assert signing(world, agent_id) == {1: (secret,), 2: (secret,), 3: before}


def test_the_same_secret_sealed_twice_is_the_same(world, agent_id):
    move(world, agent_id)
    with world.database.begin() as session:
        session.get_one(Agent, agent_id).live.secret = world.vault.seal(b"whsec_bot")
    secret = rotate(world, agent_id, now=True)
    assert signing(world, agent_id) == {1: (secret,), 2: (secret,)}


def test_what_cannot_be_opened_hinders_nobody(world, agent_id):
    """Version 1 is sealed with a key that is gone, version 2 is not."""
    own = create(world, agent_id)
    with world.database.begin() as session:
        lost = Vault(Fernet.generate_key()).seal(b"whsec_lost")
        session.scalars(select(AgentVersion).where(AgentVersion.number == 1)).one().secret = lost
    secret = rotate(world, agent_id, now=True)
    assert secret != own
    mended = rotate(world, agent_id, now=True, number=1)
    assert signing(world, agent_id) == {1: (mended,), 2: (secret,)}


def test_what_is_retired_keeps_the_secret_that_signs_nothing(world, agent_id):
    move(world, agent_id)
    world.do(versions.retire, "anna", agent_id, 1)
    secret = rotate(world, agent_id, now=True)
    assert signing(world, agent_id) == {1: ("whsec_bot",), 2: (secret,)}
    with pytest.raises(Conflict) as refused:
        rotate(world, agent_id, now=True, number=1)
    assert refused.value.problem_code == "version_state"


def test_versions_of_others_and_those_that_never_were_are_not_found(world, agent_id):
    for number, who in ((2, "anna"), (1, "bert"), (None, "bert")):
        with pytest.raises(NotFound):
            rotate(world, agent_id, number=number, who=who)
