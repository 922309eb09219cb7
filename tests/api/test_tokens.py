"""Bearer tokens: form, storage, life, and what they may do."""

from __future__ import annotations

import re
import string
import zlib
from datetime import datetime, timedelta

import pytest
from sqlalchemy import event, select, update

from baohuang.api.access import ROLE_SCOPES, SCOPES
from baohuang.api.models import Account, Role, Token, utc_now
from baohuang.api.services import tokens

from .support import pointers, problem


def test_the_form_is_prefix_43_characters_and_a_checksum():
    text = tokens.new_text()
    assert re.fullmatch(r"arn_pat_[0-9A-Za-z]{49}", text)
    body, check = text[8:51], text[51:]
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    value = 0
    for letter in check:
        value = value * 62 + digits.index(letter)
    assert value == zlib.crc32(body.encode())


def test_no_two_are_alike():
    assert len({tokens.new_text() for _ in range(1000)}) == 1000


def test_every_single_typing_error_is_found_before_the_database_is_asked(site, author):
    asked = []
    event.listen(site.arena.database.engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    wrong = [
        author.token[:place] + letter + author.token[place + 1 :]
        for place in range(8, len(author.token))
        for letter in "0Zz"
        if letter != author.token[place]
    ]
    for text in wrong:
        caller = type(author)(author.client, token=text)
        problem(caller.get("/agents"), 401, "invalid_token")
    assert not [statement for statement in asked if "tokens" in statement]


def test_only_the_digest_is_stored(site, author):
    with site.arena.database.read() as session:
        stored = [str(value) for row in session.execute(select(Token.__table__)) for value in row]
    assert not [value for value in stored if author.token[14:] in value]
    assert author.token[:12] in stored


@pytest.mark.parametrize(
    "header",
    ["Basic QTpC", "Bearer", "Bearer ", "bearer x", "Token a", "Bearer a b", "é", "Bearer ."],
)
def test_what_is_no_token_of_ours_is_401(site, header):
    response = site.stranger().get("/agents", headers={"Authorization": header})
    problem(response, 401, "invalid_token")
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]


def test_a_token_sent_to_a_public_operation_must_be_valid(site):
    response = site.stranger().get("/rule-sets", headers={"Authorization": "Bearer nope"})
    problem(response, 401, "invalid_token")


def change(site, **values):
    with site.arena.database.begin() as session:
        session.execute(update(Token).values(**values))


def test_an_expired_token_is_refused(site, author):
    change(site, expires_at=utc_now() - timedelta(seconds=1))
    problem(author.get("/agents"), 401, "invalid_token")


def test_a_revoked_token_is_refused_at_once(site, author):
    own = author.get("/tokens").get_json()["items"][0]
    response = author.post(f"/tokens/{own['id']}/revoke")
    assert response.get_json()["revoked_at"] is not None
    problem(author.get("/agents"), 401, "invalid_token")


def test_revoking_again_changes_nothing(author):
    made = author.post("/tokens", json={"name": "t"}).headers["Location"]
    first = author.post(f"{made}/revoke")
    again = author.post(f"{made}/revoke")
    assert again.get_json() == first.get_json()
    assert again.headers["ETag"] == first.headers["ETag"]


def test_a_new_token_can_only_read_unless_asked(author):
    made = author.post("/tokens", json={"name": "t"})
    assert made.get_json()["scopes"] == ["agents:read", "tournaments:read"]
    assert made.headers["Location"] == f"/api/v1/tokens/{made.get_json()['id']}"


def test_a_token_lives_ninety_days_unless_asked(author):
    body = author.post("/tokens", json={"name": "t"}).get_json()
    assert body["created_at"][:10] < body["expires_at"][:10]
    other = author.post("/tokens", json={"name": "t", "days": 1}).get_json()
    assert other["expires_at"] < body["expires_at"]


def until(caller):
    """When the token that a caller shows ends, as the API says it."""
    (own,) = [t for t in caller.get("/tokens").json["items"] if caller.token.startswith(t["hint"])]
    return own["expires_at"]


def expiring(site, caller, **left):
    """The caller's token has so much time left, of a life that began long ago."""
    now = utc_now()
    change(site, created_at=now - timedelta(days=89), expires_at=now + timedelta(**left))
    return until(caller)


def test_what_a_token_makes_ends_with_it_at_the_latest(site, author):
    end = expiring(site, author, minutes=5)
    for more in ({"days": 366}, {}):
        made = author.post("/tokens", json={"name": "t", **more}).json
        assert (made["expires_at"], made["ends_by"]) == (end, end)
    shorter = expiring(site, author, days=60)
    made = author.post("/tokens", json={"name": "t", "days": 1}).json
    assert made["expires_at"] < shorter == made["ends_by"]


