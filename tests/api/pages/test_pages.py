"""What the pages show, to whom, and how they are built."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from baohuang.api.models import Agent, AgentNotice, AgentStatus, NoticeKind, Role, Token
from baohuang.api.services import matches
from baohuang.engine.match import Match as Referee

from ..tournament_support import agent, close_rounds, created, open_round, opened, play_round
from .browser import Browser, Document, logged_in

NAME = "<script>alert(1)</script> & \"Cup\" '保皇'"


@pytest.fixture
def played(site, organizer):
    """A tournament of two rounds, the first of which is over; its id and a match's."""
    tournament_id = opened(
        organizer, name=NAME, format_options={}, rounds=2, deals=1, capacity=10, house_bot="greedy"
    )
    for _ in range(10):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    match_id, _ = play_round(site, tournament_id)
    return tournament_id, match_id


@pytest.fixture
def paths(site, author, played):
    """Every page that can be read, by somebody who may."""
    tournament_id, match_id = played
    agent_id = agent(site, author, "mover")
    return [
        "/", "/account", "/agents", f"/agents/{agent_id}", "/tokens", "/problems/invalid",
        f"/matches/{match_id}",
        f"/tournaments/{tournament_id}", f"/tournaments/{tournament_id}/standings",
        f"/tournaments/{tournament_id}/rounds/1", f"/tournaments/{tournament_id}/fairness",
        f"/tournaments/{tournament_id}/rulings",
    ]  # fmt: skip


@pytest.fixture
def browser(site, author):
    return logged_in(site, author)


def test_a_page_of_a_tournament_has_its_rounds_and_standings(site, played):
    tournament_id, _ = played
    text = Document(Browser(site).get(f"/tournaments/{tournament_id}").text).text
    for word in (NAME, "running", "lianzhong-simple", "Round 1", "greedy"):
        assert word in text


def test_from_the_front_page_one_gets_to_every_match(site, played):
    browser = Browser(site)
    seen, waiting = set(), ["/"]
    while waiting:
        path = waiting.pop()
        if path in seen or not re.match(r"/$|/(tournaments|matches)/", path):
            continue
        seen.add(path)
        waiting += [link["href"] for link in browser.document(path).all("a")]
    assert f"/matches/{played[1]}" in seen
    assert len(seen) == 1 + 4 + 2


def test_a_page_of_a_match_has_the_seats_and_their_points(site, played):
    document = Browser(site).document(f"/matches/{played[1]}")
    assert len([cell for cell in document.all("td") if "data-seat" in cell]) == 5
    assert f"/api/v1/matches/{played[1]}/record" in {link["href"] for link in document.all("a")}


def test_a_deal_that_does_not_count_is_told_with_its_reason(site, played):
    """All five refuse the throne in every one of a hundred shuffles: then a deal is void."""
    tournament_id, _ = played
    (void, *_) = open_round(site, tournament_id)
    with site.arena.database.begin() as session:
        claim = matches.claim(session, site.arena.vault, void, "test", 600)
        match = Referee(claim.rules, claim.key, claim.deals)
        while not match.over:
            match.answer("yield")
        assert matches.finish(session, void, claim.epoch, match, match.log, [])
    told = Browser(site).get(f"/api/v1/matches/{void}").json
    assert told["uncounted"] == [{"deal": 1, "why": "refused"}]
    assert [seat["points"] for seat in told["seats"]] == [0] * 5
    said = "1 of 1 deal was not counted: deal 1, because nobody took the throne in a hundred"
    for path in (f"/matches/{void}", f"/tournaments/{tournament_id}/rounds/2"):
        assert said in " ".join(Document(Browser(site).get(path).text).text.split())


def test_a_match_whose_deals_all_count_says_nothing_of_it(site, played):
    tournament_id, match_id = played
    assert Browser(site).get(f"/api/v1/matches/{match_id}").json["uncounted"] == []
    for path in (f"/matches/{match_id}", f"/tournaments/{tournament_id}/rounds/1"):
        assert "not counted" not in Browser(site).get(path).text


def test_live_parts_name_the_stream_of_the_thing(site, played):
    tournament_id, match_id = played
    for path, events in {
        f"/tournaments/{tournament_id}": f"/api/v1/tournaments/{tournament_id}/events?start=now",
        f"/matches/{match_id}": f"/api/v1/matches/{match_id}/events",
    }.items():
        document = Browser(site).document(path)
        assert [tag["data-events"] for tag in document.all("ol")] == [events]
        assert "/static/live.js" in [tag["src"] for tag in document.all("script")]
        accept = {"Accept": "text/event-stream"}
        answer = Browser(site).client.head(events, headers=accept)
        assert answer.mimetype == "text/event-stream"


