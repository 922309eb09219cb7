"""Badges: for versions that a worker checked, and for tournaments that require them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from baohuang.api.errors import Conflict
from baohuang.api.models import Agent, AgentVersion, Match, utc_now
from baohuang.api.remote.conformance import Finding
from baohuang.api.services import agents, attendance, badges, practices, versions

from .playing import claimed, play

FINE = [Finding("hello", "ok", "answered after 0.1 s"), Finding("speed", "warning", "slow")]
BROKEN = [*FINE, Finding("notice deal_end", "failed", "any 2xx will do; status: 500")]


@pytest.fixture
def agent_id(world):
    return world.agent("anna", "bot")


def ask(world, agent_id, number=1):
    world.do(badges.ask, "anna", agent_id, number)


def due(world):
    with world.database.begin() as session:
        return badges.claim_due(session, world.vault)


def checked(world, agent_id, findings, number=1):
    """A worker does what was asked for."""
    ask(world, agent_id, number)
    (contact,) = due(world)
    assert (contact.agent_id, contact.number) == (agent_id, number)
    with world.database.begin() as session:
        badges.record(session, contact, findings)


def check(world, agent_id, number=1):
    with world.database.read() as session:
        return badges.shown(versions.find(session, world.people["anna"], agent_id, number))


def test_whoever_asks_is_checked_once_and_gets_a_badge_if_nothing_failed(world, agent_id):
    assert due(world) == []
    assert check(world, agent_id)["passed"] is None
    ask(world, agent_id)
    assert check(world, agent_id)["waiting"]
    (contact,) = due(world)
    assert contact.secrets == ("whsec_bot",)
    assert due(world) == []  # another worker has it
    with world.database.begin() as session:
        badges.record(session, contact, FINE)
    found = check(world, agent_id)
    assert (found["waiting"], found["passed"]) == (False, True)
    left = found["badge_until"] - utc_now()
    assert timedelta(days=89) < left <= timedelta(days=90)
    assert found["findings"][1] == {"name": "speed", "verdict": "warning", "detail": "slow"}


def test_who_asked_first_is_checked_first(world, agent_id):
    """A worker takes two at once; who asks again and again comes after who has waited."""
    asked = [world.agent("anna", f"bot-{n}") for n in range(3)]
    for each in (*asked, agent_id):
        ask(world, each)
    first = [contact.agent_id for contact in due(world)]
    assert sorted(first) == sorted(asked[:2])
    assert sorted(contact.agent_id for contact in due(world)) == sorted([asked[2], agent_id])


def test_one_failure_takes_the_badge_away(world, agent_id):
    checked(world, agent_id, FINE)
    checked(world, agent_id, BROKEN)
    found = check(world, agent_id)
    assert (found["passed"], found["badge_until"]) == (False, None)
    checked(world, agent_id, [])
    assert check(world, agent_id)["badge_until"] is None


def test_a_version_that_was_retired_meanwhile_gets_none(world, agent_id):
    with world.database.begin() as session:
        who = world.people["anna"]
        versions.create(session, world.vault, who, agent_id, "https://second.example/")
    ask(world, agent_id, 2)
    (contact,) = due(world)
    world.do(versions.retire, "anna", agent_id, 2)
    with world.database.begin() as session:
        badges.record(session, contact, FINE)
    assert check(world, agent_id, 2)["badge_until"] is None
    with pytest.raises(Conflict):
        ask(world, agent_id, 2)


def test_a_pull_agent_is_checked_by_its_own_door_and_gets_a_badge(world):
    with world.database.begin() as session:
        pull, secret = agents.register(session, world.vault, world.people["anna"], "p", "pull")
    assert secret is None
    tournament_id = world.opened(badge_required=True)
    assert refused(world, tournament_id, pull.id) == "badge_required"
    ask(world, pull.id)
    assert due(world) == [badges.Fetching(pull.id, 1)]
    assert due(world) == []  # another worker has it
    with world.database.begin() as session:
        badges.record(session, badges.Fetching(pull.id, 1), FINE)
    assert check(world, pull.id)["passed"]
    assert world.enter(tournament_id, pull.id)


def test_agents_of_both_kinds_are_checked_side_by_side(world, agent_id):
    with world.database.begin() as session:
        pull, _ = agents.register(session, world.vault, world.people["anna"], "p", "pull")
    for each in (agent_id, pull.id):
        ask(world, each)
    assert {type(whom).__name__ for whom in due(world)} == {"Contact", "Fetching"}


def refused(world, tournament_id, agent_id):
    with pytest.raises(Conflict) as caught:
        world.enter(tournament_id, agent_id)
    return caught.value.problem_code


def test_a_tournament_that_requires_badges_lets_nobody_else_in(world, agent_id):
    tournament_id = world.opened(badge_required=True)
    assert refused(world, tournament_id, agent_id) == "badge_required"
    checked(world, agent_id, BROKEN)
    assert refused(world, tournament_id, agent_id) == "badge_required"
    checked(world, agent_id, FINE)
    entry = world.enter(tournament_id, agent_id)
    assert world.entry(entry).agent_id == agent_id
    assert world.enter(world.opened(), world.agent("anna", "other"))  # elsewhere nobody asks


def test_a_badge_that_is_over_does_not_count(world, agent_id):
    checked(world, agent_id, FINE)
    with world.database.begin() as session:
        session.query(AgentVersion).one().badge_until = utc_now() - timedelta(seconds=1)
    assert refused(world, world.opened(badge_required=True), agent_id) == "badge_required"


def test_a_new_version_has_no_badge_of_the_old_one(world, agent_id):
    checked(world, agent_id, FINE)
    second(world, agent_id)
    with world.database.read() as session:
        assert session.get_one(Agent, agent_id).badge_until is None
    assert refused(world, world.opened(badge_required=True), agent_id) == "badge_required"


def second(world, agent_id):
    with world.database.begin() as session:
        who = world.people["anna"]
        versions.create(session, world.vault, who, agent_id, "https://second.example/")
        versions.record_hello(session, who, agent_id, 2)


def url_in_next_round(world, tournament_id):
    (match_id,) = world.open_next(tournament_id)
    (plan,) = [plan for plan in claimed(world, match_id).seats if plan.agent_id]
    return plan.url


def started_with_two(world, agent_id):
    """A tournament that requires badges; the agent came with one, its second version has none."""
    tournament_id = world.opened(badge_required=True, capacity=5)
    with world.database.begin() as session:
        session.query(AgentVersion).one().status = "verified"
    checked(world, agent_id, FINE)
    world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    second(world, agent_id)
    return tournament_id


@pytest.mark.parametrize("badge", [False, True])
def test_there_a_round_takes_the_newest_version_with_a_badge(world, agent_id, badge):
    tournament_id = started_with_two(world, agent_id)
    if badge:
        checked(world, agent_id, FINE, number=2)
    place = "second.example/" if badge else "bot.example/bot"
    assert url_in_next_round(world, tournament_id) == f"https://{place}"


def test_there_an_older_badge_that_counts_goes_before_a_newer_one_that_is_over(world, agent_id):
    tournament_id = started_with_two(world, agent_id)
    checked(world, agent_id, FINE, number=2)
    with world.database.begin() as session:
        newer = session.query(AgentVersion).filter_by(number=2).one()
        newer.badge_until = utc_now() - timedelta(days=1)
    assert url_in_next_round(world, tournament_id) == "https://bot.example/bot"


def test_there_nobody_plays_with_a_version_that_was_not_checked(world, agent_id):
    """Not by retiring the one that was: then the house plays."""
    tournament_id = world.opened(badge_required=True, capacity=5)
    with world.database.begin() as session:
        session.query(AgentVersion).one().status = "verified"
    checked(world, agent_id, FINE)
    entry_id = world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    second(world, agent_id)
    world.do(versions.retire, "anna", agent_id, 1)
    (match_id,) = world.open_next(tournament_id)
    (plan,) = [plan for plan in claimed(world, match_id).seats if plan.entry_id == entry_id]
    assert (plan.agent_id, plan.stand_in) == (None, True)


@pytest.fixture
def running(world, agent_id):
    """A match of a tournament that requires badges, begun by the agent's checked version 1."""
    tournament_id = world.opened(badge_required=True, capacity=5, rounds=2)
    with world.database.begin() as session:
        session.query(AgentVersion).one().status = "verified"
    checked(world, agent_id, FINE)
    world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    assert called(world, match_id) == ["https://bot.example/bot"]
    return match_id


