"""Ratings over HTTP: pools, then the agents of one, in pages."""

from __future__ import annotations

import pytest

from baohuang.api.models import Role
from baohuang.api.services import ratings

from .tournament_support import opened, play_round


@pytest.fixture
def pool(site):
    """Of a tournament of house bots and one agent, which all play like the house bot."""
    organizer = site.caller("olga", Role.ORGANIZER)
    tournament_id = opened(organizer, rounds=1, deals=5)
    answer = organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "random"})
    assert answer.status_code == 201, answer.json
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    play_round(site, tournament_id)
    with site.arena.database.begin() as session:
        ratings.enrol(session)
    (pool_id,) = ratings_due(site)
    with site.arena.database.begin() as session:
        ratings.store(session, ratings.work_out(session, pool_id))
    return pool_id


def ratings_due(site):
    with site.arena.database.read() as session:
        return ratings.due(session)


def test_pools_say_what_they_are_made_from(site, pool):
    (shown,) = site.stranger().get("/ratings").json["items"]
    assert (shown["id"], shown["measure"], shown["anchors"]) == (pool, "place", ["greedy"])
    assert (shown["tournaments"], shown["agents"]) == (1, 2)
    assert shown["rules"]["preset"] == "lianzhong-simple"
    assert site.stranger().get("/ratings?preset=wuren").json["items"] == []


def test_ratings_come_in_pages_the_best_first(site, pool):
    first = site.stranger().get(f"/ratings/{pool}?limit=1")
    (best,) = first.json["items"]
    following = first.headers["Link"].split(">")[0].removeprefix("<").split("/api/v1")[-1]
    (other,) = site.stranger().get(following).json["items"]
    assert (best["position"], other["position"]) == (1, 2)
    assert best["value"] >= other["value"]
    assert {best["house_bot"], other["house_bot"]} == {"greedy", "random"}
    (anchor,) = [row for row in (best, other) if row["anchor"]]
    assert (anchor["house_bot"], anchor["value"]) == ("greedy", 0)
    assert anchor["low"] <= anchor["value"] <= anchor["high"]
    assert sum(role["deals"] for role in anchor["roles"].values()) == anchor["deals"]


def test_an_unknown_pool_is_a_404(site):
    assert site.stranger().get("/ratings/01ARZ3NDEKTSV4RRFFQ69G5FAV").status_code == 404