def test_a_draft_is_its_organizers_page_alone(site, organizer, author):
    path = f"/tournaments/{created(organizer)}"
    assert logged_in(site, organizer).get(path).status_code == 200
    for browser in (Browser(site), logged_in(site, author)):
        assert browser.get(path).status_code == 404
        assert "Spring cup" not in browser.get("/").text


def test_the_front_page_goes_on_where_it_ended(site, organizer):
    for number in range(52):
        opened(organizer, name=f"Cup {number}")
    first = Browser(site).document("/")
    older = next(link["href"] for link in first.all("a") if link.get("rel") == "next")
    second = Browser(site).document(older)
    shown = re.findall(r"Cup \d+", first.text + second.text)
    assert shown == [f"Cup {number}" for number in range(51, -1, -1)]


def test_agents_are_the_owners_own(site, author, organizer):
    agent(site, author, "mine")
    agent(site, organizer, "theirs")
    text = logged_in(site, author).get("/agents").text
    assert "mine" in text
    assert "theirs" not in text


def test_an_agent_is_paused_and_resumed(site, author, browser):
    agent_id = agent(site, author, "mover")
    for action, status in (("pause", AgentStatus.PAUSED), ("resume", AgentStatus.ACTIVE)):
        answer = browser.send("/agents", f"/agents/{agent_id}/{action}")
        assert (answer.status_code, answer.headers["Location"]) == (303, "/agents")
        with site.arena.database.read() as session:
            assert session.get_one(Agent, agent_id).status == status


def test_the_page_of_an_agent_says_what_was_done_about_it(site, author, browser):
    agent_id = agent(site, author, "mover")
    with site.arena.database.begin() as session:
        notice = {"kind": NoticeKind.PAUSED, "detail": "Three probes in a row failed."}
        session.add(AgentNotice(agent_id=agent_id, **notice))
    document = browser.document(f"/agents/{agent_id}")
    assert "Three probes in a row failed." in document.text
    assert "https://mover.example/" in document.text


def test_the_page_of_an_agent_leads_to_its_matches(site, author, organizer, browser):
    agent_id = agent(site, author, "mover")
    path = f"/agents/{agent_id}"
    assert "None yet." in browser.document(path).text
    tournament_id = opened(organizer, name=NAME, deals=1, capacity=5)
    author.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": agent_id})
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    (played,) = play_round(site, tournament_id)
    body = {"rule_set": "wuren", "seats": [{"agent_id": agent_id}]}
    waiting = author.post("/matches", json=body).json["id"]
    page = browser.document(path)
    links = [link["href"] for link in page.all("a")]
    found = [link for link in links if link.startswith(("/matches/", "/tournaments/"))]
    assert found == [f"/matches/{waiting}", f"/matches/{played}", f"/tournaments/{tournament_id}"]
    assert NAME in page.text
    seats = author.get(f"/matches/{played}").json["seats"]
    (points,) = [seat["points"] + seat["penalty"] for seat in seats if seat["name"] == "mover"]
    assert f"{points:+d}" in page.text.split()
    assert logged_in(site, organizer).get(path).status_code == 404
    assert Browser(site).get(path).status_code == 303, "to log in"


def test_the_matches_of_an_agent_go_on_where_the_page_ended(site, author, browser, monkeypatch):
    monkeypatch.setattr("baohuang.api.pages.agents.MATCHES", 2)
    agent_id = agent(site, author, "mover")
    body = {"rule_set": "wuren", "seats": [{"agent_id": agent_id}]}
    made = [author.post("/matches", json=body).json["id"] for _ in range(3)]
    first = browser.document(f"/agents/{agent_id}")
    older = next(link["href"] for link in first.all("a") if link.get("rel") == "next")
    second = browser.document(older)
    links = [link["href"] for page in (first, second) for link in page.all("a")]
    shown = [link.removeprefix("/matches/") for link in links if link.startswith("/matches/")]
    assert shown == made[::-1]
    assert not any(link.get("rel") == "next" for link in second.all("a"))


def test_an_open_tournament_is_entered_with_an_agent_of_ones_own(site, author, organizer, browser):
    tournament_id = opened(organizer)
    agent_id = agent(site, author, "mover")
    agent(site, author, "sleeper", AgentStatus.PAUSED)
    theirs = agent(site, organizer, "theirs")
    path = f"/tournaments/{tournament_id}"
    page = browser.document(path)
    assert [option["value"] for option in page.all("option")] == [agent_id]
    entering = page.form(f"{path}/entries").fields
    assert browser.post(f"{path}/entries", entering | {"agent_id": theirs}).status_code == 422
    assert browser.post(f"{path}/entries", entering | {"agent_id": "x"}).status_code == 422
    answer = browser.post(f"{path}/entries", entering | {"agent_id": agent_id})
    assert (answer.status_code, answer.headers["Location"]) == (303, path)
    assert "mover" in Browser(site).document(path).text
    assert browser.post(f"{path}/entries", entering | {"agent_id": agent_id}).status_code == 409


