"""Probes: spaced failures pause an agent, spaced successes resume it, each change is told once."""

from __future__ import annotations

from functools import partial
from threading import Barrier

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, update

from baohuang.api import models
from baohuang.api.db import db_now
from baohuang.api.errors import Conflict
from baohuang.api.models import Agent, AgentNotice, AgentStatus, AuditRow
from baohuang.api.remote.faults import Fault
from baohuang.api.services import (
    agent_calls,
    agent_health,
    agents,
    match_log,
    matches,
    version_secrets,
)
from baohuang.api.services.agent_calls import Contact
from baohuang.api.vault import Vault

from . import playing
from .playing import FakeMatch
from .racing import race

BAD = Fault("timeout", "bot", "no whole answer in time", 2000)
AWAY = Fault("dns", "network", "no name server answered")


@pytest.fixture
def agent_id(world):
    """Entered in an open tournament, and due."""
    found = world.agent("anna", "bot")
    world.enter(world.opened(), found)
    make_due(world, found)
    return found


def make_due(world, agent_id):
    with world.database.begin() as session:
        session.execute(update(Agent).where(Agent.id == agent_id).values(probe_at=0.0))


def due(world):
    with world.database.begin() as session:
        return [contact.agent_id for contact in agent_health.claim_due(session, world.vault)]


def row(world, agent_id):
    with world.database.read() as session:
        return session.get_one(Agent, agent_id)


def probed(world, agent_id, *faults, network_is_well=False):
    """Probe it for each, as often as it is due; whether each changed something."""
    changes = []
    for fault in faults:
        make_due(world, agent_id)
        assert due(world) == [agent_id]
        contact = Contact(agent_id, 1, "https://x.example/", ())
        with world.database.begin() as session:
            stood = agent_health.record(session, contact, fault, network_is_well=network_is_well)
        changes.append(stood.before != stood.after)
    return changes


def notices(world, agent_id):
    with world.database.read() as session:
        rows = session.scalars(
            select(AgentNotice).where(AgentNotice.agent_id == agent_id).order_by(AgentNotice.id)
        )
        return [notice.kind for notice in rows]


def until_next(world, agent_id):
    with world.database.read() as session:
        return session.get_one(Agent, agent_id).probe_at - db_now(session)


def test_three_spaced_failures_pause_it_and_tell_its_owner_once(world, agent_id):
    assert probed(world, agent_id, BAD, BAD, BAD, BAD) == [False, False, True, False]
    agent = row(world, agent_id)
    assert (agent.status, agent.paused_by, agent.last_fault) == ("paused", "health", "timeout")
    assert notices(world, agent_id) == ["paused"]


def test_a_success_between_forgives(world, agent_id):
    probed(world, agent_id, BAD, BAD, None, BAD, BAD)
    assert row(world, agent_id).status == AgentStatus.ACTIVE
    assert notices(world, agent_id) == []


def test_three_spaced_successes_resume_it_and_tell_its_owner_once(world, agent_id):
    probed(world, agent_id, BAD, BAD, BAD)
    assert probed(world, agent_id, None, None, BAD, None, None, None, None) == [
        False, False, False, False, False, True, False,
    ]  # fmt: skip
    agent = row(world, agent_id)
    assert (agent.status, agent.paused_by) == ("active", None)
    assert notices(world, agent_id) == ["paused", "resumed"]


def test_what_the_network_did_counts_for_nothing(world, agent_id):
    probed(world, agent_id, *[AWAY] * 5)
    assert (row(world, agent_id).status, row(world, agent_id).strikes) == ("active", 0)


def test_who_cannot_be_reached_while_others_can_is_paused(world, agent_id):
    probed(world, agent_id, *[AWAY] * 3, network_is_well=True)
    assert row(world, agent_id).status == "paused"
    assert notices(world, agent_id) == ["paused"]


def test_a_failing_agent_is_probed_every_minute_and_a_well_one_every_ten(world, agent_id):
    probed(world, agent_id, BAD)
    assert 50 < until_next(world, agent_id) <= 60
    probed(world, agent_id, None)
    assert 590 < until_next(world, agent_id) <= 600


def test_of_several_doctors_one_has_it(world, agent_id):
    found = race(*[lambda: due(world)] * 4)
    assert sorted(map(len, found)) == [0, 0, 0, 1]