def test_nor_does_whatever_replaces_that_live_longer(site, author):
    end = expiring(site, author, hours=2)
    made = author.post("/tokens", json={"name": "t", "scopes": ["tokens:write"]}).json
    for _ in range(2):
        caller = type(author)(author.client, author.account_id, made["token"])
        made = caller.post(f"/tokens/{made['id']}/rotate").json
        assert (made["expires_at"], made["ends_by"]) == (end, end)


def test_a_token_that_was_given_out_is_replaced_by_one_that_lives_as_long_again(site, author):
    old = author.get("/tokens").json["items"][0]
    expiring(site, author, minutes=5)
    new = author.post(f"/tokens/{old['id']}/rotate", json={"grace_s": 60}).json
    left = datetime.fromisoformat(new["expires_at"]) - utc_now()
    assert timedelta(days=88) < left <= timedelta(days=90)
    assert new["ends_by"] is None
    old = author.get(f"/tokens/{old['id']}").json
    assert old["ends_by"] == old["expires_at"]
    again = author.post(f"/tokens/{old['id']}/rotate", json={"grace_s": 60}).json
    assert again["expires_at"] <= old["expires_at"]  # once, while its grace lasts


def test_a_token_that_ends_soon_gets_no_long_life_out_of_another_one(site, author):
    long = author.get("/tokens").json["items"][0]
    made = author.post("/tokens", json={"name": "t", "scopes": long["scopes"], "days": 1}).json
    short = type(author)(author.client, author.account_id, made["token"])
    new = short.post(f"/tokens/{long['id']}/rotate").json
    assert (new["expires_at"], new["ends_by"]) == (made["expires_at"], made["expires_at"])


def test_an_admin_gives_out_what_lives_longer_but_not_to_himself(site, author, admin):
    end = expiring(site, admin, minutes=5)
    path = "/accounts/{}/tokens"
    theirs = admin.post(path.format(author.account_id), json={"name": "t", "days": 90}).json
    assert theirs["expires_at"] > end
    assert theirs["ends_by"] is None
    own = admin.post(path.format(admin.account_id), json={"name": "t", "days": 90}).json
    assert (own["expires_at"], own["ends_by"]) == (end, end)
    rotated = admin.post(f"/tokens/{theirs['id']}/rotate").json
    assert rotated["expires_at"] > end


@pytest.mark.parametrize("days", [0, 367, -1, 1.5, "90", True])
def test_other_lives_are_refused(author, days):
    response = author.post("/tokens", json={"name": "t", "days": days})
    assert set(pointers(problem(response, 422, "invalid"))) == {"/days"}


def test_a_token_makes_no_stronger_one(site):
    weak = site.caller("Wim", Role.ORGANIZER, ["tokens:write", "agents:read"])
    response = weak.post("/tokens", json={"name": "t", "scopes": ["tournaments:write"]})
    problem(response, 403, "insufficient_scope")


def test_not_even_one_that_reads_where_it_could_not(site):
    caller = site.caller("Rita", scopes=["tokens:write"])
    made = caller.post("/tokens", json={"name": "mine"})
    assert made.status_code == 201
    assert made.json["scopes"] == []


def test_no_token_goes_beyond_its_role(site, admin):
    author = site.caller("Ada")
    path = f"/accounts/{author.account_id}/tokens"
    response = admin.post(path, json={"name": "t", "scopes": ["tournaments:write"]})
    assert pointers(problem(response, 422, "invalid")) == {"/scopes": "scope"}


def test_a_token_loses_what_its_role_loses(site, admin):
    organizer = site.caller("Oleg", Role.ORGANIZER)
    assert "tournaments:write" in organizer.get("/accounts/me").get_json()["scopes"]
    account = f"/accounts/{organizer.account_id}"
    tag = admin.get(account).headers["ETag"]
    assert admin.patch(account, json={"role": "author"}, if_match=tag).status_code == 200
    assert "tournaments:write" not in organizer.get("/accounts/me").get_json()["scopes"]


def test_rotation_gives_a_successor_and_ends_the_old_one(author):
    old = author.get("/tokens").get_json()["items"][0]
    response = author.post(f"/tokens/{old['id']}/rotate")
    new = response.get_json()
    assert response.status_code == 201
    assert response.headers["Location"].endswith(new["id"])
    assert (new["name"], new["scopes"]) == (old["name"], old["scopes"])
    problem(author.get("/agents"), 401, "invalid_token")
    successor = type(author)(author.client, author.account_id, new["token"])
    assert successor.get("/agents").status_code == 200


