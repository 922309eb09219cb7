"""What machines that watch and people that look get without a token."""

from __future__ import annotations

import re

import pytest

from baohuang.api import migrate
from baohuang.api.errors import STATUS
from baohuang.api.models import Tournament, utc_now

from .conftest import build


@pytest.fixture
def visitor(site):
    return site.app.test_client()


@pytest.fixture
def bare_site(database_url):
    """On a database without tables."""
    site = build(database_url)
    yield site
    site.arena.database.dispose()


def test_alive_even_without_tables(bare_site):
    assert bare_site.app.test_client().get("/healthz").get_json() == {"status": "ok"}


def test_unready_until_the_tables_are_those_of_this_version(bare_site):
    visitor = bare_site.app.test_client()
    response = visitor.get("/readyz")
    assert response.status_code == 503
    assert response.get_json()["status"] == "unready"
    assert migrate.head() in response.get_json()["reason"]


def test_ready_after_the_upgrade(any_site):
    ready = any_site.app.test_client().get("/readyz").get_json()
    assert ready == {"status": "ready", "reason": None}


def samples(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_metrics_count_requests_and_rows(author, visitor):
    author.post("/agents", json={"name": "a", "url": "http://127.0.0.1:8001"})
    before = samples(visitor.get("/metrics").get_data(as_text=True))
    author.get("/agents")
    response = visitor.get("/metrics")
    after = samples(response.get_data(as_text=True))
    assert response.content_type.startswith("text/plain; version=0.0.4")
    name = 'baohuang_requests_total{method="GET",operation="agents.Agents",status="200"}'
    assert int(after[name]) - int(before.get(name, 0)) == 1
    assert after['baohuang_agents{status="unverified"}'] == "1"
    count = int(after["baohuang_request_seconds_count"])
    assert count == int(after['baohuang_request_seconds_bucket{le="+Inf"}'])
    buckets = [int(value) for key, value in after.items() if "_bucket" in key]
    assert buckets == sorted(buckets)


def test_metrics_names_come_from_us_alone(visitor):
    visitor.get('/nothing"} 1\nevil{x="')
    visitor.open("/healthz", method='A"B')
    text = visitor.get("/metrics").get_data(as_text=True)
    assert "evil" not in text
    assert 'A"B' not in text
    for line in text.splitlines():
        assert re.fullmatch(r"#.*|[a-z_]+(\{[^{}]*\})? [0-9.e+-]+", line), line


def scripts_and_styles(html):
    return re.findall(r'(?:src|href)="([^"#]+)"', html)  # a place within the page is no other file


@pytest.mark.parametrize("path", ["/", "/docs", "/problems/invalid"])
def test_pages_need_nothing_from_elsewhere(visitor, path):
    response = visitor.get(path)
    html = response.get_data(as_text=True)
    assert response.status_code == 200
    for place in scripts_and_styles(html):
        assert re.match(r"/[^/]|/$", place)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=", html)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for place in scripts_and_styles(html):
        with visitor.get(place) as found:
            assert found.status_code == 200, place


def test_the_front_page_lists_tournaments_that_are_no_drafts(site, organizer, visitor):
    with site.arena.database.begin() as session:
        for name, status in [("<b>Spring</b> cup", "open"), ("Secret plans", "draft")]:
            session.add(
                Tournament(
                    organizer_id=organizer.account_id, name=name, status=status, rules={},
                    format="round_robin", rounds=5, deals=10, capacity=25, house_bot="greedy",
                    budget_ms=1, bank_ms=1, round_interval_s=0, tie_breaks=[], secret=b"",
                    commitment="", starts_at=utc_now(),
                )
            )  # fmt: skip
    html = visitor.get("/").get_data(as_text=True)
    assert "&lt;b&gt;Spring&lt;/b&gt; cup" in html
    assert "Secret plans" not in html
    assert "UTC" in html


def test_swagger_ui_comes_from_its_package(visitor):
    html = visitor.get("/docs").get_data(as_text=True)
    assert 'data-document="/openapi.json"' in html
    with visitor.get("/docs/swagger-ui-bundle.js") as script:
        assert script.status_code == 200
        assert script.content_length > 500_000
    for other in ("../app.py", "swagger_ui.py", "%2e%2e/app.py", "../static/../app.py"):
        assert visitor.get(f"/docs/{other}").status_code == 404


def test_the_description_is_served_with_a_tag(visitor):
    response = visitor.get("/openapi.json")
    assert response.get_json()["openapi"].startswith("3.1")
    tag = response.headers["ETag"]
    assert visitor.get("/openapi.json", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("kind", STATUS, ids=lambda kind: kind.__name__)
def test_every_kind_of_error_has_its_page(visitor, kind):
    response = visitor.get(f"/problems/{kind.code}")
    assert response.status_code == 200
    assert kind.title in response.get_data(as_text=True)


def test_the_type_of_a_problem_leads_to_its_page(author, visitor):
    problem = author.post("/agents", json={}).get_json()
    assert visitor.get(problem["type"]).status_code == 200


def test_other_problem_pages_do_not_exist(visitor):
    assert visitor.get("/problems/nothing").status_code == 404
