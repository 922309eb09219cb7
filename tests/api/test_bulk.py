"""Entering many at once: all or nothing, every bad one named; the results of a round at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from baohuang.api.models import Agent, AgentStatus, AuditRow, Entry, Event, Role, utc_now

from .conftest import Site
from .support import pointers, problem, race
from .tournament_support import agent, created, open_round, opened, play

HOUSE = {"house_bot": "greedy"}


@pytest.fixture
def organizer(any_site: Site):
    return any_site.caller("Oleg", Role.ORGANIZER)


def bulk(caller, tournament_id, entries, **options):
    path = f"/tournaments/{tournament_id}/entries/bulk"
    return caller.post(path, json={"entries": entries}, **options)


def test_500_enter_at_once(any_site, organizer):
    ada = any_site.caller("Ada")
    tournament_id = opened(organizer, capacity=490, waiting_list=20)
    agents = [agent(any_site, ada, f"bot-{number}") for number in range(250)]
    wishes = [{"agent_id": one, "seed": number} for number, one in enumerate(agents, 1)]
    answer = bulk(organizer, tournament_id, [*wishes, *[HOUSE] * 250], key="all")
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/tournaments/{tournament_id}/entries"
    body = answer.get_json()
    assert (body["entered"], body["waiting"], len(body["entries"])) == (490, 10, 500)
    assert [entry["agent_id"] for entry in body["entries"]] == [*agents, *[None] * 250]
    assert [entry["seed"] for entry in body["entries"][:3]] == [1, 2, 3]
    names = [entry["name"] for entry in body["entries"]]
    assert len(set(names)) == 500
    assert names[250:252] == ["greedy", "greedy 2"]
    statuses = [entry["status"] for entry in body["entries"]]
    assert statuses == ["entered"] * 490 + ["waiting"] * 10
    with any_site.arena.database.read() as session:
        told = session.execute(
            select(Event.kind, func.count().label("number"))
            .where(Event.kind.like("entry.%"))
            .group_by(Event.kind)
        )
        assert {row.kind: row.number for row in told} == {
            "entry.entered": 490,
            "entry.waiting": 10,
        }
        noted = session.scalar(
            select(func.count()).select_from(AuditRow).where(AuditRow.kind == "entry")
        )
        assert noted == 500
    again = bulk(organizer, tournament_id, [*wishes, *[HOUSE] * 250], key="all")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.get_data() == answer.get_data()
    # the order of the list is the order of coming
    listed = organizer.get(f"/tournaments/{tournament_id}/entries?limit=3").get_json()["items"]
    assert [entry["agent_id"] for entry in listed] == agents[:3]


def test_every_bad_one_is_named_and_nobody_enters(any_site, organizer):
    ada = any_site.caller("Ada")
    tournament_id = opened(organizer, entries_per_owner=3)
    good, other, third, fourth, asleep = (
        agent(any_site, ada, name, status)
        for name, status in [
            ("a", AgentStatus.ACTIVE),
            ("b", AgentStatus.ACTIVE),
            ("c", AgentStatus.ACTIVE),
            ("d", AgentStatus.ACTIVE),
            ("e", AgentStatus.PAUSED),
        ]
    )
    ada.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": good})
    before = any_site.counts()
    listed = [good, other, other, asleep, third, fourth]
    answer = bulk(organizer, tournament_id, [{"agent_id": one} for one in listed])
    found = pointers(problem(answer, 409, "entries_refused"))
    assert found["/entries/0/agent_id"] == "already_entered"
    assert "/entries/1/agent_id" not in found
    assert found["/entries/2/agent_id"] in ("already_entered", "owner_cap")
    codes = {error["code"] for error in answer.get_json()["errors"]}
    assert codes == {"already_entered", "agent_not_active", "owner_cap"}
    nobody = {"agent_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    mixed = bulk(organizer, tournament_id, [{"agent_id": good}, nobody, {"house_bot": "x"}])
    assert pointers(problem(mixed, 422, "invalid")) == {
        "/entries/0/agent_id": "already_entered",
        "/entries/1/agent_id": "unknown",
        "/entries/2/house_bot": "unknown",
    }
    assert any_site.counts() == before


def test_more_than_there_is_room_for_is_refused_at_the_first_too_many(any_site, organizer):
    tournament_id = opened(organizer, capacity=5, waiting_list=2)
    answer = bulk(organizer, tournament_id, [HOUSE] * 10)
    assert pointers(problem(answer, 409, "entries_refused")) == {"/entries/7": "tournament_full"}
    assert bulk(organizer, tournament_id, [HOUSE] * 7).get_json()["waiting"] == 2
    with any_site.arena.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Entry)) == 7


@pytest.mark.parametrize(
    ("entries", "pointer"),
    [
        ([], "/entries"),
        ([HOUSE] * 501, "/entries"),
        ([{}], "/entries/0"),
        ([HOUSE, {**HOUSE, "agent_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}], "/entries/1"),
        ([HOUSE, {"seed": 0, **HOUSE}], "/entries/1/seed"),
        ([HOUSE, {"name": "x", **HOUSE}], "/entries/1/name"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(site, admin, entries, pointer):
    tournament_id = opened(admin)
    assert pointer in pointers(problem(bulk(admin, tournament_id, entries), 422, "invalid"))


def test_authors_enter_their_own_and_no_others(any_site, organizer):
    ada, bea = any_site.caller("Ada"), any_site.caller("Bea")
    tournament_id = opened(organizer)
    mine, hers = agent(any_site, ada, "a"), agent(any_site, bea, "b")
    refused = bulk(ada, tournament_id, [{"agent_id": mine}, {"agent_id": hers}])
    assert pointers(problem(refused, 422, "invalid")) == {"/entries/1/agent_id": "unknown"}
    for wish in ({"agent_id": mine, "seed": 1}, HOUSE):
        problem(bulk(ada, tournament_id, [wish]), 403, "not_organizer")
    assert bulk(ada, tournament_id, [{"agent_id": mine}]).status_code == 201


def test_who_has_no_badge_does_not_get_in_with_the_others_where_one_is_required(
    any_site, organizer
):
    ada = any_site.caller("Ada")
    tournament_id = opened(organizer, badge_required=True)
    checked, unchecked = agent(any_site, ada, "checked"), agent(any_site, ada, "unchecked")
    with any_site.arena.database.begin() as session:
        session.get_one(Agent, checked).live.badge_until = utc_now() + timedelta(days=1)
    refused = bulk(ada, tournament_id, [{"agent_id": checked}, {"agent_id": unchecked}])
    assert pointers(problem(refused, 409, "entries_refused")) == {
        "/entries/1/agent_id": "badge_required"
    }
    assert bulk(ada, tournament_id, [{"agent_id": checked}]).status_code == 201


def test_a_draft_takes_nobody(site, admin):
    problem(bulk(admin, created(admin), [HOUSE]), 409, "tournament_draft")


def test_two_lists_at_once_do_not_overfill(any_site, organizer):
    tournament_id = opened(organizer, capacity=30)

    def enter(_number):
        caller = type(organizer)(any_site.app.test_client(), organizer.account_id, organizer.token)
        return bulk(caller, tournament_id, [HOUSE] * 20).status_code

    assert sorted(race(enter, 4)) == [201, 409, 409, 409]


def test_the_results_of_a_round_in_one_answer(any_site, organizer):
    tournament_id = opened(organizer, deals=5)
    bulk(organizer, tournament_id, [HOUSE] * 10)
    organizer.post(f"/tournaments/{tournament_id}/start")
    played, waiting = open_round(any_site, tournament_id)
    play(any_site, played)
    path = f"/tournaments/{tournament_id}/rounds/1/results"
    answer = any_site.stranger().get(path)
    body = answer.get_json()
    assert (body["tournament_id"], body["round"], body["status"]) == (tournament_id, 1, "running")
    assert [match["table"] for match in body["matches"]] == [1, 2]
    by_id = {match["id"]: match for match in body["matches"]}
    assert by_id[waiting]["results"] == []
    shown = organizer.get(f"/matches/{played}").get_json()["seats"]
    results = by_id[played]["results"]
    assert [seat["seat"] for seat in results] == [0, 1, 2, 3, 4]
    for seat, result in zip(shown, results, strict=True):
        for name in ("entry_id", "name", "points", "penalty"):
            assert seat[name] == result[name]
        assert result["deals"] == sum(result["places"]) == 5
    assert sum(result["points"] for result in results) == 0
    tag = answer.headers["ETag"]
    assert organizer.get(path, headers={"If-None-Match": tag}).status_code == 304
    problem(organizer.get(f"/tournaments/{tournament_id}/rounds/2/results"), 404, "not_found")
