"""Who has agents: logging in, tokens, agents, and a seat that is played from the keyboard."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest

from .people import PHONE, Person, assert_fit

pytestmark = pytest.mark.foreign

SUITED = re.compile(r"[♣♦♥♠]|\b[3-9TJQKA2][CDHS]\b")
SIGNS = str.maketrans("♣♦♥♠", "CDHS")
REACHED = 30  # buttons; longer plays come later
OVER = "The match is over"
NAME = "ByHandUnderANameThatGoesOnAndOnWithoutAnyBlankInIt"


@pytest.fixture
def author(person, organizer) -> Person:
    """Logged in."""
    author = person()
    author.go("/login")
    author.log_in(organizer.token)
    return author


def test_a_wrong_token_is_refused_in_words(person, organizer):
    somebody = person()
    somebody.go("/tokens")  # leads to the login, and back
    somebody.expect_refusal(401)
    somebody.log_in("arn_pat_" + "x" * 49)
    assert somebody.page.get_by_role("alert").is_visible()
    assert_fit(somebody.page)
    somebody.log_in(organizer.token)
    assert somebody.page.url.endswith("/tokens")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_token_is_made_used_and_revoked(person, organizer, scripts):
    author = person(java_script_enabled=scripts)
    author.go("/tokens")
    author.log_in(organizer.token)
    author.page.get_by_label("What it is for").fill("my phone")
    author.page.get_by_label("agents:read").check()
    author.follow("Create it")
    token = author.page.locator(".secret").inner_text()
    if scripts:
        assert_fit(author.page)

    phone = person(viewport=PHONE)
    phone.go("/agents")
    phone.log_in(token)
    assert phone.main.get_by_role("heading", name="Your agents").is_visible()

    author.follow("All your tokens")
    if scripts:
        assert_fit(author.page)
    row = author.page.locator("tbody tr").filter(has_text="my phone")
    row.get_by_role("button").click()
    assert row.get_by_role("button").is_visible(), "the browser asks for the box to be ticked"
    row.get_by_role("checkbox").check()
    author.follow("Revoke my phone")
    assert "revoked" in row.inner_text()
    phone.follow("Baohuang Arena")
    assert phone.page.get_by_role("link", name="Log in").is_visible()


def test_an_agent_is_paused_and_resumed(author, organizer):
    organizer.post("/agents", {"name": "A bot with quite a long name 很长的名字", "kind": "pull"})
    author.follow("Agents")
    assert_fit(author.page)
    author.follow("Pause A bot with quite a long name 很长的名字")
    author.follow("Resume A bot with quite a long name 很长的名字")
    assert author.page.get_by_role("cell", name="active").is_visible()
    with author.page.expect_navigation():
        author.page.get_by_role("link", name="A bot").click()
    assert_fit(author.page)
    author.page.locator("nav").get_by_role("link").last.click()
    author.main.get_by_text("This login may").wait_for()
    assert_fit(author.page)


def test_the_seat_says_that_it_needs_scripts(person, organizer):
    made = organizer.post("/agents", {"name": "me", "kind": "pull"})["id"]
    author = person(java_script_enabled=False)
    author.go(f"/agents/{made}/seat")
    author.log_in(organizer.token)
    assert author.page.get_by_text("This page needs JavaScript.").is_visible()


def hand_and_rest(page) -> tuple[Counter[str], str]:
    """The cards that are shown as one's own, and the document without them."""
    cards, rest = page.evaluate(
        """() => {
          const hand = document.querySelector("[data-hand]");
          const copy = document.documentElement.cloneNode(true);
          copy.querySelector("[data-hand]").remove();
          return [hand.textContent, copy.outerHTML];
        }"""
    )
    return Counter(cards.translate(SIGNS).split()), rest


