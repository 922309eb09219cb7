"""Ratings: who counts, when they are made anew, and that they order made-up agents."""

from __future__ import annotations

from random import Random
from statistics import correlation

import pytest
from sqlalchemy import select

from baohuang.api.errors import NotFound
from baohuang.api.models import Agent, AgentStatus, Match, RatedTournament, RulingKind, Tournament
from baohuang.api.services import history, match_log, ratings, rulings, tournaments
from baohuang.api.services.ruling_case import Ask
from baohuang.engine.tournament import deals
from baohuang.engine.tournament.ratings import rate

from .playing import FakeMatch, finish, play

ROLE_LUCK = {0: 0.9, 1: 0.3}
"""Of emperor and guard; rebels have 0."""


def a_deal(random, five, strength):
    """The best form goes out first; the emperor sits anywhere."""
    seats = random.sample(range(5), 5)
    form = [strength[x] + random.gauss(0, 1) for x in five]
    for role, luck in ROLE_LUCK.items():
        form[seats[role]] += luck
    order = sorted(range(5), key=lambda seat: -form[seat])
    places = [order.index(seat) + 1 for seat in range(5)]
    side = 6 - places[seats[0]] - places[seats[1]]
    scores = [-side] * 5
    scores[seats[0]], scores[seats[1]] = 2 * side, side
    return {
        "scores": scores, "places": places, "emperor": seats[0], "guard": seats[1], "solo": None,
        "result": "scored", "attempt": 1, "first": 0,
    }  # fmt: skip


def tournament(world, agents, random=None, strength=None, **settings):
    """A finished one, two rounds; its deals go by strength, or all alike."""
    random, strength = random or Random(0), strength or dict.fromkeys(agents, 0.0)
    settings = {"rounds": 2, "deals": 1, **settings}
    tournament_id = world.opened(**settings)
    for agent_id in agents:
        world.enter(tournament_id, agent_id)
    world.act("start", tournament_id)
    rows = []
    while world.tournament(tournament_id).status == "running":
        for match_id in world.open_next(tournament_id):
            entries = world.see(match_log.sitting, match_id).entries
            five = [world.entry(x).agent_id or "house:greedy" for x in entries]
            made = [a_deal(random, five, {**strength, "house:greedy": 0}) for _ in range(20)]
            finish(world, match_id, FakeMatch(made))
            rows += deals.rows(five, made, match=match_id, board=match_id)
        world.close_rounds()
    return tournament_id, rows


def refresh(world):
    """What the timer does; the pools that were rated."""
    with world.database.begin() as session:
        ratings.enrol(session)
    pools = world.see(ratings.due)
    for pool_id in pools:
        rated = world.see(ratings.work_out, pool_id)
        with world.database.begin() as session:
            ratings.store(session, rated)
    return pools


def page(world, pool_id, **query):
    with world.database.read() as session:
        return ratings.search(session, pool_id, None, 100, **query).items


def test_made_up_agents_are_ordered_and_rated_as_the_engine_does(sqlite_world):
    world, random = sqlite_world, Random(5)
    agents = [world.agent("anna", f"bot-{k}") for k in range(9)]
    strength = {agent_id: 0.35 * (k - 4) for k, agent_id in enumerate(agents)}
    rows = []
    for _ in range(3):
        rows += tournament(world, agents, random, strength)[1]
    (pool_id,) = refresh(world)
    made = page(world, pool_id)
    expected = rate(rows, anchors=["house:greedy"]).ratings
    assert [row["agent_id"] or "house:greedy" for row in made] == [r.agent for r in expected]
    for row, rating in zip(made, expected, strict=True):
        assert row["value"] == pytest.approx(rating.total.value)
        assert (row["low"], row["high"]) == pytest.approx(rating.total.interval)
        assert {x: e["deals"] for x, e in row["roles"].items()} == {
            x: e.deals for x, e in rating.roles.items()
        }
    found = [row for row in made if row["agent_id"]]
    truth = [strength[row["agent_id"]] for row in found]
    assert correlation(truth, [row["value"] for row in found]) > 0.9
    (house,) = [row for row in made if row["house_bot"]]
    assert (house["anchor"], house["value"], house["name"]) == (True, 0, "greedy")