def test_only_who_may_be_called_soon_is_probed(world):
    idle = world.agent("anna", "idle")
    sparring = world.agent("anna", "sparring")
    with world.database.begin() as session:
        session.execute(update(Agent).where(Agent.id == sparring).values(sparring=True))
        agents.register(session, world.vault, world.people["anna"], "pull", "pull")
    for agent_id in (idle, sparring):
        make_due(world, agent_id)
    assert due(world) == [sparring]


def test_an_owners_pause_is_not_the_servers_to_end(world, agent_id):
    with world.database.begin() as session:
        agents.move(session, world.people["anna"], agent_id, AgentStatus.PAUSED)
    assert row(world, agent_id).paused_by == "owner"
    assert due(world) == []
    contact = Contact(agent_id, 1, "https://x.example/", ())
    for _ in range(4):
        with world.database.begin() as session:
            agent_health.record(session, contact, None)
    assert row(world, agent_id).status == AgentStatus.PAUSED


def test_an_owner_resumes_it_and_it_begins_anew(world, agent_id):
    probed(world, agent_id, BAD, BAD, BAD)
    with world.database.begin() as session:
        agents.move(session, world.people["anna"], agent_id, AgentStatus.ACTIVE)
    agent = row(world, agent_id)
    assert (agent.status, agent.paused_by, agent.strikes) == ("active", None, 0)
    assert notices(world, agent_id) == ["paused"]


def test_a_probe_of_a_url_that_it_had_before_counts_for_nothing(world, agent_id):
    with world.database.begin() as session:
        for _ in range(3):
            agent_health.record(session, Contact(agent_id, 0, "https://old.example/", ()), BAD)
    assert row(world, agent_id).strikes == 0


def test_a_desertion_is_a_strike_a_notice_and_a_probe_at_once(world):
    match_id = world.playing(agents=5)[1][0]
    playing.finish(world, match_id, FakeMatch(penalties=[0, -40, 0, 0, 0]))
    with world.database.read() as session:
        told = session.scalars(select(AgentNotice)).all()
        (struck,) = session.scalars(select(Agent).where(Agent.strikes > 0)).all()
    assert [(n.kind, n.match_id, n.agent_id) for n in told] == [("deserted", match_id, struck.id)]
    assert due(world) == [struck.id]
    probed(world, struck.id, BAD)
    assert row(world, struck.id).status == AgentStatus.ACTIVE


def matches_ended(world, agent_id, *penalties):
    """Matches of the agent, one after the other, each with what it brought upon itself."""
    with world.database.begin() as session:
        for penalty in penalties:
            match = models.Match(deals=1)
            session.add(match)
            session.flush()
            left = {agent_id} if penalty else set()
            agent_health.after_match(session, match.id, left, {agent_id} - left)


def test_who_leaves_three_matches_in_a_row_is_paused_and_told_once(world, agent_id):
    matches_ended(world, agent_id, -40, -40, 0, -40, -40)
    assert row(world, agent_id).status == AgentStatus.ACTIVE  # it came back in between
    matches_ended(world, agent_id, -40)
    agent = row(world, agent_id)
    assert (agent.status, agent.paused_by, agent.desertions) == ("paused", "health", 0)
    assert notices(world, agent_id) == ["deserted"] * 5 + ["paused"]
    matches_ended(world, agent_id, -40)  # one that it was still in
    assert notices(world, agent_id).count("paused") == 1


def test_probes_bring_back_who_is_called_and_the_owner_who_asks(world, agent_id):
    with world.database.begin() as session:
        pull, _ = agents.register(session, world.vault, world.people["anna"], "p", "pull")
    for one in (agent_id, pull.id):
        matches_ended(world, one, -40, -40, -40)
    assert probed(world, agent_id, None, None, None) == [False, False, True]
    make_due(world, pull.id)
    assert pull.id not in due(world)
    assert row(world, pull.id).status == AgentStatus.PAUSED
    with world.database.begin() as session:
        agents.move(session, world.people["anna"], pull.id, AgentStatus.ACTIVE)
    assert row(world, pull.id).status == AgentStatus.ACTIVE