def await_turn(page) -> bool:
    """Until one is asked; False once the match is over."""
    page.wait_for_function(
        """over => !document.querySelector("[data-question]").hidden
          || document.querySelector("[data-log]").textContent.includes(over)""",
        arg=OVER,
    )
    return not page.locator("[data-question]").is_hidden()


def play(player: Person) -> list[Counter[str]]:
    """A match to its end with Tab and Enter: many cards at once, and never away from the throne.

    The hands that were seen once it was settled who is emperor.
    """
    page, hands = player.page, []
    while await_turn(page):
        hand, rest = hand_and_rest(page)
        assert SUITED.findall(rest) == []
        asked = page.locator("[data-asked]").inner_text()
        if asked.startswith(("To beat", "You lead")):
            hands.append(hand)
        buttons = page.locator("[data-answers] button")
        last = min(buttons.count(), REACHED) - 1
        player.tab_to(buttons.nth(0 if "throne" in asked else last))
        page.keyboard.press("Enter")
    return hands


def test_a_tournament_is_run_and_a_seat_is_played_by_the_keyboard_alone(person, organizer):
    agent = organizer.post("/agents", {"name": NAME, "kind": "pull"})
    settings = {"rule_set": "lianzhong-simple", "rounds": 1, "deals": 1, "capacity": 5}
    settings |= {"house_bot": "greedy", "budget_ms": 600_000}
    cup = organizer.post("/tournaments", {"name": "Cup by hand", **settings})["id"]

    player = person()
    page, keys = player.page, player.page.keyboard
    player.go("/")
    player.press("Log in")
    player.tab_to(page.get_by_label("Token"))
    keys.type(organizer.token)
    with page.expect_navigation():
        keys.press("Enter")
    player.press("Cup by hand")
    player.press("Open the entry")
    player.press("Enter it")
    assert_fit(page)
    player.press("Start")
    page.get_by_text("Round 1, table 1 begins.").wait_for()
    player.press("Round 1")
    player.press("running")
    visitor = person()
    visitor.go(page.url)
    visitor.page.get_by_text("This page updates itself.").wait_for()

    watcher = person()
    watcher.go(f"/tournaments/{cup}")
    watcher.tab_to(watcher.named("Round 1"))

    player.press("Agents")
    player.press(NAME)
    player.press("Play yourself in its place")
    assert await_turn(page)
    assert_fit(page)
    hands = play(player)
    lines = page.locator("[data-log] li").all_inner_texts()
    assert lines[0].startswith(OVER)
    assert lines[1].startswith("Deal 1 is over")

    watcher.page.locator("td", has_text="finished").wait_for()
    assert watcher.page.locator(":focus").inner_text() == "Round 1", "though the row is new"

    visitor.page.get_by_text("Finished, 1 deal").wait_for()
    seen = visitor.page.locator(".log li").all_inner_texts()
    assert any(f"{NAME}: " in line for line in seen)
    assert SUITED.findall(visitor.page.content()) == []
    assert_fit(visitor.page)
    (match,) = organizer.items(f"/tournaments/{cup}/matches")
    record = organizer.get(f"/matches/{match['id']}/record")
    seat = record["seats"].index(NAME)
    dealt = Counter(record["deals"][0]["hands"][seat].split())
    assert dealt <= hands[0], "he never gives the throne away"
    yields = [answer for _, answer, *_ in record["deals"][0]["answers"]].count("yield")
    reached = record["deals"][0]["emperor"] == seat and not dealt["E"]
    gained = Counter(["E"]) if reached else Counter()
    gifts = hands[0] - dealt - gained
    assert gained <= hands[0]
    assert gifts.total() == (yields - 1 if reached else 0), "rules.md 3.2"
    assert all(later <= earlier for earlier, later in pairwise(hands))
    assert len([who for who, *_ in record["deals"][0]["answers"] if who == seat]) >= len(hands)

    player.press("Log out")
    player.go(f"/agents/{agent['id']}")
    assert page.get_by_label("Token").is_visible()