def test_intervals_hold_the_true_strength_of_equals(sqlite_world, monkeypatch):
    """All are alike, so the truth is 0 for everybody: nine of ten intervals hold it at least.

    Seats are drawn by one key every time: of other draws one in a hundred has two that do not.
    """
    monkeypatch.setattr(history, "seats_key", lambda *_: bytes(32))
    agents = [sqlite_world.agent("anna", f"bot-{k}") for k in range(9)]
    for seed in range(2):
        tournament(sqlite_world, agents, Random(seed))
    (pool_id,) = refresh(sqlite_world)
    holds = [row["low"] <= 0 <= row["high"] for row in page(sqlite_world, pool_id)]
    assert sum(holds) >= 9


def test_each_tournament_asks_once_and_the_same_results_give_the_same_ratings(world):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    tournament(world, agents)
    (pool_id,) = refresh(world)
    before = page(world, pool_id)
    assert refresh(world) == []
    assert world.see(ratings.work_out, pool_id).rows == world.see(ratings.work_out, pool_id).rows
    tournament(world, agents, Random(7))
    assert refresh(world) == [pool_id]
    assert page(world, pool_id) != before
    (pool,) = world.see(ratings.search_pools, None, 10).items
    assert (pool.tournaments, pool.deals, pool.agents) == (2, 80, 5)


def test_a_ruling_after_the_end_rates_anew_without_what_was_annulled(world):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    tournament_id, _ = tournament(world, agents)
    (pool_id,) = refresh(world)
    with world.database.read() as session:
        match_id = session.scalars(select(Match.id)).first()
    ask = Ask(RulingKind.ANNUL, "a reason", match_id=match_id)
    world.do(rulings.make, "olga", tournament_id, ask)
    assert refresh(world) == [pool_id]
    assert {row["deals"] for row in page(world, pool_id)} == {20}


def test_other_rules_are_another_pool(world):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    tournament(world, agents)
    tournament(world, agents, overrides={"rebellion": False})
    assert len(refresh(world)) == 2


def test_only_finished_tournaments_count_that_are_to_be_rated(world):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    tournament(world, agents, rated=False)
    cancelled = world.started(agents=5)
    world.act("cancel", cancelled)
    assert refresh(world) == []
    with world.database.read() as session:
        assert session.scalars(select(RatedTournament)).all() == []


def test_who_really_played_is_rated(world):
    """A house bot stands in for an entry whose agent is paused."""
    _, (match_id,) = world.playing(agents=1, rounds=1, deals=1)
    with world.database.begin() as session:
        agent = session.scalars(select(Agent)).one()
        agent_id, agent.status = agent.id, AgentStatus.PAUSED
    play(world, match_id)
    world.close_rounds()
    (pool_id,) = refresh(world)
    assert [row["house_bot"] for row in page(world, pool_id)] == ["greedy"]
    assert page(world, pool_id, agent_id=agent_id) == []


def test_a_demand_while_a_pool_is_rated_stays_open(world):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    tournament(world, agents)
    (pool_id,) = refresh(world)
    tournament(world, agents)
    with world.database.begin() as session:
        ratings.enrol(session)
    rated = world.see(ratings.work_out, pool_id)
    tournament(world, agents)
    with world.database.begin() as session:
        ratings.enrol(session)
    with world.database.begin() as session:
        ratings.store(session, rated)
    assert world.see(ratings.due) == [pool_id]


def test_beyond_the_most_deals_the_latest_tournaments_count(world, monkeypatch):
    agents = [world.agent("anna", f"bot-{k}") for k in range(5)]
    for _ in range(3):
        tournament(world, agents)
    monkeypatch.setattr(ratings, "MOST_DEALS", 41)
    assert len(refresh(world)) == 1
    (pool,) = world.see(ratings.search_pools, None, 10).items
    assert (pool.tournaments, pool.deals) == (2, 80)


def test_an_unknown_pool_is_not_found(world):
    with pytest.raises(NotFound):
        page(world, "0" * 26)


def test_whether_it_is_rated_may_change_until_it_starts(world):
    tournament_id = world.draft()
    version = world.tournament(tournament_id).version
    world.do(tournaments.update_settings, "olga", tournament_id, version, {"rated": False})
    with world.database.read() as session:
        assert session.get_one(Tournament, tournament_id).rated is False