def called(world, match_id):
    """Which agents a worker would call that takes the match over now."""
    return [plan.url for plan in claimed(world, match_id, -1).seats if plan.agent_id]


def test_nobody_goes_on_in_a_match_with_a_version_that_was_not_checked(world, agent_id, running):
    second(world, agent_id)
    assert called(world, running) == ["https://bot.example/bot"]
    world.do(versions.retire, "anna", agent_id, 1)
    assert called(world, running) == []
    bots = [plan.house_bot for plan in claimed(world, running, -1).seats]
    assert bots.count("autoplay") == 1
    assert None not in bots


def test_a_match_goes_on_with_another_version_that_was_checked(world, agent_id, running):
    second(world, agent_id)
    checked(world, agent_id, FINE, number=2)
    world.do(versions.retire, "anna", agent_id, 1)
    assert called(world, running) == ["https://second.example/"]


def test_going_back_to_a_version_that_was_not_checked_is_no_way_in_either(world, agent_id):
    tournament_id = world.opened(badge_required=True, capacity=5)
    with world.database.begin() as session:
        session.query(AgentVersion).one().status = "verified"
    second(world, agent_id)
    checked(world, agent_id, FINE, number=2)
    world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    assert called(world, match_id) == ["https://second.example/"]
    world.do(versions.retire, "anna", agent_id, 2)
    assert called(world, match_id) == []


