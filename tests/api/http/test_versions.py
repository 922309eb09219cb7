"""ETag, If-None-Match, If-Match: no stale copies kept, no update lost."""

from __future__ import annotations

import pytest

from baohuang.api.models import Agent

from ..support import problem, race

BOT = {"name": "a", "url": "http://127.0.0.1:8001"}


@pytest.fixture
def agent(author):
    return author.post("/agents", json=BOT).headers["Location"]


def test_the_tag_of_a_row_begins_with_its_version(author, agent):
    tag = author.get(agent).headers["ETag"]
    assert tag.startswith('"1-')
    changed = author.patch(agent, json={"name": "b"}, if_match=tag)
    assert changed.headers["ETag"].startswith('"2-')
    assert author.get(agent).headers["ETag"] == changed.headers["ETag"]


def test_what_the_client_has_is_304_with_the_tag(author, agent):
    tag = author.get(agent).headers["ETag"]
    response = author.get(agent, headers={"If-None-Match": tag})
    assert response.status_code == 304
    assert response.headers["ETag"] == tag
    assert response.get_data() == b""
    assert "Content-Type" not in response.headers


@pytest.mark.parametrize("form", ["W/{}", '"x", {}', '"x",W/{}', "*"])
def test_if_none_match_compares_weakly_and_takes_lists(author, agent, form):
    tag = author.get(agent).headers["ETag"]
    assert author.get(agent, headers={"If-None-Match": form.format(tag)}).status_code == 304


@pytest.mark.parametrize("other", ['"1"', '"1-000000000000"', "1", "", '"'])
def test_another_tag_gets_the_thing(author, agent, other):
    assert author.get(agent, headers={"If-None-Match": other}).status_code == 200


def test_lists_have_tags_too(author, agent):
    tag = author.get("/agents").headers["ETag"]
    assert author.get("/agents", headers={"If-None-Match": tag}).status_code == 304
    author.post("/agents", json={**BOT, "name": "b"})
    assert author.get("/agents", headers={"If-None-Match": tag}).status_code == 200


def test_head_can_be_304(author, agent):
    tag = author.get(agent).headers["ETag"]
    assert author.call("HEAD", agent, headers={"If-None-Match": tag}).status_code == 304


def test_a_change_without_if_match_is_428(author, agent):
    problem(author.patch(agent, json={"name": "b"}), 428, "version_required")


def test_a_star_names_no_version(author, agent):
    problem(author.patch(agent, json={"name": "b"}, if_match="*"), 428, "version_required")


def test_a_stale_version_is_412_and_nothing_is_changed(author, agent):
    first = author.get(agent).headers["ETag"]
    author.patch(agent, json={"name": "b"}, if_match=first)
    problem(author.patch(agent, json={"name": "c"}, if_match=first), 412, "version_mismatch")
    assert author.get(agent).get_json()["name"] == "b"


@pytest.mark.parametrize("tag", ['"abc"', '"2-abc"', '"0"', '"99999999999999999999"', 'W/"1-abc"'])
def test_a_tag_of_something_else_is_412(author, agent, tag):
    problem(author.patch(agent, json={"name": "b"}, if_match=tag), 412, "version_mismatch")


@pytest.mark.parametrize("tag", ["1", '"1', "'1'", '"1", "2"'])
def test_what_is_no_tag_is_400(author, agent, tag):
    problem(author.patch(agent, json={"name": "b"}, if_match=tag), 400, "malformed")


def test_of_two_in_a_hurry_one_wins(any_site):
    """Eight writers, each reads and writes until forty of its updates are in: of 320 none is lost.

    (Comparing tags in Python before the UPDATE lost 230.)
    """
    author = any_site.caller("Ada")
    agent = author.post("/agents", json=BOT).headers["Location"]
    threads, updates = 8, 40

    def write(number):
        caller = type(author)(any_site.app.test_client(), author.account_id, author.token)
        done = 0
        while done < updates:
            tag = caller.get(agent).headers["ETag"]
            response = caller.patch(agent, json={"name": f"{number}-{done}"}, if_match=tag)
            assert response.status_code in (200, 412), response.get_data()
            done += response.status_code == 200
        return done

    assert sum(race(write, threads)) == threads * updates
    with any_site.arena.database.read() as session:
        assert session.query(Agent.version).scalar() == 1 + threads * updates
