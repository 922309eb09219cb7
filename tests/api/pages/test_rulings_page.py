"""The page of rulings and appeals: what the API shows the same visitor, the newest first."""

from __future__ import annotations

import re

import pytest

from baohuang.api.models import Role

from ..tournament_support import (
    agent,
    close_rounds,
    created,
    open_round,
    opened,
    play,
    play_round,
)
from .browser import Browser, logged_in

HOSTILE = "</td></table><script>alert(1)</script> {{ 7 * 7 }} &amp; \"'" + "x" * 300


def cells(browser, path, query=""):
    """Two lists of rows, rulings and appeals, from the cells of the page as it is written."""
    answer = browser.get(f"{path}/rulings{query}")
    assert answer.status_code == 200, answer.text
    browser.document(f"{path}/rulings{query}")  # tags nest

    def rows(part):
        found = re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)[1:]
        plain = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in found]
        return [[re.sub("<[^>]*>", "", cell).strip() for cell in row] for row in plain]

    rulings, _, appeals = answer.text.partition("<h2>")
    return rows(rulings), rows(appeals)


@pytest.fixture
def played(site, organizer, author):
    """Two rounds of five, the first of which is over: the path, the author's entry, the match."""
    tournament_id = opened(organizer, rounds=2, deals=1, capacity=5, appeal_window_s=600)
    path = f"/tournaments/{tournament_id}"
    body = {"agent_id": agent(site, author, "wolf")}
    entry_id = author.post(f"{path}/entries", json=body).json["id"]
    assert organizer.post(f"{path}/start").status_code == 200
    (match_id,) = play_round(site, tournament_id)
    return path, entry_id, match_id


def rule(organizer, path, kind, reason="So it is.", **about):
    answer = organizer.post(f"{path}/rulings", json={"kind": kind, "reason": reason, **about})
    assert answer.status_code == 201, answer.json
    return answer.json


