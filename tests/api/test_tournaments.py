"""Tournaments over HTTP: what is refused, what counts once, and the whole trip."""

from __future__ import annotations

from datetime import datetime

import orjson
import pytest
from sqlalchemy import select

from baohuang.api.models import AgentStatus, Role, Round, Tournament
from baohuang.engine.draw import commitment
from baohuang.engine.record import verify

from .support import problem
from .tournament_support import (
    MINIMAL,
    agent,
    close_rounds,
    created,
    open_round,
    opened,
    play,
    play_round,
)


def test_the_whole_trip_from_a_draft_to_standings(any_site):
    site = any_site
    organizer, reader = site.caller("Oleg", Role.ORGANIZER), site.stranger()
    tournament_id = opened(organizer, rounds=2, deals=1)
    for bot in ("random", "greedy", "autoplay", "random", "greedy", "greedy"):
        entered = organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": bot})
        assert entered.status_code == 201
    assert organizer.post(f"/tournaments/{tournament_id}/start").json["status"] == "running"
    for _ in range(2):
        assert len(play_round(site, tournament_id)) == 2

    ended = reader.get(f"/tournaments/{tournament_id}").json
    assert ended["status"] == "finished"
    assert commitment(bytes.fromhex(ended["draw"]["secret"])) == ended["draw"]["commitment"]
    table = reader.get(f"/tournaments/{tournament_id}/standings").json["items"]
    assert len(table) == 10
    assert sum(row["points"] for row in table) == 0
    stream = reader.get(f"/tournaments/{tournament_id}/records")
    assert stream.content_type == "application/x-ndjson"
    lines = stream.data.splitlines()
    assert len(lines) == 4
    totals = dict.fromkeys((row["name"] for row in table), 0)
    for line in lines:
        record = orjson.loads(line)
        verify(record)
        for name, total in zip(record["seats"], record["totals"], strict=True):
            totals[name] += total
    assert {row["name"]: row["points"] for row in table} == totals


def test_a_new_tournament_is_a_draft_with_its_rules_resolved(site, organizer):
    answer = organizer.post("/tournaments", json={**MINIMAL, "overrides": {"grab": True}})
    made = answer.json
    assert answer.headers["Location"] == f"/api/v1/tournaments/{made['id']}"
    assert answer.headers["ETag"].startswith('"1-')
    assert (made["status"], made["organizer_id"]) == ("draft", organizer.account_id)
    assert made["rules"]["preset"] == "lianzhong-simple"
    assert made["rules"]["options"]["grab"] is True
    assert made["rules"]["options"]["rebellion"] is True
    assert (made["rounds"], made["deals"], made["format"]) == (None, 10, "round_robin")
    assert made["draw"]["secret"] is None
    assert made["created_at"].endswith("Z")
    assert datetime.fromisoformat(made["created_at"]).tzinfo is not None


