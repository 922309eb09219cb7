"""Webhooks over HTTP: register, change, pause, resume, delete, new secrets, what was sent."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from baohuang.api.models import Role, Webhook
from baohuang.api.remote import signing
from baohuang.api.remote.faults import Fault
from baohuang.api.services import deliveries, events
from baohuang.api.services.deliveries import Outcome

from .support import pointers, problem
from .tournament_support import opened

URL = "http://127.0.0.1:8001/hook"


@pytest.fixture
def owner(organizer):
    return organizer


def register(caller, **more):
    answer = caller.post("/webhooks", json={"name": "w", "url": URL, **more})
    assert answer.status_code == 201, answer.json
    return answer.headers["Location"], answer.json["secret"], answer.headers["ETag"]


def sent(site, fault=None):
    """What is due is sent, with this result."""
    vault, database = site.arena.vault, site.arena.database
    with database.begin() as session:
        batch = deliveries.claim(session, vault, 60)
    with database.begin() as session:
        outcomes = [Outcome(parcel.delivery_id, fault, 12) for parcel in batch.parcels]
        assert deliveries.record(session, batch, outcomes)
    return batch


def test_a_new_webhook_shows_its_secret_once_and_keeps_it_sealed(owner, site):
    answer = owner.post("/webhooks", json={"name": "w", "url": URL, "kinds": ["round.opened"]})
    body = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/webhooks/{body['id']}"
    assert (body["status"], body["kinds"], body["failures"]) == ("active", ["round.opened"], 0)
    assert len(signing.decode_secret(body["secret"])) == 32
    for path in ("/webhooks", answer.headers["Location"]):
        assert "whsec" not in owner.get(path).get_data(as_text=True)
    with site.arena.database.read() as session:
        stored = session.scalar(select(Webhook.secret))
    assert site.arena.vault.open(stored) == body["secret"].encode()


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://169.254.169.254/latest", "address"),
        ("http://10.0.0.1/", "address"),
        ("http://127.0.0.1:22/", "port"),
        ("http://127.0.0.1:1/", "own"),
        ("ftp://example.com/", "scheme"),
        ("http://intranet/", "name"),
    ],
)
def test_a_url_that_may_not_be_called_is_refused_with_the_rule(owner, site, url, rule):
    before = site.counts()
    answer = owner.post("/webhooks", json={"name": "w", "url": url})
    assert pointers(problem(answer, 422, "invalid")) == {"/url": f"url_{rule}"}
    assert site.counts() == before
    path, _, tag = register(owner)
    answer = owner.patch(path, json={"url": url}, if_match=tag)
    assert pointers(problem(answer, 422, "invalid")) == {"/url": f"url_{rule}"}


def test_they_are_their_owners_alone(owner, site, author):
    path, _, tag = register(owner)
    other = site.caller("Olga", Role.ORGANIZER)
    problem(author.get(path), 403, "insufficient_scope")
    problem(other.get(path), 404, "not_found")
    problem(other.patch(path, json={"name": "x"}, if_match=tag), 404, "not_found")
    problem(other.delete(path, if_match=tag), 404, "not_found")
    problem(other.get(f"{path}/deliveries"), 404, "not_found")
    for action in ("pause", "resume", "rotate-secret"):
        problem(other.post(f"{path}/{action}"), 404, "not_found")
    assert other.get("/webhooks").json["items"] == []
    reader = site.caller("Rita", Role.ORGANIZER, ["webhooks:read"])
    problem(reader.post("/webhooks", json={"name": "w", "url": URL}), 403, "insufficient_scope")
    theirs = opened(other)
    answer = owner.post("/webhooks", json={"name": "w", "url": URL, "tournament_id": theirs})
    assert pointers(problem(answer, 422, "invalid")) == {"/tournament_id": "unknown"}


def test_change_pause_resume_and_delete(owner):
    path, _, tag = register(owner)
    changed = owner.patch(path, json={"name": "x", "kinds": ["round.opened"]}, if_match=tag)
    assert (changed.json["name"], changed.json["kinds"]) == ("x", ["round.opened"])
    problem(owner.patch(path, json={"name": "y"}, if_match=tag), 412, "version_mismatch")
    for kind in ("deal.answers", "tea.ready"):
        answer = owner.patch(path, json={"kinds": [kind]}, if_match=changed.headers["ETag"])
        problem(answer, 422, "invalid")
    assert owner.post(f"{path}/pause").json["status"] == "paused"
    assert [item["status"] for item in owner.get("/webhooks?status=paused").json["items"]] == [
        "paused"
    ]
    resumed = owner.post(f"{path}/resume")
    assert resumed.json["status"] == "active"
    assert owner.delete(path, if_match=resumed.headers["ETag"]).status_code == 204
    problem(owner.get(path), 404, "not_found")


def test_a_new_secret_beside_the_old_one(owner):
    path, first, _ = register(owner)
    rotated = owner.post(f"{path}/rotate-secret")
    assert rotated.status_code == 200
    assert rotated.json["secret"] != first
    assert rotated.json["previous_secret_until"] is not None
    problem(owner.post(f"{path}/rotate-secret"), 409, "rotation_running")
    leaked = owner.post(f"{path}/rotate-secret", json={"force": True, "grace_s": 0})
    assert leaked.json["previous_secret_until"] is None


def test_the_log_of_deliveries_and_sending_again(owner, site):
    path, _, _ = register(owner)
    tournament = opened(owner)
    sent(site)
    with site.arena.database.begin() as session:
        events.tell(session, tournament, "tournament.paused")
    refused = Fault("status", "bot", "status 500 instead of 200", status=500)
    sent(site, refused)
    newest, *older = owner.get(f"{path}/deliveries").json["items"]
    assert [item["kind"] for item in older] == ["tournament.opened", "tournament.created"]
    assert {item["status"] for item in older} == {"delivered"}
    assert newest["message_id"] == f"{tournament}-3"
    assert (newest["status"], newest["attempts"], newest["last_ms"]) == ("pending", 1, 12)
    assert (newest["fault"], newest["detail"]) == ("status", refused.detail)
    assert newest["next_at"] > newest["last_at"]
    failing = owner.get(path).json
    assert failing["failures"] == 1
    pending = owner.get(f"{path}/deliveries?status=pending").json["items"]
    assert pending == [newest]
    again = owner.post(f"{path}/deliveries/{older[0]['id']}/redeliver")
    assert again.status_code == 200
    assert (again.json["status"], again.json["next_at"]) == ("pending", None)
    batch = sent(site)
    assert [parcel.message for parcel in batch.parcels] == [older[0]["message_id"]]
    problem(owner.post(f"{path}/deliveries/{tournament}/redeliver"), 404, "not_found")
    owner.post(f"{path}/pause")
    answer = owner.post(f"{path}/deliveries/{newest['id']}/redeliver")
    problem(answer, 409, "webhook_paused")


def test_twenty_at_most(owner):
    for _ in range(20):
        register(owner)
    problem(owner.post("/webhooks", json={"name": "w", "url": URL}), 409, "too_many_webhooks")
