"""Logging in with a token: what the cookie is, what it is worth, and when it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from baohuang.api.models import Account, AuditRow, Login, Role, Token, utc_now
from baohuang.api.services import logins

from .browser import Browser, Document, logged_in


def who(browser: Browser) -> str | None:
    """The account page's heading; None when the browser is sent to log in."""
    answer = browser.get("/account")
    if answer.status_code == 303:
        assert answer.headers["Location"] == "/login?next=/account"
        return None
    return answer.text.partition("<h1>")[2].partition("</h1>")[0]


def change(site, model, **values):
    with site.arena.database.begin() as session:
        session.execute(update(model).values(**values))


def test_a_token_opens_the_pages(site, author):
    browser = Browser(site)
    assert who(browser) is None
    answer = browser.log_in(author.token, "/login?next=/account")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert who(browser) == "Ada"


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(site, author):
    browser = Browser(site)
    answer = browser.log_in(author.token)
    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name_and_value == f"arena={browser.cookie}"
    assert {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"} <= set(attributes)
    assert not any(attribute.startswith("Domain") for attribute in attributes)
    assert answer.headers["Cache-Control"] == "no-store"


def test_over_https_it_is_secure_and_bound_to_the_host(site, author):
    browser = Browser(site, https=True)
    answer = browser.log_in(author.token)
    assert answer.headers["Set-Cookie"].startswith("__Host-arena=")
    assert "Secure" in answer.headers["Set-Cookie"].split("; ")
    assert who(browser) == "Ada"


def test_over_https_a_cookie_that_http_could_have_set_counts_for_nothing(site, author):
    cookie = logged_in(site, author).cookie
    browser = Browser(site, https=True)
    browser.client.set_cookie("arena", cookie, domain="arena.example")
    assert who(browser) is None


def test_logging_in_makes_a_new_cookie_whatever_was_there(site, author):
    """Fixation: who planted or saw the cookie from before has nothing."""
    browser = Browser(site)
    browser.cookie = planted = "A" * 43
    browser.log_in(author.token)
    assert browser.cookie != planted
    thief = Browser(site)
    thief.cookie = planted
    assert who(thief) is None
    assert who(browser) == "Ada"


@pytest.mark.parametrize("https", [False, True])
def test_who_comes_by_a_link_from_elsewhere_stays_logged_in(site, author, https):
    """SameSite=Strict: that request shows no cookie, and what it is answered must not undo one."""
    browser = logged_in(site, author, https)
    elsewhere = Browser(site, https)  # the same browser, without what it does not show
    answer = elsewhere.get("/login?next=/account")
    given = [header.partition("=")[0] for header in answer.headers.getlist("Set-Cookie")]
    assert len(given) == 1
    assert given != [browser.name]
    form = Document(answer.text).form("/login").fields
    kept = elsewhere.client.get_cookie(given[0], domain="arena.example")
    browser.client.set_cookie(given[0], kept.value, domain="arena.example", secure=https)
    assert who(browser) == "Ada"
    # that form may be sent too, now with both cookies
    assert browser.post("/login", form | {"token": author.token}).status_code == 303
    assert who(browser) == "Ada"
    assert browser.post("/logout", {"form_key": form["form_key"]}).status_code == 403


def test_logging_in_again_ends_the_older_login_of_the_browser(site, author, organizer):
    browser = logged_in(site, author)
    first = browser.cookie
    key = browser.document("/account").form("/logout").fields["form_key"]
    answer = browser.post("/login", {"token": organizer.token, "next": "/", "form_key": key})
    assert answer.status_code == 303
    assert who(browser) == "Oleg"
    browser.cookie = first
    assert who(browser) is None


def test_logging_out_ends_it_on_the_server_too(site, author):
    browser = logged_in(site, author)
    cookie = browser.cookie
    assert browser.send("/", "/logout").headers["Location"] == "/"
    assert browser.cookie is None
    browser.cookie = cookie
    assert who(browser) is None
    assert author.get("/accounts/me").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "arn_pat_" + "0" * 49, "Ж" * 57, "arn_pat_\0"])
def test_what_is_no_token_opens_nothing(site, token):
    browser = Browser(site)
    answer = browser.log_in(token)
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert who(browser) is None


@pytest.mark.parametrize("values", [{"revoked_at": utc_now()}, {"expires_at": utc_now()}])
def test_a_token_that_has_ended_opens_nothing_and_is_not_shown_again(site, author, values):
    change(site, Token, **values)
    browser = Browser(site)
    answer = browser.log_in(author.token)
    assert answer.status_code == 401
    assert author.token not in answer.text
    assert who(browser) is None