BAD_SETTINGS = [
    ({}, "/name", "required"),
    ({"name": "x"}, "/rule_set", "required"),
    ({**MINIMAL, "colour": "red"}, "/colour", "unknown"),
    ({**MINIMAL, "name": ""}, "/name", None),
    ({**MINIMAL, "name": 7}, "/name", None),
    ({**MINIMAL, "name": "x" * 121}, "/name", None),
    ({**MINIMAL, "name": "two\nlines"}, "/name", None),
    ({**MINIMAL, "rule_set": "mahjong"}, "/rule_set", "unknown"),
    ({**MINIMAL, "overrides": []}, "/overrides", None),
    ({**MINIMAL, "overrides": {"colour": 1}}, "/overrides/colour", None),
    ({**MINIMAL, "overrides": {"grab": "yes"}}, "/overrides/grab", None),
    ({**MINIMAL, "overrides": {"callable": "any"}}, "/overrides/callable", "rule_set"),
    ({**MINIMAL, "format": "knockout!"}, "/format", "unknown"),
    ({**MINIMAL, "format_options": "none"}, "/format_options", None),
    ({**MINIMAL, "format_options": {"fill": ["bye"]}}, "/format_options/fill", "format"),
    ({**MINIMAL, "rounds": 0}, "/rounds", None),
    ({**MINIMAL, "rounds": 2.5}, "/rounds", None),
    ({**MINIMAL, "rounds": "2"}, "/rounds", None),
    ({**MINIMAL, "rounds": True}, "/rounds", None),
    ({**MINIMAL, "deals": 10**12}, "/deals", None),
    ({**MINIMAL, "capacity": 4}, "/capacity", None),
    ({**MINIMAL, "budget_ms": -1}, "/budget_ms", None),
    ({**MINIMAL, "bank_ms": None}, "/bank_ms", "null"),
    ({**MINIMAL, "round_interval_s": -1}, "/round_interval_s", None),
    ({**MINIMAL, "house_bot": "grandmaster"}, "/house_bot", "unknown"),
    ({**MINIMAL, "tie_breaks": ["beauty"]}, "/tie_breaks", "unknown"),
    ({**MINIMAL, "tie_breaks": "lot"}, "/tie_breaks", None),
    ({**MINIMAL, "starts_at": "tomorrow"}, "/starts_at", None),
    ({**MINIMAL, "starts_at": "2020-01-01T00:00:00Z"}, "/starts_at", "past"),
    ({**MINIMAL, "starts_at": "2030-01-01T00:00:00"}, "/starts_at", None),
    ({**MINIMAL, "id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/id", "unknown"),
    ({**MINIMAL, "status": "running"}, "/status", "unknown"),
]


@pytest.mark.parametrize(("body", "pointer", "code"), BAD_SETTINGS)
def test_a_wrong_draft_is_refused_at_its_field_and_nothing_is_made(
    site, organizer, body, pointer, code
):
    before = site.counts()
    answer = organizer.post("/tournaments", json=body)
    assert answer.status_code == 422
    errors = {error["pointer"]: error["code"] for error in answer.json["errors"]}
    assert pointer in errors
    assert code is None or errors[pointer] == code
    assert site.counts() == before


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [case for case in BAD_SETTINGS if case[2] != "required" and "name" in case[0]],
)
def test_a_wrong_change_is_refused_at_its_field_and_nothing_changes(
    site, organizer, body, pointer, code
):
    tournament_id = created(organizer)
    before = organizer.get(f"/tournaments/{tournament_id}")
    answer = organizer.patch(
        f"/tournaments/{tournament_id}", json=body, if_match=before.headers["ETag"]
    )
    assert answer.status_code == 422
    assert pointer in {error["pointer"] for error in answer.json["errors"]}
    assert organizer.get(f"/tournaments/{tournament_id}").data == before.data


def test_a_change_needs_the_version_that_it_is_based_on(site, organizer):
    tournament_id = created(organizer)
    path = f"/tournaments/{tournament_id}"
    first = organizer.get(path).headers["ETag"]
    assert organizer.patch(path, json={"rounds": 3}).status_code == 428
    changed = organizer.patch(path, json={"rounds": 3}, if_match=first)
    assert (changed.status_code, changed.json["rounds"]) == (200, 3)
    assert organizer.patch(path, json={"rounds": 4}, if_match=first).status_code == 412
    assert organizer.get(path).json["rounds"] == 3
    again = organizer.patch(path, json={"rounds": 4}, if_match=changed.headers["ETag"])
    assert again.json["rounds"] == 4


def test_authors_create_nothing_and_strangers_neither(site, author):
    assert author.post("/tournaments", json=MINIMAL).status_code == 403
    assert site.stranger().post("/tournaments", json=MINIMAL).status_code == 401
    assert site.counts()["tournaments"] == 0