def test_a_grace_lets_the_old_token_go_on(author):
    old = author.get("/tokens").get_json()["items"][0]
    assert author.post(f"/tokens/{old['id']}/rotate", json={"grace_s": 60}).status_code == 201
    assert author.get("/agents").status_code == 200
    assert author.get(f"/tokens/{old['id']}").get_json()["expires_at"] < old["expires_at"]


def test_a_grace_is_at_most_a_day(author):
    old = author.get("/tokens").get_json()["items"][0]
    response = author.post(f"/tokens/{old['id']}/rotate", json={"grace_s": 86401})
    assert set(pointers(problem(response, 422, "invalid"))) == {"/grace_s"}


def test_rotation_gives_no_stronger_token_than_the_asking_one(site):
    strong = site.caller("Ada")
    own = strong.get("/tokens").get_json()["items"][0]
    weak = strong.post("/tokens", json={"name": "t", "scopes": ["tokens:write"]}).get_json()
    caller = type(strong)(strong.client, strong.account_id, weak["token"])
    problem(caller.post(f"/tokens/{own['id']}/rotate"), 403, "insufficient_scope")


def test_an_ended_token_is_not_rotated(author):
    made = author.post("/tokens", json={"name": "t"}).headers["Location"]
    author.post(f"{made}/revoke")
    problem(author.post(f"{made}/rotate"), 409, "token_ended")


def test_tokens_of_others_do_not_exist(site, author):
    other = site.caller("Bea")
    own = author.get("/tokens").get_json()["items"][0]
    for path in (f"/tokens/{own['id']}/revoke", f"/tokens/{own['id']}/rotate"):
        problem(other.post(path), 404, "not_found")
    problem(other.get(f"/tokens/{own['id']}"), 404, "not_found")
    assert [item["account_id"] for item in other.get("/tokens").get_json()["items"]] == [
        other.account_id
    ]


def test_texts_are_shown_once(author):
    made = author.post("/tokens", json={"name": "t"})
    text = made.get_json()["token"]
    for path in ("/tokens", made.headers["Location"]):
        assert text not in author.get(path).get_data(as_text=True)


def test_last_use_is_written_down_every_five_minutes_at_most(site, author):
    def last_used():
        with site.arena.database.read() as session:
            return session.scalar(select(Token.last_used_at))

    author.get("/agents")
    first = last_used()
    author.get("/agents")
    assert last_used() == first
    change(site, last_used_at=first - timedelta(minutes=6))
    author.get("/agents")
    assert last_used() >= first


def test_roles_and_scopes_fit_together():
    assert set(ROLE_SCOPES) == set(Role)
    assert all(scopes <= set(SCOPES) for scopes in ROLE_SCOPES.values())
    assert ROLE_SCOPES[Role.ADMIN] == set(SCOPES)
    assert ROLE_SCOPES[Role.AUTHOR] < ROLE_SCOPES[Role.ORGANIZER]
    assert "admin" not in ROLE_SCOPES[Role.ARBITER] | ROLE_SCOPES[Role.ORGANIZER]


def test_tokens_never_reach_the_log(site, author, caplog):
    author.get("/agents")
    author.post("/tokens", json={"name": "t"})
    assert author.token not in caplog.text


def test_who_am_i(author, site):
    me = author.get("/accounts/me").get_json()
    assert me == {
        "account_id": author.account_id,
        "name": "Ada",
        "role": "author",
        "scopes": sorted(ROLE_SCOPES[Role.AUTHOR]),
    }
    problem(site.stranger().get("/accounts/me"), 401, "unauthorized")


def test_accounts_are_for_admins(site, author, admin):
    made = admin.post("/accounts", json={"name": "New", "role": "organizer"})
    assert made.status_code == 201
    assert admin.get(made.headers["Location"]).get_json() == made.get_json()
    problem(admin.post("/accounts", json={"name": "New", "role": "author"}), 409, "taken")
    problem(author.get("/accounts"), 403, "insufficient_scope")
    problem(author.get(f"/accounts/{author.account_id}"), 403, "insufficient_scope")
    assert {row["name"] for row in admin.get("/accounts").get_json()["items"]} >= {"Ada", "New"}
    with site.arena.database.read() as session:
        assert session.scalar(select(Account.role).where(Account.name == "New")) == "organizer"


@pytest.mark.parametrize("name", ["", " Ada", "Ada ", "A\nB", "\u202eadA", "x" * 101])
def test_names_that_deceive_are_refused(admin, name):
    response = admin.post("/accounts", json={"name": name, "role": "author"})
    assert set(pointers(problem(response, 422, "invalid"))) == {"/name"}
