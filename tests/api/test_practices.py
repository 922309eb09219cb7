"""Practice matches over HTTP."""

from __future__ import annotations

import pytest

from .support import pointers, problem
from .tournament_support import agent, play

RULES = {"rule_set": "lianzhong-simple"}


@pytest.fixture
def mine(site, author):
    return agent(site, author, "mine")


def created(caller, *seats, **more):
    body = {**RULES, "seats": list(seats), **more}
    return caller.post("/matches", json=body)


def test_a_practice_match_is_made_played_and_recorded(site, author, mine):
    made = created(author, {"agent_id": mine}, {"house_bot": "random"}, deals=1)
    assert made.status_code == 201
    path = made.headers["Location"]
    shown = made.get_json()
    assert path == f"/api/v1/matches/{shown['id']}"
    assert (shown["tournament_id"], shown["status"], shown["deals"]) == (None, "queued", 1)
    assert [seat["name"] for seat in shown["seats"]][:3] == ["mine", "random", "greedy"]
    problem(author.get(f"{path}/record"), 409, "match_queued")
    play(site, shown["id"])
    record = author.get(f"{path}/record").get_json()
    assert record["draw"]["key"] is not None
    points = [seat["points"] for seat in author.get(path).get_json()["seats"]]
    assert points == record["totals"]
    assert [row["id"] for row in author.get("/matches").get_json()["items"]] == [shown["id"]]


def test_it_can_be_cancelled(author, mine):
    path = created(author, {"agent_id": mine}).headers["Location"]
    assert author.post(f"{path}/cancel").get_json()["status"] == "cancelled"
    problem(author.post(f"{path}/cancel"), 409, "match_cancelled")


def test_a_fourth_at_once_is_too_many(author, mine):
    for _ in range(3):
        assert created(author, {"agent_id": mine}).status_code == 201
    refused = created(author, {"agent_id": mine})
    problem(refused, 429, "practice_limit")
    assert int(refused.headers["Retry-After"]) > 0


def test_an_agent_that_spars_is_listed_and_may_be_chosen_by_anybody(site, author, mine):
    bert = site.caller("Bert")
    theirs = agent(site, bert, "theirs")
    assert bert.get("/opponents").get_json()["items"] == []
    refused = created(author, {"agent_id": mine}, {"agent_id": theirs})
    assert pointers(problem(refused, 422, "invalid")) == {"/seats/1/agent_id": "unknown"}
    changed = bert.patch(f"/agents/{theirs}", json={"sparring": True}, if_match='"1"')
    assert changed.get_json()["sparring"] is True
    assert author.get("/opponents").get_json()["items"] == [
        {"id": theirs, "name": "theirs", "kind": "http", "owner": "Bert"}
    ]
    assert created(author, {"agent_id": mine}, {"agent_id": theirs}).status_code == 201


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"seats": []}, "/seats"),
        ({"seats": [{"house_bot": "greedy"}] * 6}, "/seats"),
        ({"seats": [{}]}, "/seats/0"),
        ({"seats": [{"house_bot": "greedy"}], "deals": 21}, "/deals"),
        ({"seats": [{"house_bot": "greedy"}]}, "/seats"),
        ({"seats": [{"house_bot": "x"}]}, "/seats/0/house_bot"),
        ({"seats": [{"house_bot": "greedy"}], "overrides": {"nothing": 1}}, "/overrides/nothing"),
    ],
)
def test_what_is_wrong_is_named(author, body, pointer):
    refused = problem(author.post("/matches", json=RULES | body), 422, "invalid")
    assert list(pointers(refused)) == [pointer]