@pytest.mark.parametrize("action", ["open", "start", "pause", "resume", "cancel"])
def test_tournaments_of_others_are_not_moved(site, organizer, action):
    other = site.caller("Olga", Role.ORGANIZER)
    draft, public = created(organizer), opened(organizer)
    assert other.post(f"/tournaments/{draft}/{action}").status_code == 404
    refused = other.post(f"/tournaments/{public}/{action}")
    assert (refused.status_code, refused.json["code"]) == (403, "not_organizer")
    assert other.post(f"/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV/{action}").status_code == 404
    assert organizer.get(f"/tournaments/{public}").json["status"] == "open"


@pytest.mark.parametrize("action", ["start", "pause", "resume"])
def test_a_move_in_the_wrong_state_names_the_state(site, organizer, action):
    tournament_id = created(organizer)
    refused = organizer.post(f"/tournaments/{tournament_id}/{action}")
    assert (refused.status_code, refused.json["code"]) == (409, "tournament_draft")
    assert refused.json["errors"][0]["pointer"] == "/status"
    assert "draft" in refused.json["errors"][0]["detail"]


def test_drafts_are_seen_by_their_organizer_alone(site, organizer, author):
    tournament_id = created(organizer)
    for reader in (author, site.stranger(), site.caller("Olga", Role.ORGANIZER)):
        assert reader.get("/tournaments").json["items"] == []
        for path in ("", "/entries", "/rounds", "/matches", "/standings", "/records"):
            assert reader.get(f"/tournaments/{tournament_id}{path}").status_code == 404
    assert [item["id"] for item in organizer.get("/tournaments").json["items"]] == [tournament_id]


