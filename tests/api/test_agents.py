"""Agents over HTTP: register, verify, change, pause, resume, retire, new secrets."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from baohuang.api.models import Agent, AgentVersion, utc_now
from baohuang.api.remote import signing
from baohuang.api.services import agent_calls, agents

from .hello_bot import hello_bot
from .support import pointers, problem, race, refusing

URL = "http://127.0.0.1:8001/bot"


@pytest.fixture
def bot():
    with hello_bot() as bot:
        yield bot


def register(caller, url=URL, name="a"):
    response = caller.post("/agents", json={"name": name, "url": url})
    assert response.status_code == 201, response.get_data()
    return response.headers["Location"], response.get_json()["secret"]


def signed(secret, headers, body):
    """Whether the reference implementation of Standard Webhooks accepts the call."""
    try:
        Webhook(secret).verify(body.decode(), headers)
    except WebhookVerificationError:
        return False
    return True


def status(caller, agent):
    return caller.get(agent).get_json()["status"]


def test_a_new_agent_is_unverified_and_shows_its_secret_once(author, site):
    response = author.post("/agents", json={"name": "a", "url": URL})
    body = response.get_json()
    assert response.status_code == 201
    assert response.headers["Location"] == f"/api/v1/agents/{body['id']}"
    assert body["status"] == "unverified"
    assert len(signing.decode_secret(body["secret"])) == 32
    for path in ("/agents", response.headers["Location"]):
        assert "whsec" not in author.get(path).get_data(as_text=True)


def test_the_secret_is_stored_sealed(author, site):
    _, secret = register(author)
    with site.arena.database.read() as session:
        stored = session.scalar(select(AgentVersion.secret))
    assert secret.removeprefix("whsec_").encode() not in stored
    assert site.arena.vault.open(stored) == secret.encode()


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://169.254.169.254/latest", "address"),
        ("http://10.0.0.1/", "address"),
        ("http://[::1]/", "address"),
        ("http://127.0.0.1:22/", "port"),
        ("http://127.0.0.1:1/", "own"),
        ("ftp://example.com/", "scheme"),
        ("http://user:pw@example.com/", "userinfo"),
        ("http://2130706433/", "host"),
        ("http://intranet/", "name"),
        ("http://example.com/#x", "fragment"),
        ("no url", "scheme"),
    ],
)
def test_a_url_that_may_not_be_called_is_refused_with_the_rule(author, site, url, rule):
    before = site.counts()
    response = author.post("/agents", json={"name": "a", "url": url})
    code = pointers(problem(response, 422, "invalid"))["/url"]
    assert code in (f"url_{rule}", "url_characters")
    assert site.counts() == before


def test_a_name_is_used_once_an_owner(author, site):
    register(author)
    response = author.post("/agents", json={"name": "a", "url": URL})
    assert pointers(problem(response, 409, "taken")) == {"/name": "taken"}
    register(site.caller("Bea"))


def test_an_owner_has_so_many_agents_and_not_more(author, monkeypatch):
    monkeypatch.setattr(agents, "MOST", 2)
    first, _ = register(author, name="a")
    register(author, name="b")
    problem(author.post("/agents", json={"name": "c", "url": URL}), 409, "agent_limit")
    assert author.post(f"{first}/retire").status_code == 200
    register(author, name="c")


def test_two_at_once_cannot_have_one_name(any_site):
    author = any_site.caller("Ada")

    def attempt(_number):
        caller = type(author)(any_site.app.test_client(), author.account_id, author.token)
        return caller.post("/agents", json={"name": "a", "url": URL}).status_code

    assert sorted(race(attempt, 6)) == [201] + [409] * 5


def test_an_agent_that_echoes_the_challenge_becomes_active(author, bot):
    agent, secret = register(author, bot.url)
    response = author.post(f"{agent}/verify")
    assert response.status_code == 200
    assert response.get_json()["status"] == "active"
    assert response.get_json()["verified_at"] is not None
    ((headers, body),) = bot.seen
    assert signed(secret, headers, body)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"challenge": "other"}, "schema"),
        ({"request": "other"}, "stale"),
        ({"status": 500}, "status"),
        ({"status": 302}, "redirect"),
        ({"content_type": "text/html"}, "content_type"),
    ],
)
def test_an_agent_that_does_not_stays_unverified_and_hears_why(author, bot, changes, kind):
    agent, _ = register(author, bot.url)
    bot.changes = changes
    body = problem(author.post(f"{agent}/verify"), 422, "verification_failed")
    assert pointers(body) == {"/url": kind}
    shown = author.get(agent).get_json()
    assert (shown["status"], shown["last_fault"]) == ("unverified", kind)
    bot.changes = {}
    assert author.post(f"{agent}/verify").get_json()["last_fault"] is None


def test_nobody_there_is_a_fault_too(author):
    with refusing() as port:
        agent, _ = register(author, f"http://127.0.0.1:{port}/")
        body = problem(author.post(f"{agent}/verify"), 422, "verification_failed")
    assert pointers(body) == {"/url": "connect"}


def test_no_transaction_is_open_while_the_agent_is_called(author, bot, site, monkeypatch):
    hello = agent_calls.hello

    def watched(guard, contact):
        with site.arena.database.begin() as session:  # would wait for a writer, or be waited for
            session.execute(update(Agent).values(last_fault="watched"))
        assert site.arena.database.engine.pool.checkedout() == 0
        return hello(guard, contact)

    monkeypatch.setattr(agent_calls, "hello", watched)
    agent, _ = register(author, bot.url)
    assert author.post(f"{agent}/verify").status_code == 200


def test_an_agent_that_moved_meanwhile_is_not_verified(author, bot, site, monkeypatch):
    agent, _ = register(author, bot.url)

    def moved(_guard, _contact):
        with site.arena.database.begin() as session:
            row = session.scalars(select(Agent)).one()
            there = "http://127.0.0.1:8002/"
            row.versions.append(AgentVersion(number=2, url=there, secret=row.live.secret))
            row.current = 2

    monkeypatch.setattr(agent_calls, "hello", moved)
    problem(author.post(f"{agent}/verify"), 409, "url_changed")
    assert status(author, agent) == "unverified"


@pytest.fixture
def active(author, bot):
    agent, _ = register(author, bot.url)
    author.post(f"{agent}/verify")
    return agent


def test_pause_and_resume(author, active):
    assert author.post(f"{active}/pause").get_json()["status"] == "paused"
    assert author.post(f"{active}/resume").get_json()["status"] == "active"


def test_moving_to_where_it_is_changes_nothing(author, active):
    before = author.get(active).headers["ETag"]
    assert author.post(f"{active}/resume").headers["ETag"] == before


def test_retiring_is_for_good(author, active):
    assert author.post(f"{active}/retire").get_json()["status"] == "retired"
    tag = author.get(active).headers["ETag"]
    for move in ("pause", "resume", "verify", "rotate-secret"):
        problem(author.post(f"{active}/{move}"), 409, "agent_state")
    problem(author.patch(active, json={"name": "b"}, if_match=tag), 409, "agent_state")


def test_an_unverified_agent_is_not_resumed(author):
    agent, _ = register(author)
    body = problem(author.post(f"{agent}/resume"), 409, "agent_state")
    assert pointers(body) == {"/status": "state"}


def test_a_new_name_keeps_the_state_a_new_url_does_not(author, active):
    tag = author.get(active).headers["ETag"]
    renamed = author.patch(active, json={"name": "b"}, if_match=tag)
    assert renamed.get_json()["status"] == "active"
    tag = renamed.headers["ETag"]
    moved = author.patch(active, json={"url": "http://127.0.0.1:8002/"}, if_match=tag)
    assert (moved.get_json()["status"], moved.get_json()["verified_at"]) == ("unverified", None)


def test_a_change_is_checked_by_the_guard_too(author, active):
    tag = author.get(active).headers["ETag"]
    response = author.patch(active, json={"url": "http://10.1.1.1/"}, if_match=tag)
    assert pointers(problem(response, 422, "invalid")) == {"/url": "url_address"}
    assert author.get(active).headers["ETag"] == tag


def test_after_a_rotation_calls_carry_both_signatures(author, bot):
    agent, old = register(author, bot.url)
    new = author.post(f"{agent}/rotate-secret").get_json()["secret"]
    assert new != old
    author.post(f"{agent}/verify")
    ((headers, body),) = bot.seen
    for secret in (old, new):
        assert signed(secret, headers, body)


def test_the_old_secret_ends_after_its_grace(author, bot, site):
    agent, old = register(author, bot.url)
    author.post(f"{agent}/rotate-secret")
    with site.arena.database.begin() as session:
        session.execute(
            update(AgentVersion).values(previous_secret_until=utc_now() - timedelta(seconds=1))
        )
    author.post(f"{agent}/verify")
    ((headers, body),) = bot.seen
    assert not signed(old, headers, body)


def test_after_a_leak_the_old_secret_ends_at_once(author, bot):
    agent, old = register(author, bot.url)
    rotated = author.post(f"{agent}/rotate-secret", json={"grace_s": 0}).get_json()
    assert rotated["previous_secret_until"] is None
    author.post(f"{agent}/verify")
    ((headers, body),) = bot.seen
    assert not signed(old, headers, body)


def test_a_second_rotation_within_the_grace_needs_force(author):
    agent, _ = register(author)
    author.post(f"{agent}/rotate-secret")
    problem(author.post(f"{agent}/rotate-secret", json={}), 409, "rotation_running")
    assert author.post(f"{agent}/rotate-secret", json={"force": True}).status_code == 200


def test_a_leaked_secret_ends_in_the_version_before_a_move_too(author, bot):
    """The bot stays where it was under the old version; the new one moves on with its secret."""
    agent, old = register(author, bot.url)
    tag = author.get(agent).headers["ETag"]
    moved = author.patch(agent, json={"url": f"{bot.url}moved"}, if_match=tag)
    assert moved.get_json()["current"] == 2
    rotated = author.post(f"{agent}/rotate-secret", json={"grace_s": 0}).get_json()
    for number in (1, 2):
        author.post(f"{agent}/versions/{number}/verify")
    for headers, body in bot.seen:
        assert signed(rotated["secret"], headers, body)
        assert not signed(old, headers, body)
    assert len(bot.seen) == 2


def test_a_version_with_a_secret_of_its_own_gets_a_new_one_by_itself(author, bot):
    agent, first = register(author, bot.url)
    made = author.post(f"{agent}/versions", json={"url": bot.url, "shadow": True}).get_json()
    path = f"{agent}/versions/2"
    before = author.get(agent).headers["ETag"]
    rotated = author.post(f"{path}/rotate-secret").get_json()
    assert (rotated["number"], rotated["previous_secret_until"] is not None) == (2, True)
    assert author.get(agent).headers["ETag"] == before, "the agent itself is what it was"
    author.post(f"{path}/verify")
    author.post(f"{agent}/verify")
    (headers, body), (live_headers, live_body) = bot.seen
    for secret in (made["secret"], rotated["secret"]):
        assert signed(secret, headers, body)
    assert signed(first, live_headers, live_body)
    assert not signed(rotated["secret"], live_headers, live_body)
    problem(author.post(f"{path}/rotate-secret"), 409, "rotation_running")
    author.post(f"{path}/retire")
    problem(author.post(f"{path}/rotate-secret", json={"force": True}), 409, "version_state")
    assert "whsec" not in author.get(path).get_data(as_text=True)


def test_agents_of_others_do_not_exist(author, site, active):
    other = site.caller("Bea")
    problem(other.get(active), 404, "not_found")
    problem(other.patch(active, json={"name": "x"}, if_match='"1"'), 404, "not_found")
    for move in ("verify", "pause", "resume", "retire", "rotate-secret"):
        problem(other.post(f"{active}/{move}"), 404, "not_found")
    assert other.get("/agents").get_json()["items"] == []


def test_an_admin_sees_everybodys(admin, active):
    assert admin.get(active).status_code == 200


def test_agents_by_state(author, active):
    register(author, name="b")
    assert len(author.get("/agents?status=active").get_json()["items"]) == 1
    assert len(author.get("/agents").get_json()["items"]) == 2