def test_an_author_checks_an_entry_in_by_a_button_as_long_as_that_is_due(site, author, organizer):
    later = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    now, soon = opened(organizer, check_in_s=600), opened(organizer, check_in_s=60, starts_at=later)
    agent_id = agent(site, author, "mover")
    browser = logged_in(site, author)

    def buttons(tournament_id, browser=browser):
        forms = browser.document(f"/tournaments/{tournament_id}").forms
        return [form.action for form in forms if form.action.endswith("/check-in")]

    assert buttons(now) == []
    entry_id, _ = (
        author.post(f"/tournaments/{each}/entries", json={"agent_id": agent_id}).json["id"]
        for each in (now, soon)
    )
    assert buttons(now) == [f"/entries/{entry_id}/check-in"]
    assert buttons(soon) == [], "it has not begun"
    assert buttons(now, logged_in(site, organizer)) == []
    assert buttons(now, Browser(site)) == []
    path = f"/tournaments/{now}"
    sent = browser.send(path, f"/entries/{entry_id}/check-in")
    assert (sent.status_code, sent.headers["Location"]) == (303, path)
    assert author.get(f"/entries/{entry_id}").json["checked_in_at"] is not None
    assert buttons(now) == []
    assert "mover (checked in)" in browser.document(path).text
    stranger = logged_in(site, site.caller("Otto", Role.AUTHOR))
    key = stranger.document(path).form("/logout").fields
    assert stranger.post(f"/entries/{entry_id}/check-in", key).status_code == 403


def test_an_organizer_runs_a_tournament_by_buttons(site, organizer):
    tournament_id = created(organizer, capacity=5)
    path = f"/tournaments/{tournament_id}"
    browser = logged_in(site, organizer)

    def buttons() -> list[str]:
        forms = browser.document(path).forms
        return [form.action.removeprefix(f"{path}/") for form in forms if path in form.action]

    assert buttons() == ["open", "cancel"]
    assert browser.send(path, f"{path}/open").status_code == 303
    assert buttons() == ["start", "cancel"]
    assert browser.send(path, f"{path}/start").status_code == 409  # nobody has entered
    organizer.post(f"{path}/entries", json={"house_bot": "greedy"})
    for move, then in (("start", "pause"), ("pause", "resume"), ("resume", "pause")):
        assert browser.send(path, f"{path}/{move}").status_code == 303
        assert buttons() == [then, "finish", "cancel"]
    for end in ("finish", "cancel"):
        assert browser.send(path, f"{path}/{end}").status_code == 422  # is he sure?
    assert browser.send(path, f"{path}/cancel", {"sure": "yes"}).status_code == 303
    assert buttons() == []


def test_an_end_that_is_held_is_shown_and_can_be_ended_by_a_button(site, organizer):
    settings = {"format": "ladder", "capacity": 5, "ending": "after_appeals"}
    tournament_id = opened(organizer, **settings)
    path = f"/tournaments/{tournament_id}"
    organizer.post(f"{path}/entries", json={"house_bot": "greedy"})
    organizer.post(f"{path}/start")
    open_round(site, tournament_id)
    organizer.post(f"{path}/finish", json={"rest": "cancel"})
    close_rounds(site)
    browser = logged_in(site, organizer)
    assert "unless an appeal is open" in browser.get(path).get_data(as_text=True)
    assert browser.send(path, f"{path}/finish", {"sure": "yes"}).status_code == 303
    assert organizer.get(path).json["status"] == "finished"
    assert "unless an appeal is open" not in browser.get(path).get_data(as_text=True)


def test_nobody_else_runs_it(site, organizer, author):
    path = f"/tournaments/{opened(organizer)}"
    other = logged_in(site, site.caller("Otto", Role.ORGANIZER))
    page = other.document(path)
    assert not any(form.action.endswith(("start", "cancel")) for form in page.forms)
    key = page.form("/logout").fields
    assert other.post(f"{path}/start", key).status_code == 403
    writer = logged_in(site, author)
    key = writer.document(path).form("/logout").fields
    assert writer.post(f"{path}/start", key).status_code == 403


def test_agents_and_tokens_of_others_are_not_there(site, author, organizer, browser):
    theirs = agent(site, organizer, "theirs")
    with site.arena.database.read() as session:
        token_id = session.query(Token.id).filter_by(account_id=organizer.account_id).scalar()
    key = browser.document("/account").form("/logout").fields
    assert browser.get(f"/agents/{theirs}").status_code == 404
    assert browser.post(f"/agents/{theirs}/pause", key).status_code == 404
    assert browser.post(f"/tokens/{token_id}/revoke", key | {"sure": "yes"}).status_code == 404
    assert organizer.get("/accounts/me").status_code == 200