def appeal(author, path, entry_id, statement="No.", **about):
    body = {"entry_id": entry_id, "statement": statement, **about}
    answer = author.post(f"{path}/appeals", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["id"]


def test_rulings_say_what_whom_why_and_whether_they_stand(site, organizer, played):
    path, entry_id, match_id = played
    rule(organizer, path, "annul", "The lights went out.", match_id=match_id)
    fined = rule(organizer, path, "penalize", "Late.", entry_id=entry_id, round=1, points=-3)
    rule(organizer, path, "undo", "He was not.", ruling_id=fined["id"])
    rule(organizer, path, "warn", "Talks.", entry_id=entry_id)
    rulings, appeals = cells(Browser(site), path)
    assert [[number, *rest] for number, _, *rest in rulings] == [
        ["4", "warn", "wolf", "Talks.", "stands"],
        ["3", "undo ruling 2", "wolf, round 1", "He was not.", "stands"],
        ["2", "penalize -3", "wolf, round 1", "Late.", "undone by ruling 3"],
        ["1", "annul", "round 1, table 1", "The lights went out.", "stands"],
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", when) for _, when, *_ in rulings)
    assert appeals == []
    links = {link["href"] for link in Browser(site).document(f"{path}/rulings").all("a")}
    assert f"/matches/{match_id}" in links


def test_a_replay_leads_to_the_match_that_is_played_instead(site, organizer, played):
    path, _, match_id = played
    again = rule(organizer, path, "replay", match_id=match_id)["replay_id"]
    ((_, _, kind, about, *_),), _ = cells(Browser(site), path)
    assert (kind, about) == ("replay", "round 1, table 1, played anew at round 1, table 2")
    links = {link["href"] for link in Browser(site).document(f"{path}/rulings").all("a")}
    assert {f"/matches/{match_id}", f"/matches/{again}"} <= links


def test_appeals_say_what_they_are_about_and_what_was_decided(site, organizer, author, played):
    path, entry_id, match_id = played
    warned = rule(organizer, path, "warn", entry_id=entry_id)
    first = appeal(author, path, entry_id, "It was a tie.", match_id=match_id)
    appeal(author, path, entry_id, "I was silent.", ruling_id=warned["id"])
    gift = rule(organizer, path, "adjust", entry_id=entry_id, round=1, points=2)
    decision = {"outcome": "upheld", "reason": "He is right.", "ruling_id": gift["id"]}
    assert organizer.post(f"/appeals/{first}/decide", json=decision).status_code == 200
    rulings, (second, decided) = cells(Browser(site), path)
    assert [kind for _, _, kind, *_ in rulings] == ["adjust +2", "warn"]
    assert [second[0], *second[2:]] == ["2", "wolf", "ruling 1", "I was silent.", "open", ""]
    assert [decided[0], *decided[2:5]] == ["1", "wolf", "round 1, table 1", "It was a tie."]
    assert re.fullmatch(r"upheld \S+ \S+ UTC", decided[5])
    assert decided[6] == "He is right. (ruling 2)"


def test_reasons_and_names_are_text_whatever_they_hold(site, organizer, author):
    tournament_id = opened(organizer, name="<b>Cup</b>", deals=1, appeal_window_s=600)
    path, name = f"/tournaments/{tournament_id}", "<i>wolf</i>"
    body = {"agent_id": agent(site, author, name)}
    entry_id = author.post(f"{path}/entries", json=body).json["id"]
    organizer.post(f"{path}/start")
    (match_id,) = play_round(site, tournament_id)
    rule(organizer, path, "warn", HOSTILE, entry_id=entry_id)
    made = appeal(author, path, entry_id, HOSTILE, match_id=match_id)
    decision = {"outcome": "rejected", "reason": HOSTILE}
    assert organizer.post(f"/appeals/{made}/decide", json=decision).status_code == 200
    document = Browser(site).document(f"{path}/rulings")
    assert document.text.count(HOSTILE) == 3
    assert document.text.count(name) == 2
    assert [tag for tag in ("script", "b", "i") if document.all(tag)] == []
    assert len(document.all("table")) == 2
    long = [cell["data-label"] for cell in document.all("td") if "long" in cell.get("class", "")]
    assert long == ["About", "Why", "Whose", "What it says", "Decision"]


def test_each_of_the_two_lists_goes_on_where_it_ended(site, organizer, author, played, monkeypatch):
    monkeypatch.setattr("baohuang.api.pages.rulings.ROWS", 2)
    path, entry_id, _ = played
    for number in range(1, 6):
        made = rule(organizer, path, "warn", f"Warning {number}.", entry_id=entry_id)
        if number <= 3:
            appeal(author, path, entry_id, f"Appeal {number}.", ruling_id=made["id"])
    browser = Browser(site)

    def numbers(query):
        return [[row[0] for row in rows] for rows in cells(browser, path, query)]

    def older(query):
        links = browser.document(f"{path}/rulings{query}").all("a")
        found = [link["href"] for link in links if link.get("rel") == "next"]
        return [link.removeprefix(f"{path}/rulings") for link in found]

    assert numbers("") == [["5", "4"], ["3", "2"]]
    rulings, appeals = older("")
    assert numbers(rulings) == [["3", "2"], ["3", "2"]]
    assert numbers(appeals) == [["5", "4"], ["1"]]
    further, both = older(rulings)
    assert numbers(further) == [["1"], ["3", "2"]]
    assert numbers(both) == [["3", "2"], ["1"]]
    assert numbers(older(both)[0]) == [["1"], ["1"]]
    for wrong in ("?after=x", "?appeals=x", "?appeals=-1"):
        assert browser.get(f"{path}/rulings{wrong}").status_code == 404


def test_the_page_of_the_tournament_leads_there_when_there_is_something(
    site, organizer, author, played
):
    path, entry_id, match_id = played

    def leads(browser):
        links = {link["href"] for link in browser.document(path).all("a")}
        return f"{path}/rulings" in links

    assert not leads(Browser(site))
    assert "None." in Browser(site).get(f"{path}/rulings").text
    appeal(author, path, entry_id, match_id=match_id)
    assert leads(Browser(site))


def test_a_ruling_alone_is_something(site, organizer, played):
    path, entry_id, _ = played
    rule(organizer, path, "warn", entry_id=entry_id)
    links = {link["href"] for link in Browser(site).document(path).all("a")}
    assert f"{path}/rulings" in links


def test_a_draft_has_one_for_its_organizer_alone(site, organizer, author):
    path = f"/tournaments/{created(organizer)}/rulings"
    assert logged_in(site, organizer).get(path).status_code == 200
    for browser in (Browser(site), logged_in(site, author)):
        assert browser.get(path).status_code == 404


def test_an_appeal_that_would_tell_who_sits_at_a_table_waits_with_the_link_to_it(
    site, organizer, author
):
    """As in the API: its author and who judges see it, others when the round has ended."""
    settings = {"rounds": 2, "deals": 1, "capacity": 5, "appeal_window_s": 600}
    tournament_id = opened(organizer, pseudonyms=True, **settings)
    path = f"/tournaments/{tournament_id}"
    body = {"agent_id": agent(site, author, "wolf")}
    entry_id = author.post(f"{path}/entries", json=body).json["id"]
    organizer.post(f"{path}/start")
    (match_id,) = open_round(site, tournament_id)
    appeal(author, path, entry_id, match_id=match_id)
    strangers = [Browser(site), logged_in(site, site.caller("Otto", Role.ORGANIZER))]
    for browser in strangers:
        assert cells(browser, path) == ([], [])
        assert "wolf" not in browser.get(f"{path}/rulings").text
        assert f"{path}/rulings" not in browser.get(path).text
    for caller in (author, organizer, site.caller("Arne", Role.ARBITER)):
        browser = logged_in(site, caller)
        assert len(cells(browser, path)[1]) == 1
        assert f"{path}/rulings" in browser.get(path).text
    play(site, match_id)
    close_rounds(site)
    for browser in strangers:
        ((_, _, whose, about, *_),) = cells(browser, path)[1]
        assert (whose, about) == ("wolf", "round 1, table 1")


def test_a_seating_by_hand_tells_its_round_and_no_table(site, organizer):
    tournament_id = opened(organizer, pseudonyms=True, rounds=2, deals=1, capacity=5)
    path = f"/tournaments/{tournament_id}"
    for _ in range(5):
        organizer.post(f"{path}/entries", json={"house_bot": "greedy"})
    organizer.post(f"{path}/start")
    play_round(site, tournament_id)
    five = [entry["id"] for entry in organizer.get(f"{path}/entries").json["items"]]
    rule(organizer, path, "seat", tables=[five])
    ((_, _, kind, about, *_),), _ = cells(Browser(site), path)
    assert (kind, about) == ("seat", "round 2")
    page = Browser(site).get(f"{path}/rulings").text
    assert not any(entry_id in page for entry_id in five)
