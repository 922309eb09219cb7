"""A person at a seat: the page, its two doors, and its script in a document without a browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest

from baohuang.api.models import Role
from baohuang.api.pages import seat
from baohuang.api.remote.pull import Letter
from baohuang.api.services import questions

from ..tournament_support import opened, play_round
from .browser import Browser, logged_in

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "openapi" / "examples"
REQUEST = "01" + "A" * 24


@pytest.fixture
def agent_id(author):
    return author.post("/agents", json={"name": "me", "kind": "pull"}).json["id"]


@pytest.fixture
def browser(site, author):
    return logged_in(site, author)


@pytest.fixture
def match_id(site, organizer):
    tournament_id = opened(organizer, deals=1, rounds=1, capacity=5)
    for _ in range(5):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    return play_round(site, tournament_id)[0]


def offer(site, agent_id, match_id, kind="decide", limit_ms=3_600_000):
    body = orjson.dumps(
        {"request": REQUEST, "kind": kind, "legal": ["pass", "77"], "clock": {"budget_ms": 1}}
    )
    letter = Letter(REQUEST, agent_id, match_id, 1, kind, body, 1, limit_ms)
    with site.arena.database.begin() as session:
        questions.offer(session, [letter])


def ask(browser, agent_id, door="next", **fields):
    """As the script does, with the key that the page gave it."""
    page = browser.document(f"/agents/{agent_id}/seat")
    (room,) = [one for one in page.all("div") if "data-sit" in one]
    headers = {"X-Form-Key": room["data-key"], "Sec-Fetch-Site": "same-origin"}
    return browser.post(f"{room['data-sit']}/{door}", fields, headers=headers)


def test_the_page_has_a_seat_for_a_pull_agent_and_a_link_leads_there(browser, agent_id):
    page = browser.document(f"/agents/{agent_id}/seat")
    assert "me, played by you" in page.text
    assert [script["src"] for script in page.all("script")] == ["/static/seat.js"]
    agent = browser.document(f"/agents/{agent_id}")
    assert f"/agents/{agent_id}/seat" in [link["href"] for link in agent.all("a")]


def test_to_look_at_the_page_is_not_to_fetch(site, browser, agent_id, match_id):
    offer(site, agent_id, match_id)
    browser.document(f"/agents/{agent_id}/seat")
    refused = ask(browser, agent_id, "answers", request=REQUEST, answer="77")
    assert refused.status_code == 409  # nobody fetched it


def test_a_question_is_fetched_and_answered(site, browser, agent_id, match_id):
    offer(site, agent_id, match_id)
    fetched = ask(browser, agent_id)
    assert fetched.status_code == 200
    assert fetched.json["request"] == REQUEST
    assert fetched.json["clock"]["deadline"].endswith("Z")
    assert fetched.headers["Cache-Control"] == "no-store"
    wrong = ask(browser, agent_id, "answers", request=REQUEST, answer="99")
    assert wrong.status_code == 422
    taken = ask(browser, agent_id, "answers", request=REQUEST, answer="77")
    assert taken.json["answer"] == "77"
    other = ask(browser, agent_id, "answers", request=REQUEST, answer="pass")
    assert other.status_code == 409


def test_without_a_question_it_waits_and_says_so(browser, agent_id, monkeypatch):
    monkeypatch.setattr(seat, "WAIT_S", 0.05)
    assert ask(browser, agent_id).status_code == 204


def test_strangers_and_others_get_nothing(site, browser, agent_id, match_id):
    offer(site, agent_id, match_id)
    stranger = Browser(site)
    assert stranger.get(f"/agents/{agent_id}/seat").status_code == 303
    assert stranger.post(f"/agents/{agent_id}/seat/next").status_code == 401
    other = logged_in(site, site.caller("Bert", Role.AUTHOR))
    assert other.get(f"/agents/{agent_id}/seat").status_code == 404
    own = other.document("/account").form("/logout").fields["form_key"]
    for door in ("next", "answers"):
        path = f"/agents/{agent_id}/seat/{door}"
        assert other.post(path, {"form_key": own}).status_code in (404, 422)
        assert browser.post(path, {"form_key": own}).status_code == 403
    assert ask(browser, agent_id).status_code == 200  # it is still there


def test_who_may_not_play_by_his_token_may_not_play_here(site, author, agent_id):
    reader = author.post("/tokens", json={"name": "r", "scopes": ["agents:read"]}).json["token"]
    browser = Browser(site)
    assert browser.log_in(reader).status_code == 303
    assert browser.get(f"/agents/{agent_id}/seat").status_code == 403


def test_an_agent_that_is_called_has_no_seat_here(author, browser):
    called = author.post("/agents", json={"name": "b", "url": "http://127.0.0.1:8001/"}).json["id"]
    assert browser.get(f"/agents/{called}/seat").status_code == 409
    links = [link["href"] for link in browser.document(f"/agents/{called}").all("a")]
    assert f"/agents/{called}/seat" not in links


# The script


def run(page: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    given = {"page": page, "steps": steps}
    given["script"] = (ROOT / "api" / "static" / "seat.js").read_text("utf-8")
    jsdom = ROOT / ".ci" / "pages" / "node_modules" / "jsdom"
    ran = subprocess.run(
        ["node", str(Path(__file__).with_name("seat_page.cjs")), str(jsdom)],
        input=json.dumps(given), check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


def example(name: str, **changes: Any) -> dict[str, Any]:
    question = json.loads((EXAMPLES / f"decide-{name}.json").read_text("utf-8"))
    clock = {"budget_ms": 2000, "bank_ms": 8000, "deadline": "2026-01-01T00:00:02.000Z"}
    return question | {"clock": clock} | changes


@pytest.fixture
def page(browser, agent_id):
    return browser.get(f"/agents/{agent_id}/seat").text


@pytest.mark.foreign
def test_the_script_shows_the_table_and_sends_what_was_pressed(page, agent_id):
    question = example("follow")
    made = run(page, [
        {"status": 204},
        {"status": 200, "body": question, "press": question["legal"][-1]},
        {"status": 200, "body": {"ms": 5}},
        {"status": 204},
    ])  # fmt: skip
    first, asked, answered = made["seen"][:3]
    assert first["hidden"]
    assert not asked["hidden"]
    assert asked["asked"] == f"To beat: {question['trick']['to_beat']}"
    assert asked["buttons"] == question["legal"]
    assert asked["clock"].startswith("10 s")
    hand = question["hand"].translate(str.maketrans("CDHS", "♣♦♥♠"))
    assert "".join(asked["hand"]).split() == hand.split()
    assert asked["red"] == [card for card in hand.split() if card[-1] in "♦♥"]
    assert asked["seats"][question["seat"]].startswith(f"{question['seat']} (you)")
    assert answered["hidden"]
    doors = [each["url"].removeprefix(f"/agents/{agent_id}/seat/") for each in made["sent"]]
    assert doors == ["next", "next", "answers", "next", "next"]
    sent = parse_qs(made["sent"][2]["body"])
    assert sent == {"request": [question["request"]], "answer": [question["legal"][-1]]}
    assert len({each["key"] for each in made["sent"]}) == 1


@pytest.mark.foreign
@pytest.mark.parametrize(
    ("name", "role", "buttons", "terms"),
    [
        ("throne", None, ["accept", "yield"], ["登基", "让位"]),
        ("grab", None, ["open", "silent"], ["抢独"]),
        ("call", "emperor", ["call 7♣", "call K♠"], ["叫", "叫"]),
        ("declare", "rebel", ["rebel", "silent"], ["造反"]),
        ("kick", "emperor", ["kick", "silent"], ["踢"]),
    ],
)
def test_the_script_says_what_players_call_the_answers(page, name, role, buttons, terms):
    question = example(name, role=role)
    asked, _ = run(page, [{"status": 200, "body": question}])["seen"]
    assert (asked["buttons"], asked["terms"]) == (buttons, terms)


@pytest.mark.foreign
@pytest.mark.parametrize(("role", "term"), [("emperor", "明独"), ("guard", "明保")])
def test_the_script_tells_an_open_solo_from_an_open_guard(page, role, term):
    question = example("declare", legal=["open", "silent"], role=role)
    assert run(page, [{"status": 200, "body": question}])["seen"][0]["terms"] == [term]


@pytest.mark.foreign
def test_the_script_shows_the_clock_of_the_present_question_alone(page):
    follow, lead = example("follow"), example("lead")
    made = run(page, [
        {"status": 200, "body": follow, "press": "pass", "hold": True},
        {"status": 200, "body": {"ms": 5}, "hold": True},
        {"status": 200, "body": lead},
    ])  # fmt: skip
    shown = made["seen"][2]
    assert len(shown["clocks"]) == 2, "one of each question"
    assert all(f"then {lead['fallback']} is" in text for text in [shown["clock"], *shown["clocks"]])


@pytest.mark.foreign
def test_the_script_says_minutes(page):
    clock = {"budget_ms": 70_000, "bank_ms": 5_000, "deadline": "2026-01-01T00:01:10.000Z"}
    made = run(page, [{"status": 200, "body": example("follow", clock=clock)}])
    assert made["seen"][0]["clock"] == "1 min 15 s, then pass is played for you"


@pytest.mark.foreign
def test_the_script_says_when_time_is_up_and_goes_on(page):
    question = example("follow")
    made = run(page, [{"status": 200, "body": question, "late": 11_000}, {"status": 204}])
    assert f"Time is up; {question['fallback']}" in made["seen"][1]["state"]
    assert made["seen"][1]["hidden"]
    assert all("answers" not in each["url"] for each in made["sent"])


@pytest.mark.foreign
def test_the_script_lists_some_of_many_answers_and_finds_the_others(page):
    legal = ["pass", *(f"{rank}{'x' * jokers}" for rank in "3456789TJQKA2" for jokers in range(9))]
    question = example("follow", legal=legal)
    made = run(page, [
        {"status": 200, "body": question},
    ])  # fmt: skip
    assert len(made["seen"][0]["buttons"]) == 60
    assert made["seen"][0]["more"] == ["and 58 more: write a part of it above"]
    found = run(page, [{"status": 200, "body": question, "filter": "2x"}])["seen"][0]
    assert found["buttons"] == [answer for answer in legal if "2x" in answer]


@pytest.mark.foreign
def test_the_script_hears_notices_and_survives_errors(page):
    end = {"kind": "deal_end", "deal": 1, "scores": [2, 1, -1, -1, -1]}
    over = {"kind": "match_end", "totals": [2, 1, -1, -1, -1], "penalties": [0] * 5}
    made = run(page, [
        {"status": 200, "body": end},
        {"status": 200, "body": over},
        {"status": 503},
        {"status": 204},
    ])  # fmt: skip
    log = made["seen"][1]["log"]
    assert log[0].startswith("The match is over. 0: 2, 1: 1")
    assert log[1].startswith("Deal 1 is over. 0: 2")
    assert "503" in made["seen"][2]["state"]
    assert len(made["sent"]) == 5


@pytest.mark.foreign
def test_what_comes_from_the_table_stays_text(page):
    before = run(page, [{"status": 204}])["seen"][0]["scripts"]
    evil = "<script>alert(1)</script>"
    question = example("follow", history=[[1, evil]], legal=[evil, "pass"])
    shown = run(page, [{"status": 200, "body": question}])["seen"][0]
    assert shown["scripts"] == before
    assert shown["buttons"] == [evil, "pass"]
    assert evil in shown["log"][0]