def test_a_line_up_without_versions_takes_no_version_that_was_not_checked(world, agent_id, running):
    """As matches have it that were begun before versions were."""
    with world.database.begin() as session:
        match = session.get_one(Match, running)
        match.lineup = [{k: v for k, v in x.items() if k != "version"} for x in match.lineup]
    assert called(world, running) == ["https://bot.example/bot"]
    second(world, agent_id)
    assert called(world, running) == []


def test_a_badge_that_runs_out_or_is_taken_away_throws_nobody_out_of_a_match(
    world, agent_id, running
):
    with world.database.begin() as session:
        session.query(AgentVersion).one().badge_until = utc_now() - timedelta(seconds=1)
    assert called(world, running) == ["https://bot.example/bot"]
    checked(world, agent_id, BROKEN)
    assert called(world, running) == ["https://bot.example/bot"]


def test_a_badge_that_was_taken_away_is_missed_in_the_next_match(world, agent_id, running):
    checked(world, agent_id, BROKEN)
    play(world, running)
    world.close_rounds()
    with world.database.read() as session:
        tournament_id = session.get_one(Match, running).tournament_id
    (match_id,) = world.open_next(tournament_id)
    assert called(world, match_id) == []


def test_practice_asks_for_no_badge(world, agent_id):
    wish = practices.Wish("lianzhong-simple", deals=1, seats=[{"agent_id": agent_id}])
    with world.database.begin() as session:
        session.query(AgentVersion).one().status = "verified"
        match_id = practices.create(session, world.vault, world.people["anna"], wish)
    checked(world, agent_id, FINE)
    second(world, agent_id)
    world.do(versions.retire, "anna", agent_id, 1)
    assert called(world, match_id) == ["https://second.example/"]


def test_a_substitute_needs_one_too(world, agent_id):
    checked(world, agent_id, FINE)
    tournament_id = world.opened(badge_required=True)
    entry_id = world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    other = world.agent("anna", "other")
    with pytest.raises(Conflict) as caught:
        world.do(attendance.substitute, "olga", entry_id, other)
    assert caught.value.problem_code == "badge_required"
