"""Idempotency-Key: sent again, answered again, done once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from baohuang.api.models import IdempotencyKey, Role, utc_now
from baohuang.api.services import idempotency
from baohuang.api.services.principal import Principal

from ..conftest import build
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

    answers = race(register, 12)
    assert set(answers) <= {201, 409}
    assert 201 in answers
    assert any_site.counts()["agents"] == 1


def test_while_the_first_is_being_answered_the_second_is_told_to_wait(postgres_arena):
    """PostgreSQL: the key is locked, not awaited. (SQLite's writers stand in a queue anyway.)"""
    site = build(postgres_arena)
    author = site.caller("Ada")
    ada = Principal(author.account_id, Role.AUTHOR, frozenset(), "Ada")
    with site.arena.database.begin() as session:
        idempotency.reserve(session, ada, "k", "0" * 64)
        response = author.post("/agents", json=BOT, key="k")
        problem(response, 409, "idempotency_key_in_progress")
        assert response.headers["Retry-After"] == "1"
    site.arena.database.dispose()
