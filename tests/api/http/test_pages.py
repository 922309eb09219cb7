"""Lists in pages: complete, in order, and only by cursors that we gave."""

from __future__ import annotations

import base64

import pytest

from ..support import pointers, problem


@pytest.fixture
def agents(author):
    return [
        author.post(
            "/agents", json={"name": f"bot {n}", "url": "http://127.0.0.1:8001"}
        ).get_json()["id"]
        for n in range(7)
    ]


def walk(caller, path):
    """All pages by their `Link` headers."""
    pages = []
    while path:
        response = caller.get(path)
        assert response.status_code == 200
        pages.append(response.get_json())
        link = response.headers.get("Link")
        assert (link is None) == (pages[-1]["next"] is None)
        path = link and link.removesuffix('>; rel="next"').removeprefix("<")
    return pages


def test_pages_hold_everything_once_and_in_order(author, agents):
    pages = walk(author, "/agents?limit=3")
    assert [[item["id"] for item in page["items"]] for page in pages] == [
        agents[:3], agents[3:6], agents[6:],
    ]  # fmt: skip


def test_a_last_page_that_is_full_says_that_it_is_the_last(author, agents):
    assert [len(page["items"]) for page in walk(author, "/agents?limit=7")] == [7]


def test_the_cursor_of_the_body_is_that_of_the_link(author, agents):
    response = author.get("/agents?limit=3&status=unverified")
    cursor = response.get_json()["next"]
    by_body = author.get(f"/agents?status=unverified&cursor={cursor}&limit=3").get_json()
    link = response.headers["Link"].removesuffix('>; rel="next"').removeprefix("<")
    assert author.get(link).get_json() == by_body


def test_the_limit_may_change_on_the_way(author, agents):
    cursor = author.get("/agents?limit=3").get_json()["next"]
    rest = author.get(f"/agents?limit=100&cursor={cursor}").get_json()["items"]
    assert [item["id"] for item in rest] == agents[3:]


def test_rows_added_meanwhile_neither_shift_nor_repeat(author, agents):
    cursor = author.get("/agents?limit=3").get_json()["next"]
    new = author.post("/agents", json={"name": "new", "url": "http://127.0.0.1:8001"}).get_json()
    rest = author.get(f"/agents?cursor={cursor}").get_json()["items"]
    assert [item["id"] for item in rest] == [*agents[3:], new["id"]]


def test_a_cursor_is_good_for_its_own_list_only(author, agents):
    cursor = author.get("/agents?limit=3").get_json()["next"]
    for path in (f"/tokens?cursor={cursor}", f"/agents?status=active&cursor={cursor}"):
        assert pointers(problem(author.get(path), 422, "invalid")) == {"?cursor": "cursor"}


def test_a_changed_cursor_is_refused(author, agents):
    cursor = author.get("/agents?limit=3").get_json()["next"]
    for place in range(len(cursor)):
        other = "A" if cursor[place] != "A" else "B"
        changed = cursor[:place] + other + cursor[place + 1 :]
        assert author.get(f"/agents?cursor={changed}").status_code == 422, place


def test_an_invented_cursor_is_refused(author):
    forged = base64.urlsafe_b64encode(b"\0" * 8 + b'["0"]').decode().rstrip("=")
    for cursor in (forged, "x", "%F0%9F%82%A1", "a" * 1001, "===", "-_-"):
        assert author.get(f"/agents?cursor={cursor}").status_code == 422, cursor