@pytest.mark.parametrize("values", [{"revoked_at": utc_now()}, {"expires_at": utc_now()}])
def test_a_login_ends_with_its_token(site, author, values):
    browser = logged_in(site, author)
    change(site, Token, **values)
    assert who(browser) is None


def test_a_login_may_what_its_token_and_role_may_now(site, organizer):
    browser = logged_in(site, organizer)
    assert "tournaments:write" in browser.get("/account").text
    change(site, Account, role=Role.AUTHOR)
    assert "tournaments:write" not in browser.get("/account").text


def test_a_token_without_the_scope_is_refused(site):
    reader = site.caller("Rita", scopes=["agents:read"])
    browser = logged_in(site, reader)
    assert browser.get("/agents").status_code == 200
    assert browser.get("/tokens").status_code == 403


@pytest.mark.parametrize(
    "values",
    [{"expires_at": utc_now()}, {"last_used_at": utc_now() - logins.IDLE - timedelta(seconds=1)}],
)
def test_a_login_ends_after_its_time_and_when_nobody_uses_it(site, author, values):
    browser = logged_in(site, author)
    change(site, Login, **values)
    assert who(browser) is None
    with site.arena.database.begin() as session:
        assert logins.purge(session) == 1


def test_use_keeps_it_alive_and_is_written_down_now_and_then(site, author):
    browser = logged_in(site, author)
    before = utc_now() - logins.TOUCH_EVERY - timedelta(seconds=1)
    change(site, Login, last_used_at=before)
    assert who(browser) == "Ada"
    with site.arena.database.begin() as session:
        login = session.scalars(select(Login)).one()
        assert login.last_used_at > before
        assert logins.purge(session) == 0


def test_the_api_does_not_know_the_cookie(site, author):
    browser = logged_in(site, author)
    assert browser.get("/api/v1/accounts/me").status_code == 401
    assert browser.post("/api/v1/agents", json={"name": "x", "kind": "pull"}).status_code == 401


def test_neither_cookie_nor_token_is_stored(site, author, tmp_path):
    browser = logged_in(site, author)
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("arena.sqlite3*"))
    assert browser.cookie.encode() not in stored
    assert author.token.encode() not in stored


def test_the_token_is_in_no_log_and_no_address(site, author, caplog):
    caplog.set_level("DEBUG")
    browser = Browser(site)
    right = browser.log_in(author.token)
    change(site, Token, revoked_at=utc_now())
    wrong = Browser(site).log_in(author.token)
    assert (right.status_code, wrong.status_code) == (303, 401)
    assert author.token not in caplog.text + str(right.headers) + str(wrong.headers)


def test_the_audit_log_has_who_logged_in_and_out(site, author):
    logged_in(site, author).send("/", "/logout")
    with site.arena.database.read() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.kind == "login")).all()
    told = [(row.operation, row.action, row.account_id) for row in rows]
    assert told == [
        ("log_in", "create", author.account_id),
        ("pages.log_out", "delete", author.account_id),
    ]
    assert rows[0].payload["issuer"] == "token"
    assert "digest" not in rows[0].payload


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("/tokens", "/tokens"),
        ("/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("//evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/%2F/evil.example", "/"),
        ("evil", "/"),
        ("/a\nb", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_after_logging_in_one_stays_on_this_server(site, author, wanted, shown):
    browser = Browser(site)
    form = browser.document("/login").form("/login").fields
    answer = browser.post("/login", form | {"token": author.token, "next": wanted})
    assert (answer.status_code, answer.headers["Location"]) == (303, shown)


def test_who_is_logged_in_is_not_asked_again(site, author):
    browser = logged_in(site, author)
    answer = browser.get("/login?next=/tokens")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/tokens")


def test_wrong_tokens_are_limited(sqlite_arena, building):
    site = building(sqlite_arena, limit_logins=3)
    browser = Browser(site)
    wrong = "arn_pat_" + "1" * 49
    answers = [browser.log_in(wrong) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert answers[-1].mimetype == "text/html"


def test_pages_are_limited_as_the_api_is(sqlite_arena, building):
    site = building(sqlite_arena, limit_address=3)
    browser = Browser(site)
    assert [browser.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]
    with browser.get("/static/arena.css") as style:
        assert style.status_code == 200


def test_on_either_database_a_login_is_begun_used_and_ended(any_site):
    caller = any_site.caller("Ada")
    browser = logged_in(any_site, caller)
    assert who(browser) == "Ada"
    browser.send("/", "/logout")
    with any_site.arena.database.read() as session:
        assert session.scalars(select(Login)).all() == []