def test_the_same_key_starts_once_and_answers_alike(site, organizer):
    tournament_id = opened(organizer)
    organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    path = f"/tournaments/{tournament_id}/start"
    first, second = (organizer.post(path, key="k-1") for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.data == second.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert organizer.post(path).status_code == 409


def test_the_same_key_creates_once(site, organizer):
    first, second = (organizer.post("/tournaments", json=MINIMAL, key="k-2") for _ in range(2))
    assert first.json["id"] == second.json["id"]
    assert site.counts()["tournaments"] == 1


def test_lists_come_in_pages_newest_first_and_filtered(site, organizer):
    ids = [opened(organizer, name=f"Cup {number}") for number in range(5)]
    organizer.post(f"/tournaments/{ids[2]}/entries", json={"house_bot": "greedy"})
    organizer.post(f"/tournaments/{ids[2]}/cancel")
    got, path = [], "/tournaments?limit=2"
    while path:
        page = site.stranger().get(path).json
        got += [item["id"] for item in page["items"]]
        path = f"/tournaments?limit=2&cursor={page['next']}" if page["next"] else ""
    assert got == ids[::-1]
    cancelled = site.stranger().get("/tournaments?status=cancelled").json["items"]
    assert [item["id"] for item in cancelled] == [ids[2]]
    none = site.stranger().get("/tournaments?organizer_id=01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert none.json["items"] == []
    assert site.stranger().get("/tournaments?status=asleep").status_code == 422
    assert site.stranger().get("/tournaments?colour=red").status_code == 422


# -- entries --------------------------------------------------------------------------------------


def test_an_author_enters_and_withdraws_an_agent(site, organizer, author):
    tournament_id, wolf = opened(organizer), agent(site, author, "wolf")
    entered = author.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": wolf})
    assert entered.status_code == 201
    assert (entered.json["name"], entered.json["house_bot"]) == ("wolf", None)
    path = entered.headers["Location"]
    assert site.stranger().get(path).json == entered.json
    assert author.delete(path).status_code == 428
    assert author.delete(path, if_match='"9-aa"').status_code == 412
    assert author.delete(path, if_match=entered.headers["ETag"]).status_code == 204
    assert author.get(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, ""),
        ({"agent_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "house_bot": "greedy"}, ""),
        ({"agent_id": "wolf"}, "/agent_id"),
        ({"agent_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/agent_id"),
        ({"agent_id": None}, "/agent_id"),
        ({"house_bot": 5}, "/house_bot"),
        ({"house_bot": "grandmaster"}, "/house_bot"),
        ({"name": "wolf"}, "/name"),
    ],
)
def test_a_wrong_entry_is_refused_at_its_field(site, organizer, body, pointer):
    tournament_id = opened(organizer)
    before = site.counts()
    answer = organizer.post(f"/tournaments/{tournament_id}/entries", json=body)
    assert answer.status_code == 422
    assert pointer in {error["pointer"] for error in answer.json["errors"]}
    assert site.counts() == before


def test_entries_meet_the_state_of_agent_and_tournament(site, organizer, author):
    draft, public = created(organizer), opened(organizer)
    wolf, fox = agent(site, author, "wolf"), agent(site, author, "fox", AgentStatus.PAUSED)
    cases = [
        (draft, wolf, 404, "not_found"),
        (public, fox, 409, "agent_not_active"),
        (public, wolf, 201, None),
        (public, wolf, 409, "already_entered"),
    ]
    for tournament_id, agent_id, status, code in cases:
        body = {"agent_id": agent_id}
        answer = author.post(f"/tournaments/{tournament_id}/entries", json=body)
        assert (answer.status_code, answer.json.get("code")) == (status, code)
    organizer.post(f"/tournaments/{public}/start")
    late = agent(site, author, "late")
    answer = author.post(f"/tournaments/{public}/entries", json={"agent_id": late})
    assert (answer.status_code, answer.json["code"]) == (409, "tournament_running")


# -- what is shown while it runs ------------------------------------------------------------------


@pytest.fixture
def running(site, organizer, author):
    """Two of three rounds played, the third one opened: its id and all match ids."""
    tournament_id = opened(organizer, rounds=3, deals=1)
    for name in ("wolf", "fox"):
        body = {"agent_id": agent(site, author, name)}
        assert author.post(f"/tournaments/{tournament_id}/entries", json=body).status_code == 201
    organizer.post(f"/tournaments/{tournament_id}/start")
    ids = [match_id for _ in range(2) for match_id in play_round(site, tournament_id)]
    return tournament_id, [*ids, *open_round(site, tournament_id)]


def paths_of(tournament_id, ids):
    yield "/tournaments"
    yield f"/tournaments/{tournament_id}"
    for noun in ("entries", "rounds", "rounds/1", "rounds/1/tables", "matches", "records"):
        yield f"/tournaments/{tournament_id}/{noun}"
    for query in ("", "?house=false", "?as_of=1"):
        yield f"/tournaments/{tournament_id}/standings{query}"
    for match_id in ids:
        yield f"/matches/{match_id}"


def test_nothing_that_is_shown_tells_the_secret_a_key_or_a_hidden_card(site, running):
    tournament_id, ids = running
    with site.arena.database.read() as session:
        sealed = session.get_one(Tournament, tournament_id).secret
    secret = site.arena.vault.open(sealed).hex()
    for path in [*paths_of(tournament_id, ids), f"/matches/{ids[0]}/record"]:
        answer = site.stranger().get(path)
        assert answer.status_code == 200, path
        assert secret not in answer.text, path
        assert "whsec_" not in answer.text, path
    record = site.stranger().get(f"/matches/{ids[0]}/record").json
    assert record["draw"]["key"] is None
    for reader in (site.stranger(), site.caller("Root", Role.ADMIN)):
        hidden = reader.get(f"/matches/{ids[-1]}/record")
        assert (hidden.status_code, hidden.json["code"]) == (409, "match_queued")
        assert "hands" not in reader.get(f"/matches/{ids[-1]}").text


def test_everything_has_an_etag_and_is_not_sent_twice(site, running):
    for path in paths_of(*running):
        if path.endswith("/records"):
            continue  # a stream has no tag
        tag = site.stranger().get(path).headers["ETag"]
        again = site.stranger().get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b""), path


def test_standings_get_a_new_tag_with_the_next_result(site, running):
    tournament_id, ids = running
    path = f"/tournaments/{tournament_id}/standings"
    tag = site.stranger().get(path).headers["ETag"]
    play(site, ids[-1])
    close_rounds(site)
    again = site.stranger().get(path, headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert {row["rounds"] for row in again.json["items"]} == {3}


def test_standings_mark_house_bots_and_leave_them_out_on_demand(site, running):
    tournament_id, _ = running
    everybody = site.stranger().get(f"/tournaments/{tournament_id}/standings").json["items"]
    assert {row["name"]: row["house"] for row in everybody} == {
        "wolf": False, "fox": False, "greedy": True, "greedy 2": True, "greedy 3": True,
    }  # fmt: skip
    path = f"/tournaments/{tournament_id}/standings?house=false"
    guests = site.stranger().get(path).json["items"]
    assert [row["rank"] for row in guests] == [1, 2]
    assert {row["name"] for row in guests} == {"wolf", "fox"}


def test_standings_come_in_pages(site, running):
    tournament_id, _ = running
    base = f"/tournaments/{tournament_id}/standings"
    whole = site.stranger().get(base).json["items"]
    got, path = [], f"{base}?limit=2"
    while path:
        page = site.stranger().get(path).json
        got += page["items"]
        path = f"{base}?limit=2&cursor={page['next']}" if page["next"] else ""
    assert got == whole


@pytest.mark.parametrize(
    "query",
    [
        "as_of=0",
        "as_of=x",
        "as_of=99",
        "house=maybe",
        "house=1",
        "round=1",
        "cursor=abc",
        "limit=0",
    ],
)
def test_wrong_arguments_of_standings_are_named(site, running, query):
    tournament_id, _ = running
    answer = site.stranger().get(f"/tournaments/{tournament_id}/standings?{query}")
    assert answer.status_code == 422
    assert answer.json["errors"][0]["pointer"] == f"?{query.partition('=')[0]}"


def test_a_ladder_that_goes_on_for_years_can_be_read_to_its_last_round(site, organizer):
    tournament_id = opened(organizer, format="ladder", capacity=5, late_entry_round=1_000_000)
    organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "random"})
    organizer.post(f"/tournaments/{tournament_id}/start")
    play_round(site, tournament_id)
    with site.arena.database.begin() as session:
        played = session.scalars(select(Round).where(Round.tournament_id == tournament_id)).one()
        played.number = 40_001  # as if it were the last of many
    base, stranger = f"/tournaments/{tournament_id}", site.stranger()
    assert stranger.get(f"{base}/rounds/40001").json["number"] == 40_001
    assert len(stranger.get(f"{base}/rounds/40001/tables").json["items"]) == 1
    assert stranger.get(f"{base}/rounds/40001/results").status_code == 200
    assert stranger.get(f"{base}/standings?as_of=40001").status_code == 200
    page = site.app.test_client().get(f"/tournaments/{tournament_id}/rounds/40001")
    assert page.status_code == 200
    entry_id = stranger.get(f"{base}/entries").json["items"][0]["id"]
    ruling = {"kind": "adjust", "entry_id": entry_id, "round": 40_001, "points": 1, "reason": "x"}
    assert organizer.post(f"{base}/rulings", json=ruling).status_code == 201


def test_faults_are_not_for_everybody(site, organizer, author, running):
    _, ids = running
    path = f"/matches/{ids[0]}/faults"
    assert site.stranger().get(path).status_code == 401
    assert site.caller("Eve").get(path).status_code == 403
    for reader in (organizer, author):
        assert reader.get(path).json["items"] == []


def test_a_withdrawal_after_the_start_marks_the_entry(site, author, running):
    tournament_id, _ = running
    path = f"/tournaments/{tournament_id}/entries"
    wolf = next(e for e in site.stranger().get(path).json["items"] if e["name"] == "wolf")
    tag = site.stranger().get(f"/entries/{wolf['id']}").headers["ETag"]
    assert author.delete(f"/entries/{wolf['id']}", if_match=tag).status_code == 204
    assert site.stranger().get(f"/entries/{wolf['id']}").json["status"] == "withdrawn"
    table = site.stranger().get(f"/tournaments/{tournament_id}/standings").json["items"]
    assert {row["name"]: row["status"] for row in table}["wolf"] == "withdrawn"
    assert sum(row["points"] for row in table) == 0


def test_a_single_table_is_seated_by_hand_over_http(site, organizer):
    """Tried, ruled and drawn: the table is there as it was given, the others move."""
    tournament_id = opened(organizer, rounds=2, deals=1, format="swiss")
    path = f"/tournaments/{tournament_id}"
    for _ in range(10):
        organizer.post(f"{path}/entries", json={"house_bot": "greedy"})
    organizer.post(f"{path}/start")
    play_round(site, tournament_id)
    items = organizer.get(f"{path}/rounds/1/tables").json["items"]
    first, second = ([seat["entry_id"] for seat in table["seats"]] for table in items)
    five = [*first[:3], *second[:2]]
    ask = {"kind": "seat", "reason": "asked for", "tables": [five], "others": "drawn"}
    tried = organizer.post(f"{path}/rulings/dry-run", json=ask).json["seating"]
    assert five in tried["after"]["tables"]
    made = organizer.post(f"{path}/rulings", json=ask)
    assert made.json["details"]["others"] == "drawn"
    open_round(site, tournament_id)
    drawn = organizer.get(f"{path}/rounds/2/tables").json["items"]
    assert [[seat["entry_id"] for seat in table["seats"]] for table in drawn] == tried["after"][
        "tables"
    ]
    wrong = organizer.post(f"{path}/rulings", json={**ask, "kind": "annul"})
    problem(wrong, 422, "invalid")


def test_pause_and_resume_over_http(site, organizer, running):
    tournament_id, ids = running
    assert organizer.post(f"/tournaments/{tournament_id}/pause").json["status"] == "paused"
    refused = organizer.post(f"/tournaments/{tournament_id}/pause")
    assert refused.json["code"] == "tournament_paused"
    assert organizer.post(f"/tournaments/{tournament_id}/resume").json["status"] == "running"
    play(site, ids[-1])


def test_an_organizer_ends_a_ladder_over_http(site, organizer):
    settings = {"format": "ladder", "capacity": 5, "ending": "after_appeals", "deals": 1}
    tournament_id = opened(organizer, **settings)
    path = f"/tournaments/{tournament_id}"
    organizer.post(f"{path}/entries", json={"house_bot": "random"})
    organizer.post(f"{path}/start")
    problem(organizer.post(f"{path}/finish"), 409, "nothing_played")
    open_round(site, tournament_id)
    asked = organizer.post(f"{path}/finish", json={"rest": "cancel"}).json
    assert (asked["status"], asked["last_round"], asked["finishes_at"]) == ("running", 1, None)
    close_rounds(site)
    held = organizer.get(path).json
    assert (held["status"], held["ending"], held["draw"]["secret"]) == (
        "running", "after_appeals", None,
    )  # fmt: skip
    assert held["finishes_at"] > asked["started_at"]
    ended = organizer.post(f"{path}/finish").json
    assert (ended["status"], ended["finishes_at"]) == ("finished", None)
    assert len(ended["draw"]["secret"]) == 64
    problem(organizer.post(f"{path}/finish"), 409, "tournament_finished")


def test_a_cancelled_tournament_shows_its_secret(site, organizer, running):
    tournament_id, ids = running
    ended = organizer.post(f"/tournaments/{tournament_id}/cancel").json
    assert ended["status"] == "cancelled"
    assert commitment(bytes.fromhex(ended["draw"]["secret"])) == ended["draw"]["commitment"]
    assert site.stranger().get(f"/matches/{ids[-1]}").json["status"] == "cancelled"
    refused = site.stranger().get(f"/matches/{ids[-1]}/record")
    assert (refused.status_code, refused.json["code"]) == (409, "match_cancelled")
    verify(site.stranger().get(f"/matches/{ids[0]}/record").json)
