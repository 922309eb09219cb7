"""Idempotency-Key: sent again, answered again, done once."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from sqlalchemy import update

from baohuang.api.models import IdempotencyKey, Role, utc_now
from baohuang.api.services import idempotency
from baohuang.api.services.principal import Principal

from ..support import problem, race

BOT = {"name": "a", "url": "http://127.0.0.1:8001"}


def test_the_same_request_again_gets_the_same_answer(author, site):
    first = author.post("/agents", json=BOT, key="k")
    again = author.post("/agents", json=BOT, key="k")
    assert first.status_code == again.status_code == 201
    assert first.get_data() == again.get_data()
    for name in ("Location", "ETag", "Content-Type"):
        assert first.headers[name] == again.headers[name]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert site.counts()["agents"] == 1


def test_without_a_key_the_work_is_done_each_time(author, site):
    for name in "ab":
        author.post("/agents", json={**BOT, "name": name})
    assert site.counts()["agents"] == 2


def test_another_body_under_the_same_key_is_422(author, site):
    author.post("/agents", json=BOT, key="k")
    response = author.post("/agents", json={**BOT, "name": "b"}, key="k")
    body = problem(response, 422, "idempotency_key_reused")
    assert body["errors"][0]["pointer"] == "Idempotency-Key"
    assert site.counts()["agents"] == 1


def test_another_operation_under_the_same_key_is_422(author):
    author.post("/agents", json=BOT, key="k")
    problem(author.post("/tokens", json={"name": "t"}, key="k"), 422, "idempotency_key_reused")


def test_keys_belong_to_accounts(author, site):
    other = site.caller("Bea")
    author.post("/agents", json=BOT, key="k")
    assert other.post("/agents", json=BOT, key="k").status_code == 201
    assert site.counts()["agents"] == 2


def test_a_refused_request_leaves_its_key_free(author, site):
    author.post("/agents", json=BOT)
    problem(author.post("/agents", json=BOT, key="k"), 409, "taken")
    assert site.counts()["idempotency_keys"] == 0
    assert author.post("/agents", json={**BOT, "name": "b"}, key="k").status_code == 201


def test_secrets_in_stored_answers_are_sealed(author, site):
    secret = author.post("/agents", json=BOT, key="k").get_json()["secret"]
    with site.arena.database.read() as session:
        assert secret.encode() not in session.query(IdempotencyKey.body).scalar()


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "x" * 256, "\t"])
def test_a_key_of_the_wrong_form_is_400(author, key, site):
    before = site.counts()
    problem(author.post("/agents", json=BOT, key=key), 400, "malformed")
    assert site.counts() == before


def test_after_a_day_a_key_is_forgotten(author, site):
    author.post("/agents", json=BOT, key="k")
    with site.arena.database.begin() as session:
        session.execute(update(IdempotencyKey).values(created_at=utc_now() - timedelta(hours=25)))
    assert author.post("/agents", json={**BOT, "name": "b"}, key="k").status_code == 201


def test_purging_forgets_what_is_older_than_a_day(author, site):
    author.post("/agents", json=BOT, key="old")
    database = site.arena.database
    with database.begin() as session:
        session.execute(update(IdempotencyKey).values(created_at=utc_now() - timedelta(hours=25)))
    author.post("/agents", json={**BOT, "name": "b"}, key="new")
    with database.begin() as session:
        assert idempotency.purge(session, utc_now()) == 1
    assert site.counts()["idempotency_keys"] == 1


def test_many_at_once_under_one_key_do_the_work_once(any_site):
    author = any_site.caller("Ada")

    def register(_number):
        caller = type(author)(any_site.app.test_client(), author.account_id, author.token)
        return caller.post("/agents", json=BOT, key="k").status_code

    answers = race(register, 8)  # as many as an account may have URLs looked at
    assert set(answers) <= {201, 409}
    assert 201 in answers
    assert any_site.counts()["agents"] == 1


def test_twenty_keys_make_twenty_rows(any_site):
    """Four callers send each of 20 requests at once, and again while they are told to wait.

    (Looking for the key before the work made 318 rows.)
    """
    keys = [f"key-{number}" for number in range(20)]
    author = any_site.caller("Ada")

    def register(_number):
        caller = type(author)(any_site.app.test_client(), author.account_id, author.token)
        return [persistent(caller, name, name) for name in keys]

    found = race(register, 4)
    assert all(answers == found[0] for answers in found)
    assert len(set(found[0])) == 20
    assert any_site.counts()["tokens"] == 1 + 20


def test_a_thousand_answers_cut_off_after_the_commit_make_a_thousand_rows(any_site):
    """Every other answer is lost on its way, once; who hears nothing asks again."""
    author = any_site.caller("Ada")
    application, cut = any_site.app.wsgi_app, set()

    def lossy(environ, start_response):
        answer = application(environ, start_response)
        key = environ.get("HTTP_IDEMPOTENCY_KEY", "")
        if key.endswith("1") and key not in cut:
            cut.add(key)
            raise ConnectionResetError
        return answer

    any_site.app.wsgi_app = lossy

    def create(number):
        caller = type(author)(any_site.app.test_client(), author.account_id, author.token)
        return [persistent(caller, f"{number}-{turn}", f"{number}-{turn % 2}-{turn}-{turn % 2}")
                for turn in range(250)]  # fmt: skip

    made = [token_id for part in race(create, 4) for token_id in part]
    assert len(cut) == 500
    assert len(set(made)) == 1000
    assert any_site.counts()["tokens"] == 1 + 1000


def persistent(caller, name, key):
    """The id of the token that a client gets which asks until it is answered."""
    for _ in range(6000):
        try:
            answer = caller.post("/tokens", json={"name": name}, key=key)
        except ConnectionResetError:
            continue
        if answer.status_code != 409:
            assert answer.status_code == 201, answer.get_data()
            return answer.get_json()["id"]
        time.sleep(0.01)  # as `Retry-After` asks, but sooner
    raise AssertionError("still in progress")


def test_while_the_first_is_being_answered_the_second_is_told_to_wait(postgres_arena, building):
    """PostgreSQL: the key is locked, not awaited. (SQLite's writers stand in a queue anyway.)"""
    site = building(postgres_arena)
    author = site.caller("Ada")
    ada = Principal(author.account_id, Role.AUTHOR, frozenset(), "Ada")
    with site.arena.database.begin() as session:
        idempotency.reserve(session, ada, "k", "0" * 64)
        response = author.post("/agents", json=BOT, key="k")
        problem(response, 409, "idempotency_key_in_progress")
        assert response.headers["Retry-After"] == "1"
