"""Limits on requests: as many as the setting says, for all threads and processes together."""

from __future__ import annotations

import pytest
from sqlalchemy import event, func, select, update

from baohuang.api.db import Database
from baohuang.api.limiter import BLOCKS, Limiter
from baohuang.api.models import RateWindow, Role
from baohuang.api.services import limits, tokens
from baohuang.api.services.limits import Policy

from .support import problem, race
from .tournament_support import agent

SMALL = Policy("small", 7, 3600)
LARGE = Policy("large", 10 * BLOCKS, 3600)


@pytest.fixture
def databases(arena_url):
    """Four processes' connections to one database."""
    made = [Database(arena_url) for _ in range(4)]
    yield made
    for database in made:
        database.dispose()


def passed(limiters, policy, threads, each):
    """How many of `threads` times `each` requests of one subject were let through."""

    def work(number):
        limiter = limiters[number % len(limiters)]
        return sum(limiter.take(policy, "someone").allowed for _ in range(each))

    return sum(race(work, threads))


def test_threads_of_several_processes_pass_exactly_the_quota(databases):
    assert passed([Limiter(database) for database in databases], SMALL, 8, 5) == 7


def test_threads_of_one_process_use_up_a_large_quota(databases):
    """However they take turns: each could use up what is left of it alone."""
    assert passed([Limiter(databases[0])], LARGE, 8, LARGE.quota) == LARGE.quota


