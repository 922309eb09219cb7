"""The script of the live pages, run in a document without a browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..tournament_support import opened, play_round
from .browser import Browser

pytestmark = pytest.mark.foreign

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "api" / "static" / "live.js"
MOST = 500  # lines that the page keeps


def shown(before: str, after: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What a page shows once these events have come."""
    given = {
        "before": before,
        "after": after,
        "messages": messages,
        "script": SCRIPT.read_text("utf-8"),
    }
    jsdom = ROOT / ".ci" / "pages" / "node_modules" / "jsdom"
    ran = subprocess.run(
        ["node", str(Path(__file__).with_name("live_page.cjs")), str(jsdom)],
        input=json.dumps(given),
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    result: dict[str, Any] = json.loads(ran.stdout)
    return result


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"seq": 1, "kind": kind, "payload": payload}


@pytest.fixture
def started(site, organizer):
    tournament_id = opened(organizer, deals=1, rounds=2, capacity=5)
    for _ in range(5):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    return tournament_id


def test_the_page_of_a_tournament_says_what_happens_and_shows_what_has_changed(site, started):
    path = f"/tournaments/{started}"
    before = Browser(site).get(path).text
    play_round(site, started)
    after = Browser(site).get(path).text
    assert "Round 1" in after
    assert "Round 1" not in before
    events = [
        event("round.opened", round=1, tables=1, byes=[], out=[]),
        event("deal.answers", deal=1, attempt=0, turn=3, answers=[[1, "77"]]),
        event("match.finished", round=1, table=1, points=[1, 2, -1, -1, -1], penalties=[0] * 5),
        event("something.new", name="x"),
    ]
    page = shown(before, after, events)
    assert page["stream"] == f"/api/v1{path}/events?start=now"
    assert page["lines"] == [
        "Round 1, table 1: 1, 2, -1, -1, -1.",
        "Round 1: 1 table.",
    ]
    assert page["fetched"] == ["http://arena.example/page"], "once for all that came together"
    assert "Round 1" in page["fresh"]


def test_the_page_of_a_match_says_who_played_what(site, started):
    (match_id,) = play_round(site, started)
    text = Browser(site).get(f"/matches/{match_id}").text
    page = shown(
        text,
        text,
        [
            event("deal.started", deal=1, attempt=0),
            event("deal.answers", deal=1, attempt=0, turn=1, answers=[[0, "accept"], [1, "77x"]]),
            event("deal.finished", deal=1, scores=[2, 1, -1, -1, -1]),
            event("match.finished", round=1, table=1, points=[2, 1, -1, -1, -1]),
        ],
    )
    over, end, answers, start = page["lines"]
    assert over.startswith("Round 1, table 1: greedy")
    assert start == "Deal 1 is dealt."
    assert answers.startswith("greedy")
    assert [part.rpartition(": ")[2] for part in answers.split("; ")] == ["accept", "77x"]
    assert end.startswith("Deal 1 is over: greedy")
    assert page["fetched"] == ["http://arena.example/page"], "for the match is over"


def test_one_is_no_more_than_one(site, started):
    text = Browser(site).get(f"/tournaments/{started}").text
    events = [event("tournament.started", entries=number) for number in (1, 7)]
    events += [event("standings.updated", results=number) for number in (1, 7)]
    assert shown(text, text, events)["lines"] == [
        "New standings after 7 matches.",
        "New standings after 1 match.",
        "It has started, with 7 entries.",
        "It has started, with 1 entry.",
    ]


def test_what_others_call_themselves_stays_text(site, started):
    text = Browser(site).get(f"/tournaments/{started}").text
    scripts = shown(text, text, [])["scripts"]
    name = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    page = shown(text, text, [event("entry.entered", name=name)])
    assert page["lines"] == [f"{name} has entered."]
    assert page["scripts"] == scripts


def test_the_page_keeps_no_more_lines_than_it_can_show(site, started):
    text = Browser(site).get(f"/tournaments/{started}").text
    events = [event("round.finished", round=number) for number in range(1, MOST + 11)]
    page = shown(text, text, events)
    assert len(page["lines"]) == MOST
    assert page["lines"][0] == f"Round {MOST + 10} is over."


def test_the_page_says_whether_it_is_live(site, started):
    text = Browser(site).get(f"/tournaments/{started}").text
    page = shown(text, text, [{"resync": True}])
    assert len(page["fetched"]) == 1
    live, again, over = page["states"]
    assert live == "This page updates itself."
    assert again.startswith("Connecting again")
    assert over.startswith("Not live")


def test_a_page_that_is_not_live_opens_no_stream(site):
    text = Browser(site).get("/").text
    assert shown(text, text, [])["stream"] is None
