"""The audit log over HTTP: who did what by which request, and who may read it."""

from __future__ import annotations

from baohuang.api.models import Role

from .support import pointers, problem
from .tournament_support import created, opened


def test_a_row_names_the_account_the_operation_and_the_request(any_site):
    organizer = any_site.caller("Oleg", Role.ORGANIZER)
    tournament_id = created(organizer)
    path = f"/tournaments/{tournament_id}"
    organizer.post(f"{path}/open", headers={"X-Request-Id": "opening-1"})
    page = organizer.get(f"/audit?tournament_id={tournament_id}").json
    opening, creation = page["items"]
    assert (opening["operation"], creation["operation"]) == ("open_tournament", "create_tournament")
    assert opening["request_id"] == "opening-1"
    assert opening["account_id"] == organizer.account_id
    assert opening["token_id"] is not None
    assert opening["payload"] == {"status": "open"}
    assert opening["before"] == creation["after"]


def test_what_the_server_does_itself_names_nobody(any_site):
    organizer = any_site.caller("Oleg", Role.ORGANIZER)
    admin = any_site.caller("Root", Role.ADMIN)
    items = admin.get("/audit?kind=account").json["items"]
    assert {item["object_id"] for item in items} == {organizer.account_id, admin.account_id}
    assert {item["operation"] for item in items} == {"server"}
    assert {item["account_id"] for item in items} == {None}


def test_organizers_see_their_own_and_arbiters_every_public_tournament(site):
    oleg = site.caller("Oleg", Role.ORGANIZER)
    others = site.caller("Olga", Role.ORGANIZER)
    arbiter = site.caller("Arno", Role.ARBITER)
    tournament_id = opened(oleg)
    path = f"/audit?tournament_id={tournament_id}"
    assert oleg.get(path).status_code == 200
    assert arbiter.get(path).status_code == 200
    problem(others.get(path), 403, "not_arbiter")
    problem(arbiter.get(f"/audit?tournament_id={created(oleg)}"), 404, "not_found")
    refused = problem(arbiter.get("/audit"), 422, "invalid")
    assert pointers(refused) == {"?tournament_id": "required"}


def test_the_head_is_that_of_the_last_row(site, admin):
    head = admin.get("/audit/head").json
    last = admin.get("/audit?limit=1").json["items"][0]
    assert head == {"seq": last["seq"], "hash": last["hash"]}
