"""Forms are taken from our own pages only, in the browser that got them."""

from __future__ import annotations

import pytest

from baohuang.api.app import create_app
from baohuang.api.config import Config

from .browser import Browser, logged_in

ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def actions() -> list[str]:
    """The address of every form of the pages."""
    app = create_app(Config(database_url="sqlite://", secret_key="A" * 43 + "="))
    urls = app.url_map.bind("arena.example")
    fills = {"move": "cancel"}
    return sorted(
        urls.build(rule.endpoint, {name: fills.get(name, ID) for name in rule.arguments}, "POST")
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "POST" in (rule.methods or ())
    )


every_form = pytest.mark.parametrize("action", actions())


def key(browser: Browser) -> str:
    return browser.document("/account").form("/logout").fields["form_key"]


@pytest.fixture
def browser(site, author):
    return logged_in(site, author)


def test_all_forms_are_known_to_these_tests():
    assert {"/login", "/logout", "/tokens"} <= set(actions())


@every_form
def test_without_its_key_a_form_is_refused_and_changes_nothing(site, browser, action):
    before = site.counts()
    assert browser.post(action).status_code == 403
    assert browser.post(action, {"form_key": ""}).status_code == 403
    assert site.counts() == before


@every_form
def test_the_key_of_another_browser_is_none(site, browser, organizer, action):
    theirs = key(logged_in(site, organizer))
    before = site.counts()
    assert browser.post(action, {"form_key": theirs}).status_code == 403
    assert site.counts() == before


@every_form
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
    ids=lambda headers: " ".join(*headers.items()),
)
def test_a_form_from_another_site_is_refused_even_with_the_key(site, browser, action, headers):
    sent = dict(headers)
    before = site.counts()
    assert browser.post(action, {"form_key": key(browser)}, headers=sent).status_code == 403
    assert site.counts() == before


def test_a_form_from_here_is_taken(browser):
    headers = {"Origin": "http://arena.example", "Sec-Fetch-Site": "same-origin"}
    assert browser.send("/", "/logout", headers=headers).status_code == 303


def test_a_script_of_ours_sends_the_key_in_a_header(browser):
    assert browser.post("/logout", headers={"X-Form-Key": key(browser)}).status_code == 303


def test_the_login_form_has_a_key_of_its_own_browser_too(site, author):
    form = Browser(site).document("/login").form("/login").fields
    stranger = Browser(site)
    sent = form | {"token": author.token}
    assert stranger.post("/login", sent).status_code == 403
    stranger.document("/login")
    assert stranger.post("/login", sent).status_code == 403


def test_the_key_from_before_the_login_is_worth_nothing_after_it(site, author):
    browser = Browser(site)
    before = browser.document("/login").form("/login").fields["form_key"]
    browser.log_in(author.token)
    assert browser.post("/logout", {"form_key": before}).status_code == 403


@pytest.mark.parametrize("action", ["/logout", "/tokens", f"/agents/{ID}/pause"])
def test_who_is_not_logged_in_is_told_so_and_the_form_is_not_done(site, action):
    answer = Browser(site).post(action)
    assert answer.status_code == (403 if action == "/logout" else 401)
    assert answer.mimetype == "text/html"


def test_fields_that_the_form_does_not_have_are_refused(browser):
    assert browser.send("/", "/logout", {"account_id": ID}).status_code == 422


def test_a_form_is_urlencoded_and_short(browser):
    sent = {"form_key": key(browser)}
    kind = {"content_type": "multipart/form-data"}
    assert browser.post("/logout", sent, **kind).status_code == 415
    assert browser.post("/logout", sent | {"x": "y" * 20_000}).status_code == 413
    assert browser.post("/logout", json=sent).status_code == 415


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
@every_form
def test_there_is_no_other_way_to_change_something(browser, action, method):
    assert getattr(browser.client, method)(action).status_code == 405