def test_a_new_token_works_and_is_shown_once(site, browser):
    fields = {"name": "my bot", "days": "7", "scopes": ["agents:read", "entries:write"]}
    answer = browser.send("/tokens", "/tokens", fields)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    (text,) = re.findall("arn_pat_[0-9A-Za-z]{49}", answer.text)
    caller = site.stranger()
    caller.token = text
    assert caller.get("/accounts/me").get_json()["scopes"] == ["agents:read", "entries:write"]
    assert text not in browser.get("/tokens").text


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "", "days": "7"},
        {"name": "x" * 101, "days": "7"},
        {"name": "a\tb", "days": "7"},
        {"name": "x", "days": "0"},
        {"name": "x", "days": "367"},
        {"name": "x", "days": "seven"},
        {"name": "x", "days": "\u0667"},
        {"name": "x", "days": "7", "scopes": ["rubbish"]},
    ],
)
def test_a_token_that_cannot_be_is_refused(site, browser, fields):
    before = site.counts()
    assert browser.send("/tokens", "/tokens", fields).status_code == 422
    assert site.counts() == before


def test_a_login_gives_no_token_more_than_it_has(site):
    browser = logged_in(site, site.caller("Tom", Role.ORGANIZER, scopes=["tokens:write"]))
    fields = {"name": "x", "days": "7", "scopes": ["tournaments:write"]}
    assert browser.send("/tokens", "/tokens", fields).status_code == 403


def test_revoking_the_token_of_the_login_logs_out(browser):
    document = browser.document("/tokens")
    revoke = next(form for form in document.forms if form.action.endswith("/revoke"))
    assert browser.post(revoke.action, revoke.fields).status_code == 422  # is he sure?
    sent = revoke.fields | {"sure": "yes"}
    assert browser.post(revoke.action, sent).headers["Location"] == "/tokens"
    assert browser.get("/tokens").headers["Location"] == "/login?next=/tokens"


def test_every_page_is_protected(browser, paths):
    for path in [*paths, "/login", "/docs", "/no/such", "/problems/none"]:
        headers = browser.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "X-Request-Id" in headers


def test_pages_that_differ_by_who_looks_are_not_kept(browser, paths):
    for path in paths:
        headers = browser.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert "Cookie" in headers["Vary"]


def test_pages_hold_no_script_style_or_handler_of_their_own(site, browser, paths):
    documents = [*map(browser.document, paths), Browser(site).document("/login")]
    for document in documents:
        assert all(script.get("src", "").startswith("/") for script in document.all("script"))
        assert document.all("style") == []
        for tag, attributes in document.elements:
            assert "style" not in attributes, tag
            assert not any(name.startswith("on") for name in attributes), tag
            for name in ("href", "src", "action"):
                assert attributes.get(name, "/").startswith(("/", "#")), attributes


def test_pages_can_be_used_without_eyes_or_a_mouse(site, browser, paths):
    documents = [*map(browser.document, paths), Browser(site).document("/login")]
    for document in documents:
        assert document.all("html")[0]["lang"] == "en"
        assert len(document.all("h1")) == len(document.all("main")) == 1
        assert document.all("a")[0]["href"] == "#main"
        assert len(document.all("caption")) == len(document.all("table"))
        assert all("scope" in heading for heading in document.all("th"))
        labelled = {label.get("for") for label in document.all("label")}
        for field in document.all("input"):
            assert field.get("type") in ("hidden", "checkbox") or field["id"] in labelled


def test_errors_are_pages(browser):
    for path in ("/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/problems/none", "/?after=x"):
        answer = browser.get(path)
        assert (answer.status_code, answer.mimetype) == (404, "text/html")
        assert Document(answer.text).all("h1")


@pytest.mark.parametrize(("path", "status"), [("/no/such", 404), ("/logout", 405)])
def test_addresses_that_are_none_are_pages_for_people_and_problems_for_programs(
    browser, path, status
):
    page = browser.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert "style-src 'self'" in page.headers["Content-Security-Policy"]
    assert Document(page.text).all("h1")
    for where, accept in ((path, "*/*"), (path, None), ("/api/v1/no-such", "text/html")):
        answer = browser.get(where, headers={"Accept": accept} if accept else {})
        assert answer.mimetype == "application/problem+json"
    if status == 405:
        assert "POST" in page.headers["Allow"]


def test_an_error_page_keeps_the_menu_of_who_is_logged_in(browser):
    page = browser.get("/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert page.status_code == 404
    links = [link["href"] for link in Document(page.text).all("a")]
    assert "/tokens" in links
    assert "/login" not in links


def test_the_page_of_a_kind_of_error_shows_code_as_code(browser):
    text = browser.get("/problems/conflict").text
    assert "<code>code</code>" in text
    assert "`" not in text