def test_the_audit_log_tells_of_changes_and_not_of_probes(world, agent_id):
    with world.database.read() as session:
        before = session.scalars(select(AuditRow.seq).where(AuditRow.object_id == agent_id)).all()
    probed(world, agent_id, BAD, None, BAD, BAD, BAD, None, None, None)
    with world.database.read() as session:
        rows = session.scalars(
            select(AuditRow).where(AuditRow.object_id == agent_id).order_by(AuditRow.seq)
        ).all()
    assert [row.payload.get("status") for row in rows[len(before) :]] == ["paused", "active"]


def test_an_owner_reads_the_notices_of_his_agents(world, agent_id):
    probed(world, agent_id, BAD, BAD, BAD, None, None, None)
    with world.database.read() as session:
        page = agent_health.notices(session, world.people["anna"], agent_id, None, 1)
        rest = agent_health.notices(session, world.people["anna"], agent_id, page.after, 1)
    assert [notice.kind for notice in (*page.items, *rest.items)] == ["resumed", "paused"]
    assert "timeout" in rest.items[0].detail


def test_a_secret_that_cannot_be_opened_keeps_nobody_else_from_being_probed(world, agent_id):
    well = world.agent("anna", "well")
    with world.database.begin() as session:
        session.execute(update(Agent).where(Agent.id == well).values(sparring=True))
        broken = session.get_one(Agent, agent_id)
        broken.live.secret = Vault(Fernet.generate_key()).seal(b"whsec_x")
    make_due(world, agent_id)
    make_due(world, well)
    assert due(world) == [well]
    assert due(world) == []  # its turn comes again in a minute
    assert row(world, agent_id).status == AgentStatus.ACTIVE
    with world.database.begin() as session:
        with pytest.raises(Conflict, match="rotate") as refused:
            agent_calls.contact(session, world.vault, world.people["anna"], agent_id)
        assert refused.value.problem_code == "secret_unreadable"
        version_secrets.rotate(session, world.vault, world.people["anna"], agent_id, 60, False)
    make_due(world, agent_id)
    assert due(world) == [agent_id]


def test_who_was_paused_and_moved_is_paused_by_nobody_any_more(world, agent_id):
    probed(world, agent_id, BAD, BAD, BAD)
    version = row(world, agent_id).version
    with world.database.begin() as session:
        agents.update(session, world.people["anna"], agent_id, version, url="https://new.example/")
    assert (row(world, agent_id).status, row(world, agent_id).paused_by) == ("unverified", None)


def test_two_matches_lock_their_agents_in_one_order_whoever_left_them(world, monkeypatch):
    first, second = sorted(world.agent("anna", name) for name in ("one", "two"))
    with world.database.begin() as session:
        for agent_id in (first, second):
            session.get_one(Agent, agent_id).desertions = 1
    locked, lock = [], agent_health.lock_row

    def noted(session, model, row_id):
        locked.append(row_id)
        return lock(session, model, row_id)

    monkeypatch.setattr(agent_health, "lock_row", noted)
    match_id = world.playing()[1][0]
    with world.database.begin() as session:
        agent_health.after_match(session, match_id, {second}, {first})
    assert locked == [first, second]
    assert (row(world, first).desertions, row(world, second).desertions) == (0, 2)


def test_two_who_leave_each_others_matches_at_once_block_neither(postgres_world, monkeypatch):
    """Results name all players, so their rows are looked at while one of them is locked."""
    world = postgres_world
    agents = [world.agent("anna", name) for name in ("one", "two")]
    both, store, claims = Barrier(2), match_log.store_results, []
    for _ in agents:
        tournament_id = world.opened()
        for agent_id in agents:
            world.enter(tournament_id, agent_id)
        world.act("start", tournament_id)
        claims.append(playing.claimed(world, world.open_next(tournament_id)[0]))

    def stored(*about):
        both.wait(30)
        store(*about)

    def finish(held, leaver):
        lost = [-40 if plan.agent_id == leaver else 0 for plan in held.seats]
        with world.database.begin() as session:
            match = FakeMatch(penalties=lost)
            return matches.finish(session, held.match_id, held.epoch, match, match.log, [])

    monkeypatch.setattr(match_log, "store_results", stored)
    runners = [partial(finish, *each) for each in zip(claims, agents, strict=True)]
    assert race(*runners) == [True, True]
    assert [row(world, agent_id).desertions for agent_id in agents] == [1, 1]
