"""Lists: what they may be asked for, and parts of what they show."""

from __future__ import annotations

import pytest

from baohuang.api.models import AgentStatus, Role

from .specification import operations
from .support import pointers, problem
from .tournament_support import agent, created, open_round, opened, play

PART = "application/vnd.baohuang.part+json"


@pytest.fixture
def organizer(any_site):
    return any_site.caller("Oleg", Role.ORGANIZER)


def names(caller, path, **options):
    answer = caller.get(path, **options)
    assert answer.status_code == 200, answer.get_data()
    return [item["name"] for item in answer.get_json()["items"]]


def test_tournaments(any_site, organizer):
    other = any_site.caller("Olga", Role.ORGANIZER)
    opened(organizer, name="Spring 100% cup", starts_at="2030-05-01T10:00:00Z")
    opened(organizer, name="保皇 autumn", rule_set="wuren", starts_at="2030-10-01T10:00:00Z")
    created(other, name="A draft_of Olga's", format="swiss", rounds=3)

    def found(query, caller=other):
        return sorted(names(caller, f"/tournaments?{query}"))

    spring, autumn, draft = "Spring 100% cup", "保皇 autumn", "A draft_of Olga's"
    assert found("name=SPRING") == [spring]
    assert found("name=%E4%BF%9D%E7%9A%87") == [autumn]
    assert found("name=100%25") == [spring]
    assert found("name=%25") == [spring]  # no wildcard
    assert found("name=_") == [draft]
    assert found("name=_", organizer) == []
    assert found("rule_set=wuren") == [autumn]
    assert found("format=swiss") == [draft]
    assert found("starts_after=2030-05-01T10:00:00Z") == [spring, autumn]
    assert found("starts_after=2030-05-01T10:00:00.001Z") == [autumn]
    assert found("starts_before=2030-05-01T10:00:00Z") == []
    assert found("starts_before=2030-10-01T12:00:00%2B02:00") == [spring]
    assert found("created_after=2100-01-01T00:00:00Z") == []
    assert len(found("created_before=2100-01-01T00:00:00Z")) == 3
    assert found(f"organizer_id={organizer.account_id}&status=open&name=a") == [autumn]
    assert found("series_id=01ARZ3NDEKTSV4RRFFQ69G5FAV") == []


def test_agents_and_entries(any_site, organizer):
    ada = any_site.caller("Ada")
    ids = [agent(any_site, ada, name) for name in ("Careful", "careless")]
    agent(any_site, ada, "Sleepy", AgentStatus.PAUSED)
    assert names(ada, "/agents?name=CARE") == ["Careful", "careless"]
    assert names(ada, "/agents?kind=http&status=paused") == ["Sleepy"]
    assert names(ada, "/agents?kind=pull") == []
    tournament_id = opened(organizer)
    path = f"/tournaments/{tournament_id}/entries"
    for one in ids:
        ada.post(path, json={"agent_id": one})
    organizer.post(path, json={"house_bot": "greedy"})
    assert names(ada, f"{path}?mine=true") == ["Careful", "careless"]
    assert names(organizer, f"{path}?mine=true") == []
    assert names(ada, f"{path}?house=true") == ["greedy"]
    assert names(ada, f"{path}?house=false&name=less") == ["careless"]
    assert names(ada, f"{path}?agent_id={ids[0]}") == ["Careful"]


def test_matches(any_site, organizer):
    tournament_id = opened(organizer, deals=5)
    path = f"/tournaments/{tournament_id}"
    for _ in range(10):
        organizer.post(f"{path}/entries", json={"house_bot": "greedy"})
    organizer.post(f"{path}/start")
    ids = open_round(any_site, tournament_id)
    play(any_site, ids[0])

    def found(query):
        return {row["id"] for row in organizer.get(f"{path}/matches?{query}").get_json()["items"]}

    seat = organizer.get(f"/matches/{ids[1]}").get_json()["seats"][2]
    assert found(f"entry_id={seat['entry_id']}") == {ids[1]}
    assert found("agent_id=01ARZ3NDEKTSV4RRFFQ69G5FAV") == set()
    assert found("round=1") == set(ids)
    assert found("finished_after=2020-01-01T00:00:00Z") == {ids[0]}
    assert found("finished_before=2020-01-01T00:00:00Z") == set()


@pytest.fixture
def listed(any_site, organizer):
    tournament_id = opened(organizer)
    for _ in range(3):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    return f"/tournaments/{tournament_id}/entries"


def test_a_list_shows_the_members_that_are_asked_for(organizer, listed):
    full = organizer.get(listed)
    part = organizer.get(f"{listed}?fields=id,name&limit=2")
    assert part.mimetype == PART
    items = full.get_json()["items"]
    wanted = [{"id": item["id"], "name": item["name"]} for item in items]
    assert part.json["items"] == wanted[:2]
    # the argument again for each is the same; the next page keeps it
    again = organizer.get(f"{listed}?fields=name&fields=id&limit=2")
    assert again.get_json() == part.get_json()
    following = part.headers["Link"].split(";")[0].strip("<>")
    assert "fields=id%2Cname" in following
    assert organizer.get(following).get_json()["items"] == wanted[2:]
    assert full.headers["ETag"] != part.headers["ETag"]
    for where, answer in ((listed, full), (f"{listed}?fields=id,name&limit=2", part)):
        for tag in {full.headers["ETag"], part.headers["ETag"]}:
            status = organizer.get(where, headers={"If-None-Match": tag}).status_code
            assert status == (304 if tag == answer.headers["ETag"] else 200)


@pytest.mark.parametrize("query", ["fields=", "fields=id,", "fields=id,secret", "fields=ID"])
def test_unknown_members_are_422(organizer, listed, query):
    assert "?fields" in pointers(problem(organizer.get(f"{listed}?{query}"), 422, "invalid"))


def test_parts_have_a_type_of_their_own(organizer, listed):
    path = f"{listed}?fields=id"
    for accept, status in [
        (PART, 200), ("*/*", 200), ("application/*", 200), ("application/json", 406),
    ]:  # fmt: skip
        assert organizer.get(path, headers={"Accept": accept}).status_code == status
    assert organizer.get(listed, headers={"Accept": PART}).status_code == 406


def test_all_big_lists_offer_it():
    offering = {str(each) for each in operations() if "fields" in each.parameters_in("query")}
    assert offering == {"list_tournaments", "list_entries", "list_matches", "list_standings"}
