"""The page of the fairness certificate: the API's numbers in sentences, and no more than those."""

from __future__ import annotations

import pytest

from baohuang.api import figures
from baohuang.api.models import Role
from baohuang.api.services import fairness

from ..tournament_support import close_rounds, created, open_round, opened, play, play_round
from .browser import Browser, logged_in


def started(organizer, bots, **settings):
    """A tournament of house bots alone; its path."""
    path = f"/tournaments/{opened(organizer, capacity=bots, deals=1, **settings)}"
    for _ in range(bots):
        assert organizer.post(f"{path}/entries", json={"house_bot": "greedy"}).status_code == 201
    assert organizer.post(f"{path}/start").status_code == 200
    return path


def said(browser, path):
    """All that the page says, with single blanks."""
    return " ".join(browser.document(f"{path}/fairness").text.split())


def id_of(path):
    return path.rpartition("/")[2]


def test_one_table_that_plays_a_board_twenty_times_is_even_in_everything(site, organizer):
    """Every two sit on every two seats once (docs): each 4 times in a seat, 5 times after each."""
    options = {"boards": 20}
    path = started(organizer, 5, format="single_table", rounds=1, format_options=options)
    play_round(site, id_of(path))
    text = said(Browser(site), path)
    for sentence in (
        "Counted from the one round as drawn, for 5 entries.",
        "Two entries sat at one table once. Meetings beyond each pair's first: 0;",
        "no schedule has fewer than 0. Their unevenness is 0; no schedule has less than 0.",
        "it sat in each 4 times (no difference is needed).",
        "were dealt first 4 times (no difference is needed).",
        # 20 ordered pairs, each C(5, 2) = 10
        "sat right after another one 5 times. Their unevenness is 200;",
        "by counting, no seats have less than 200.",
        "had a bye 0 times (no difference is needed).",
    ):
        assert sentence in text
    assert "not in here yet" not in text


def test_two_rounds_of_ten_have_eight_meetings_too_many_and_none_less(site, organizer):
    """Of five at a table two tables take three and two again: 3 + 1 pairs each, 8 in all."""
    path = started(organizer, 10, rounds=2)
    for _ in range(2):
        play_round(site, id_of(path))
    text = said(Browser(site), path)
    assert "Counted from the 2 rounds as drawn, for 10 entries." in text
    assert "sat at one table 0 to 2 times. Meetings beyond each pair's first: 8;" in text
    assert "no schedule has fewer than 8." in text
    assert "Their unevenness is 8; no schedule has less than 8." in text
    assert "it sat in each 0 to 1 times (a difference of 1 cannot be avoided)" in text


def test_the_page_of_the_tournament_leads_there_as_soon_as_a_round_is_drawn(site, organizer):
    path = started(organizer, 5, rounds=1)

    def links():
        return {link["href"] for link in Browser(site).document(path).all("a")}

    assert f"{path}/fairness" not in links()
    assert "No round has been drawn yet." in said(Browser(site), path)
    open_round(site, id_of(path))
    assert f"{path}/fairness" in links()


def test_a_draft_has_one_for_its_organizer_alone(site, organizer, author):
    path = f"/tournaments/{created(organizer)}"
    assert "No round has been drawn yet." in said(logged_in(site, organizer), path)
    for browser in (Browser(site), logged_in(site, author)):
        assert browser.get(f"{path}/fairness").status_code == 404


@pytest.mark.parametrize("role", [None, Role.AUTHOR, Role.ORGANIZER])
def test_a_round_that_shows_no_names_is_not_in_it_before_its_end(site, organizer, role):
    """Nor for who judges: the API tells nobody, so that a certificate is everybody's."""
    path = started(organizer, 10, rounds=2, pseudonyms=True)
    reader = organizer if role == Role.ORGANIZER else role and site.caller("Rita", role)
    browser = logged_in(site, reader) if reader else Browser(site)
    first, second = open_round(site, id_of(path))
    play(site, first)
    assert site.stranger().get(f"{path}/fairness").json["rounds"] == 0
    text = said(browser, path)
    assert "Round 1 is not in here yet: who sits where is told when it has ended." in text
    assert "Counted" not in text
    assert "Meetings" not in text
    play(site, second)
    close_rounds(site)
    open_round(site, id_of(path))
    text = said(browser, path)
    assert "Round 2 is not in here yet" in text
    assert "Counted from the one round as drawn, for 10 entries." in text


def test_who_is_dealt_first_waits_where_tables_play_the_same_cards(site, organizer):
    path = started(organizer, 10, rounds=1, format_options={"shared_boards": True, "effort": 1})
    first, second = open_round(site, id_of(path))
    play(site, first)
    waits = "Of round 1 it is told when it has ended, because its tables play the same cards."
    assert site.stranger().get(f"{path}/fairness").json["dealt_first"] == [0] * 10
    text = said(Browser(site), path)
    assert waits in text
    assert "were dealt first" not in text
    assert "Counted from the one round as drawn" in text, "the seats are known"
    play(site, second)
    close_rounds(site)
    text = said(Browser(site), path)
    assert waits not in text
    assert "were dealt first 0 to 1 times (a difference of 1 cannot be avoided)" in text


def test_a_big_one_is_worked_out_once_for_page_and_api_together(site, organizer, monkeypatch):
    made, certify = [], fairness._certificate

    def counting(*args):
        made.append(args)
        return certify(*args)

    path = started(organizer, 5, rounds=1)
    play_round(site, id_of(path))
    monkeypatch.setattr(figures, "SMALL", 0)
    monkeypatch.setattr(fairness, "_certificate", counting)
    texts = {said(Browser(site), path) for _ in range(2)}
    assert site.stranger().get(f"{path}/fairness").status_code == 200
    assert (len(texts), len(made)) == (1, 1)


def test_who_asks_while_too_much_is_worked_out_is_told_to_come_again(site, organizer, monkeypatch):
    path = started(organizer, 5, rounds=1)
    play_round(site, id_of(path))
    monkeypatch.setattr(figures, "SMALL", 0)
    monkeypatch.setattr(site.arena.figures._turns, "_places", 0)
    answer = Browser(site).get(f"{path}/fairness")
    assert (answer.status_code, answer.mimetype) == (503, "text/html")
    assert int(answer.headers["Retry-After"]) > 0