def test_of_a_large_quota_no_more_than_a_block_a_process_is_lost(databases):
    limiters = [Limiter(database) for database in databases]
    found = passed(limiters, LARGE, 4, LARGE.quota // 4 + 20)
    block = LARGE.quota // BLOCKS
    assert LARGE.quota - 3 * block <= found <= LARGE.quota


def test_subjects_and_limits_do_not_share(databases):
    limiter = Limiter(databases[0])
    one = Policy("one", 1, 3600)
    assert limiter.take(one, "a").allowed
    assert not limiter.take(one, "a").allowed
    assert limiter.take(one, "b").allowed
    assert limiter.take(Policy("other", 1, 3600), "a").allowed


def test_a_new_window_begins_when_the_old_one_has_ended(databases):
    now = [0.0]
    limiter = Limiter(databases[0], lambda: now[0])
    one = Policy("one", 1, 60)
    assert limiter.take(one, "a").allowed
    refused = limiter.take(one, "a")
    assert not refused.allowed
    assert 0 < refused.reset_s <= 60
    with databases[0].begin() as session:
        session.execute(update(RateWindow).values(ends=RateWindow.ends - 61))
    assert not limiter.take(one, "a").allowed  # it need not ask: by its own clock nothing ended
    now[0] += 61
    assert limiter.take(one, "a").allowed
    assert not limiter.take(one, "a").allowed


def test_most_requests_and_all_refusals_cost_no_statement(databases):
    statements = []
    event.listen(databases[0].engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    limiter = Limiter(databases[0])
    for _ in range(LARGE.quota):
        assert limiter.take(LARGE, "a").allowed
    assert len([text for text in statements if "rate_windows" in text]) == BLOCKS
    del statements[:]
    for _ in range(100):
        assert not limiter.take(LARGE, "a").allowed
    assert statements == []


def test_what_is_given_back_can_be_used(databases):
    limiter = Limiter(databases[0])
    one = Policy("one", 1, 3600)
    for _ in range(5):
        assert limiter.take(one, "a").allowed
        limiter.give_back(one, "a")


def test_ended_windows_are_forgotten(databases):
    with databases[0].begin() as session:
        limits.take(session, Policy("short", 1, 0), "a", 1)
        limits.take(session, SMALL, "b", 1)
        assert limits.purge(session) == 1
        assert session.scalar(select(func.count()).select_from(RateWindow)) == 1


def test_addresses_are_not_stored(databases):
    with databases[0].begin() as session:
        limits.take(session, SMALL, "192.0.2.1", 1)
        assert "192" not in session.scalars(select(RateWindow.bucket)).one()[:8]


def test_one_token_too_often(arena_url, building):
    site = building(arena_url, limit_token=3)
    author = site.caller("Ada")
    left = []
    for _ in range(3):
        answer = author.get("/accounts/me")
        assert answer.headers["RateLimit-Policy"] == '"token";q=3;w=60'
        left.append(answer.headers["RateLimit"].partition(";t=")[0])
    assert left == ['"token";r=2', '"token";r=1', '"token";r=0']
    refused = author.get("/accounts/me")
    problem(refused, 429, "too_many_requests")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit"].startswith('"token";r=0;t=')
    assert site.caller("Bert").get("/accounts/me").status_code == 200
    assert site.stranger().get("/rule-sets").status_code == 200


def test_refused_requests_change_nothing(sqlite_arena, building):
    site = building(sqlite_arena, limit_token=1)
    author = site.caller("Ada")
    assert author.post("/tokens", json={"name": "one"}).status_code == 201
    before = site.counts()
    problem(author.post("/tokens", json={"name": "two"}), 429, "too_many_requests")
    assert site.counts() == before


def test_a_304_is_free(sqlite_arena, building):
    site = building(sqlite_arena, limit_token=2)
    author = site.caller("Ada")
    tag = author.get("/accounts/me").headers["ETag"]
    for _ in range(5):
        answer = author.get("/accounts/me", headers={"If-None-Match": tag})
        assert answer.status_code == 304
    assert author.get("/accounts/me").status_code == 200
    assert author.get("/accounts/me").status_code == 429


def from_address(site, address, **headers):
    return (
        site.app.test_client()
        .get("/api/v1/rule-sets", headers=headers, environ_base={"REMOTE_ADDR": address})
        .status_code
    )


def test_strangers_are_counted_by_address_and_ipv6_by_network(sqlite_arena, building):
    site = building(sqlite_arena, limit_address=1)
    addresses = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "fe80::1%eth0"]
    assert [from_address(site, address) for address in addresses] == [200] * 5
    again = ["192.0.2.1", "::ffff:192.0.2.2", "2001:db8::ffff:1"]
    assert [from_address(site, address) for address in again] == [429] * 3


def test_headers_of_proxies_count_only_from_trusted_ones(sqlite_arena, building):
    def ask(site, claimed):
        forwarded = {"X-Forwarded-For": claimed}
        return from_address(site, "198.51.100.1", **forwarded)

    bare = building(sqlite_arena, limit_address=1)
    assert [ask(bare, "192.0.2.1"), ask(bare, "192.0.2.2")] == [200, 429]
    behind = building(sqlite_arena, limit_address=1, proxy_hops=1)
    assert [ask(behind, "192.0.2.1"), ask(behind, "192.0.2.2")] == [200, 200]
    assert ask(behind, "203.0.113.7, 192.0.2.1") == 429  # the left part is the client's invention


def test_wrong_tokens_are_limited_and_right_ones_not(sqlite_arena, building):
    site = building(sqlite_arena, limit_logins=10)
    stranger, author = site.stranger(), site.caller("Ada")
    stranger.token = tokens.new_text()
    for _ in range(10):
        problem(stranger.get("/rule-sets"), 401, "invalid_token")
    refused = stranger.get("/rule-sets")
    problem(refused, 429, "too_many_requests")
    assert 1 <= int(refused.headers["Retry-After"]) <= 300
    assert author.get("/rule-sets").status_code == 200
    stranger.token = "nonsense"
    assert stranger.get("/rule-sets").status_code == 401


def test_wrong_tokens_count_for_the_address_too(sqlite_arena, building):
    site = building(sqlite_arena, limit_address=5, limit_logins=10)
    stranger = site.stranger()
    found = []
    for _ in range(7):
        stranger.token = tokens.new_text()
        found.append(stranger.get("/rule-sets").status_code)
    assert found == [401] * 5 + [429] * 2
    assert site.counts()["rate_windows"] <= 6


def test_verifications_are_limited_by_account(sqlite_arena, monkeypatch, building):
    calls = []
    monkeypatch.setattr(
        "baohuang.api.services.agent_calls.hello", lambda _errands, contact: calls.append(contact)
    )
    site = building(sqlite_arena, limit_verifications=10)
    author, other = site.caller("Ada"), site.caller("Root", Role.ADMIN)
    bot = agent(site, author, "bot")
    for _ in range(10):
        assert author.post(f"/agents/{bot}/verify").status_code == 200
    refused = author.post(f"/agents/{bot}/verify")
    problem(refused, 429, "too_many_requests")
    assert refused.headers["RateLimit-Policy"] == '"verification";q=10;w=3600'
    assert len(calls) == 10
    assert other.post(f"/agents/{bot}/verify").status_code == 200
    assert author.get(f"/agents/{bot}").status_code == 200


def test_urls_are_limited_by_account(sqlite_arena, building):
    """Each is looked up: of agents, their versions and webhooks together, at whichever change."""
    site = building(sqlite_arena, limit_urls=4)
    author = site.caller("Ada", Role.ADMIN)

    def url(number):
        return {"url": f"http://127.0.0.1:{8001 + number}/"}

    made = author.post("/agents", json={"name": "bot", **url(0)})
    bot = f"/agents/{made.get_json()['id']}"
    assert made.headers["RateLimit-Policy"] == '"url";q=4;w=3600'
    assert author.patch(bot, json=url(1), if_match=made.headers["ETag"]).status_code == 200
    assert author.post(f"{bot}/versions", json=url(2)).status_code == 201
    assert author.post("/webhooks", json={"name": "w", **url(3)}).status_code == 201
    refused = author.post("/agents", json={"name": "another", **url(4)})
    problem(refused, 429, "too_many_requests")
    assert author.post("/agents", json={"name": "at home", "kind": "pull"}).status_code == 201
    other = site.caller("Bert")
    assert other.post("/agents", json={"name": "bot", **url(4)}).status_code == 201


def test_pages_of_health_are_not_counted(sqlite_arena, building):
    site = building(sqlite_arena, limit_address=1)
    for _ in range(3):
        answer = site.app.test_client().get("/healthz")
        assert answer.status_code == 200
        assert "RateLimit" not in answer.headers
    assert site.counts()["rate_windows"] == 0


def test_without_limits_nothing_is_counted(sqlite_arena, building):
    site = building(sqlite_arena)
    answer = site.stranger().get("/rule-sets")
    assert "RateLimit" not in answer.headers
    assert site.counts()["rate_windows"] == 0
