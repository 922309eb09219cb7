"""Who only looks: from the front page to a match, and a tournament that is seen as it happens."""

from __future__ import annotations

import pytest

from ..scheduler.arena import until
from .people import assert_fit

pytestmark = pytest.mark.foreign

LONG = "ThisWordGoesOnAndOnWithoutAnyBlankInItUntilItDoesNotFit"


def house_cup(organizer, name):
    """A tournament of house bots alone, open."""
    settings = {"rule_set": "lianzhong-simple", "rounds": 1, "deals": 1, "capacity": 10}
    path = "/tournaments/" + organizer.post("/tournaments", {"name": name, **settings})["id"]
    organizer.post(f"{path}/open")
    for bot in ["random"] * 5 + ["greedy"] * 5:
        organizer.post(f"{path}/entries", {"house_bot": bot})
    return path


def test_a_tournament_is_seen_as_it_happens_and_looked_through_afterwards(person, organizer):
    path = house_cup(organizer, "Spring cup 春季杯")
    visitor = person()
    page = visitor.page
    visitor.go("/")
    assert_fit(page)
    visitor.follow("Spring cup 春季杯")
    page.get_by_text("This page updates itself.").wait_for()
    page.evaluate("window.stayed = true")
    organizer.post(f"{path}/start")
    page.get_by_text("The tournament is over.").wait_for()
    page.locator("dd", has_text="finished").wait_for()
    assert page.evaluate("window.stayed"), "nothing was loaded anew"
    lines = page.locator(".log li").all_inner_texts()
    assert {"Round 1: 2 tables.", "Round 1 is over."} <= set(lines)
    assert page.get_by_role("row").filter(has_text="greedy").count() == 5
    assert_fit(page)

    visitor.follow("The whole standings")
    rows = page.locator("tbody tr").all()
    points = [int(row.locator("td").nth(2).inner_text()) for row in rows]
    assert len(points) == 10
    assert points == sorted(points, reverse=True)
    assert sum(points) == 0
    assert_fit(page)

    visitor.go(path)
    visitor.follow("How fair the draw is")
    assert page.get_by_text("Counted from the one round as drawn, for 10 entries.").is_visible()
    assert_fit(page)
    visitor.go(path)
    visitor.follow("Round 1")
    assert_fit(page)
    visitor.follow("finished")
    assert_fit(page)
    names = page.locator("[data-name]").all_inner_texts()
    assert len(set(names)) == 5
    last = page.locator(".log li").filter(has_text="Deal 1 is over")
    assert all(name in last.inner_text() for name in names)
    assert page.get_by_role("link", name="The record").get_attribute("href")


def test_rulings_and_appeals_fit_whatever_people_write(person, organizer):
    """Nothing need be played for it: its agent has ten minutes, and the tournament is paused."""
    settings = {"rule_set": "lianzhong-simple", "rounds": 1, "deals": 1, "capacity": 5}
    settings |= {"budget_ms": 600_000, "appeal_window_s": 86_400}
    path = "/tournaments/" + organizer.post("/tournaments", {"name": LONG, **settings})["id"]
    organizer.post(f"{path}/open")
    agent = organizer.post("/agents", {"name": LONG, "kind": "pull"})["id"]
    entry = organizer.post(f"{path}/entries", {"agent_id": agent})["id"]
    organizer.post(f"{path}/start")
    (match,) = until(lambda: organizer.get(f"{path}/matches")["items"])
    organizer.post(f"{path}/pause")
    visitor = person()
    visitor.go(path)
    visitor.page.get_by_text("This page updates itself.").wait_for()
    first = {"entry_id": entry, "match_id": match["id"], "statement": "Nobody asked us."}
    organizer.post(f"{path}/appeals", first)
    visitor.named("Rulings and appeals").wait_for()  # the page says so by itself

    ruling = {"kind": "warn", "entry_id": entry, "reason": f"<b>{LONG * 5}</b>"}
    ruled = organizer.post(f"{path}/rulings", ruling)["id"]
    appeal = {"entry_id": entry, "ruling_id": ruled, "statement": f"{LONG * 9} 我没有说话。"}
    made = organizer.post(f"{path}/appeals", appeal)["id"]
    organizer.post(f"/appeals/{made}/decide", {"outcome": "rejected", "reason": LONG * 5})

    visitor.follow("Rulings and appeals")
    assert visitor.page.get_by_role("cell", name="warn", exact=True).is_visible()
    for text in (ruling["reason"], appeal["statement"], first["statement"]):
        assert visitor.page.get_by_text(text, exact=True).is_visible()
    assert_fit(visitor.page)
    organizer.post(f"{path}/cancel")


def test_an_address_that_is_none_is_a_page_with_a_way_back(person):
    visitor = person()
    visitor.expect_refusal(404)
    visitor.go("/no/such/page")
    assert_fit(visitor.page)
    visitor.follow("All tournaments")
    assert visitor.page.url.endswith("/")


def test_the_api_can_be_read_without_the_internet(person):
    """Swagger UI's own page; how it looks after people is not ours."""
    visitor = person(viewport={"width": 360, "height": 740})
    visitor.go("/docs")
    visitor.page.get_by_role("heading", name="Baohuang Arena").wait_for()
    visitor.page.get_by_text("Create a tournament").wait_for()
    visitor.follow("Baohuang Arena")
    assert visitor.page.get_by_role("heading", name="Tournaments", exact=True).is_visible()


def test_without_scripts_everything_but_news_is_there(person, organizer):
    path = house_cup(organizer, "Cup without scripts")
    visitor = person(java_script_enabled=False)
    visitor.go("/")
    visitor.follow("Cup without scripts")
    assert visitor.page.get_by_text("Without JavaScript").is_visible()
    organizer.post(f"{path}/start")
    visitor.page.reload()
    assert visitor.page.locator("dt", has_text="Begins").count() == 1
    visitor.go("/docs")
    assert visitor.page.get_by_role("link", name="openapi.json").is_visible()
