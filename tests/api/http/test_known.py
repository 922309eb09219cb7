"""A 304 from in front of the application says what the application would say."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from baohuang.api.models import Entry, Role, Standing, Token, Tournament, utc_now
from baohuang.api.schemas.standings import StandingSchema
from baohuang.api.services import intervals, lifecycle, standing_texts, standings
from baohuang.api.services.paging import TextPage
from baohuang.api.services.principal import ANONYMOUS, Principal

from ..conftest import Site
from ..support import problem
from ..tournament_support import opened, play_round

TRICKY = ['a "b" \\', "保皇 🂡", "</script>&<b>", "'; --", "\u2028 \u007f"]


@pytest.fixture
def played(any_site):
    """A tournament with standings, by its organizer; on either database."""
    organizer = any_site.caller("Oleg", Role.ORGANIZER)
    tournament_id = opened(organizer, deals=5, tie_breaks=["firsts", "lot"])
    for _ in range(5):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    organizer.post(f"/tournaments/{tournament_id}/start")
    play_round(any_site, tournament_id)
    with any_site.arena.database.begin() as session:
        standings.refresh(session, tournament_id)
    with any_site.arena.database.begin() as session:
        for name, row in zip(TRICKY, session.query(Entry).order_by(Entry.id), strict=True):
            row.name = name
    return organizer, f"/tournaments/{tournament_id}/standings", tournament_id


def not_modified(caller, path, tag, **headers):
    return caller.get(path, headers={"If-None-Match": tag, **headers})


def test_the_text_of_a_page_is_what_the_schema_shows(played, any_site):
    organizer, path, tournament_id = played
    with any_site.arena.database.read() as session:
        worked = intervals.work_out(session, tournament_id)
    with any_site.arena.database.begin() as session:
        intervals.store(session, replace(worked, rows=worked.rows[1:]))
    body = organizer.get(path).get_json()
    with any_site.arena.database.read() as session:
        found = standings.rows(session, ANONYMOUS, tournament_id, None, 100).items
        assert isinstance(standing_texts.page(session, tournament_id, 0, 100), TextPage)
    assert body["items"] == StandingSchema(many=True).dump(found)
    assert {row["name"] for row in body["items"]} == set(TRICKY)
    assert [row["interval"] is None for row in body["items"]].count(True) == 1
    assert all(set(row) == set(StandingSchema().dump_fields) for row in body["items"])
    # lines that nobody has written down yet are put together
    with any_site.arena.database.begin() as session:
        session.execute(update(Standing).where(Standing.position == 2).values(shown=None))
    assert organizer.get(path).get_json() == body


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_pages_neither_skip_nor_repeat(played, limit):
    organizer, path, _ = played
    seen, where = [], f"{path}?limit={limit}"
    while where:
        answer = organizer.get(where)
        seen += [row["position"] for row in answer.get_json()["items"]]
        following = answer.get_json()["next"]
        where = following and f"{path}?limit={limit}&cursor={following}"
        assert (following is None) == ("Link" not in answer.headers)
    assert seen == [1, 2, 3, 4, 5]


def test_without_results_the_page_is_empty(site, organizer):
    path = f"/tournaments/{opened(organizer)}/standings"
    assert organizer.get(path).get_json() == {"items": [], "next": None}


@pytest.mark.parametrize("who", ["organizer", "stranger"])
def test_it_has_the_headers_of_any_answer(played, any_site, who):
    organizer, path, _ = played
    caller = organizer if who == "organizer" else any_site.stranger()
    full = caller.get(path)
    known = not_modified(caller, path, full.headers["ETag"], **{"X-Request-Id": "mine"})
    assert known.status_code == 304
    assert known.get_data() == b""
    without = {"Content-Type", "Content-Length", "Link"}
    assert set(known.headers.keys()) == set(full.headers.keys()) - without
    assert known.headers["X-Request-Id"] == "mine"
    for name in ("ETag", "Cache-Control", "Vary", "Content-Security-Policy"):
        assert known.headers[name] == full.headers[name]
    # HEAD goes the long way, and says the same
    head = caller.call("HEAD", path, headers={"If-None-Match": full.headers["ETag"]})
    assert head.status_code == 304
    assert set(head.headers.keys()) == set(known.headers.keys())


def test_other_arguments_have_other_tags(played):
    organizer, path, _ = played
    wheres = [path, f"{path}?limit=50", f"{path}?limit=2", f"{path}?house=false", f"{path}?as_of=1"]
    tags = [organizer.get(where).headers["ETag"] for where in wheres]
    assert len(set(tags)) == len(tags)
    for where in wheres:
        found = [not_modified(organizer, where, tag).status_code for tag in tags]
        assert found == [304 if other == where else 200 for other in wheres]


def test_what_changes_the_standings_changes_the_tag(played, any_site):
    organizer, path, tournament_id = played
    tag = organizer.get(path).headers["ETag"]
    with any_site.arena.database.begin() as session:
        row = session.get_one(Tournament, tournament_id)
        row.version += 1
    assert not_modified(organizer, path, tag).status_code == 200


def test_a_tag_opens_no_door(played, any_site):
    """Who may not see it learns nothing from knowing its tag; who has no right to call, neither."""
    organizer, path, tournament_id = played
    tag = organizer.get(path).headers["ETag"]
    with any_site.arena.database.begin() as session:
        session.execute(update(Tournament).values(status="draft"))
    problem(not_modified(any_site.stranger(), path, tag), 404, "not_found")
    assert not_modified(organizer, path, tag).status_code == 304
    with any_site.arena.database.begin() as session:
        session.execute(update(Token).values(expires_at=utc_now() - timedelta(seconds=1)))
    problem(not_modified(organizer, path, tag), 401, "invalid_token")
    with any_site.arena.database.read() as session:
        assert lifecycle.glance(session, _owner(organizer), tournament_id).id == tournament_id


def _owner(caller):
    return Principal(caller.account_id, Role.ORGANIZER, frozenset({"tournaments:read"}), "Oleg")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer nonsense"}, 401),
        ({"Authorization": "Basic eDp5"}, 401),
        ({"Accept": "text/html"}, 406),
    ],
)
def test_what_is_wrong_is_refused_all_the_same(played, any_site, headers, status):
    _, path, _ = played
    stranger = any_site.stranger()
    tag = stranger.get(path).headers["ETag"]
    assert not_modified(stranger, path, tag, **headers).status_code == status


def test_no_such_tournament_is_404(any_site):
    path = "/tournaments/01ARZ3NDEKTSV4RRFFQ69G5FAV/standings"
    problem(not_modified(any_site.stranger(), path, '"1.0.0-000000000000"'), 404, "not_found")


def test_it_costs_nothing_of_the_limit_but_is_under_it(sqlite_arena, building):
    site = building(sqlite_arena, limit_token=12)
    organizer = site.caller("Oleg", Role.ORGANIZER)
    path = f"/tournaments/{opened(organizer)}/standings"
    tag = organizer.get(path).headers["ETag"]
    left = organizer.get(path).headers["RateLimit"]
    for _ in range(20):
        known = not_modified(organizer, path, tag)
        assert known.status_code == 304
    assert known.headers["RateLimit"].split(";")[1] != "r=0"
    assert left.split(";")[0] == known.headers["RateLimit"].split(";")[0] == '"token"'
    while organizer.get(path).status_code == 200:
        pass
    refused = not_modified(organizer, path, tag)
    problem(refused, 429, "too_many_requests")


def test_it_is_counted(played, any_site):
    organizer, path, _ = played
    tag = organizer.get(path).headers["ETag"]
    before = _counted(any_site)
    not_modified(organizer, path, tag)
    assert _counted(any_site) == before + 1


def _counted(site: Site) -> int:
    lines = site.app.test_client().get("/metrics").get_data(as_text=True).splitlines()
    wanted = 'method="GET",operation="standings.Standings",status="304"'
    return sum(int(line.split()[-1]) for line in lines if wanted in line)
