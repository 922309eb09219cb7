"""An appeal over HTTP, from the author's statement to the ruling that it brought."""

from __future__ import annotations

import pytest

from .support import problem
from .tournament_support import agent, open_round, opened, play


@pytest.fixture
def played(site, organizer, author):
    """A tournament whose first match has ended, an entry that sat there, the match."""
    tournament_id = opened(organizer, rounds=2, deals=1, appeal_window_s=600)
    body = {"agent_id": agent(site, author, "wolf")}
    entry_id = author.post(f"/tournaments/{tournament_id}/entries", json=body).json["id"]
    organizer.post(f"/tournaments/{tournament_id}/start")
    (match_id,) = open_round(site, tournament_id)
    play(site, match_id)
    return f"/tournaments/{tournament_id}", entry_id, match_id


def test_an_appeal_is_made_upheld_by_a_ruling_and_shown(site, organizer, author, played):
    path, entry_id, match_id = played
    statement = {"entry_id": entry_id, "match_id": match_id, "statement": "Beaten by a tie."}
    made = author.post(f"{path}/appeals", json=statement)
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/v1/appeals/{made.json['id']}"
    assert {**made.json, **statement, "status": "open", "number": 1} == made.json
    ask = {"kind": "adjust", "entry_id": entry_id, "round": 1, "points": 2, "reason": "Agreed."}
    ruling = organizer.post(f"{path}/rulings", json=ask).json["id"]
    decision = {"outcome": "upheld", "reason": "He is right.", "ruling_id": ruling}
    done = organizer.post(f"/appeals/{made.json['id']}/decide", json=decision)
    assert done.status_code == 200
    shown = site.stranger().get(f"{path}/appeals?status=upheld").json["items"]
    assert shown == [done.json]
    assert (shown[0]["remedy_id"], shown[0]["decision"]) == (ruling, "He is right.")
    assert site.stranger().get(f"/appeals/{made.json['id']}").json == done.json


@pytest.mark.parametrize("about", [{}, {"match_id": "m", "ruling_id": "r"}])
def test_an_appeal_is_about_one_thing(author, played, about):
    path, entry_id, match_id = played
    about = dict.fromkeys(about, match_id)
    wrong = author.post(f"{path}/appeals", json={"entry_id": entry_id, "statement": "s", **about})
    problem(wrong, 422, "invalid")
    assert [error["pointer"] for error in wrong.json["errors"]] == ["/match_id"]


def test_an_appeal_can_be_taken_back_and_tried_twice_is_refused(author, played):
    path, entry_id, match_id = played
    statement = {"entry_id": entry_id, "match_id": match_id, "statement": "s"}
    made = author.post(f"{path}/appeals", json=statement).json["id"]
    problem(author.post(f"{path}/appeals", json=statement), 409, "already_appealed")
    assert author.post(f"/appeals/{made}/withdraw").json["status"] == "withdrawn"
    problem(author.post(f"/appeals/{made}/withdraw"), 409, "appeal_withdrawn")


def test_the_window_is_shown_and_has_a_default(organizer):
    shown = organizer.get(f"/tournaments/{opened(organizer)}").json
    assert shown["appeal_window_s"] == 1800
