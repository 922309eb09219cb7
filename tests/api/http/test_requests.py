"""What every request meets: types, sizes, JSON, unknown things, methods, headers."""

from __future__ import annotations

import io
import json

import pytest
from sqlalchemy.exc import OperationalError

from ..support import pointers, problem


def test_no_token_is_401_with_a_challenge(site):
    response = site.stranger().get("/agents")
    problem(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"].startswith("Bearer ")


def test_a_missing_scope_is_403_and_says_which(site):
    reader = site.caller("Rita", scopes=["agents:read"])
    response = reader.post("/agents", json={})
    assert "agents:write" in problem(response, 403, "insufficient_scope")["detail"]
    assert 'scope="agents:write"' in response.headers["WWW-Authenticate"]


def test_a_strangers_body_is_not_even_parsed(site):
    response = site.stranger().post("/agents", data=b"[" * 100, content_type="application/json")
    problem(response, 401, "unauthorized")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/json-patch+json", ""]
)
def test_another_content_type_is_415(author, content_type):
    response = author.post(
        "/agents", data=b'{"name":"a","url":"http://1.1.1.1"}', content_type=content_type
    )
    problem(response, 415, "unsupported_media_type")


def test_another_charset_is_415(author):
    response = author.post("/agents", data=b"{}", content_type="application/json; charset=utf-16")
    problem(response, 415, "unsupported_media_type")


def test_a_missing_body_is_400(author):
    problem(author.post("/agents"), 400, "body_missing")
    problem(author.post("/agents", data=b"", content_type="application/json"), 400, "body_missing")


def test_a_body_over_64_KiB_is_413(author):
    body = json.dumps({"name": "a" * 65536}).encode()
    problem(author.post("/agents", data=body, content_type="application/json"), 413, "too_large")


def test_a_body_of_64_KiB_is_read(author):
    body = json.dumps({"name": "a"}).encode().ljust(65536)
    response = author.post("/agents", data=body, content_type="application/json")
    assert pointers(problem(response, 422, "invalid")) == {"/url": "required"}


def test_a_body_that_is_no_object_is_422_at_the_root(author):
    for value in (b"[]", b'"x"', b"5", b"null", b"true"):
        response = author.post("/agents", data=value, content_type="application/json")
        assert "" in pointers(problem(response, 422, "invalid")), value


def test_unknown_fields_missing_fields_and_wrong_types_are_all_named(author):
    response = author.post("/agents", json={"url": 7, "color": "red", "a/b~c": 1})
    assert pointers(problem(response, 422, "invalid")) == {
        "/url": "type",
        "/name": "required",
        "/color": "unknown",
        "/a~1b~0c": "unknown",
    }


def test_an_operation_without_a_body_knows_no_field(author, site):
    agent = author.post("/agents", json={"name": "a", "url": "http://127.0.0.1:8001"})
    response = author.post(f"{agent.headers['Location']}/retire", json={"now": True})
    assert pointers(problem(response, 422, "invalid")) == {"/now": "unknown"}


def test_unknown_query_arguments_are_422(author):
    response = author.get("/agents?limit=5&page=2")
    assert pointers(problem(response, 422, "invalid")) == {"?page": "unknown"}


def test_query_arguments_on_changes_are_422_too(author, site):
    before = site.counts()
    body = {"name": "a", "url": "http://127.0.0.1:8001"}
    response = author.post("/agents?dry_run=1", json=body)
    assert pointers(problem(response, 422, "invalid")) == {"?dry_run": "unknown"}
    assert site.counts() == before


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "invalid"),
        ("limit=101", "invalid"),
        ("limit=ten", "type"),
        ("limit=1.0", "type"),
        ("limit=%2B5", "type"),
        ("limit=1e1", "type"),
        ("limit=99999999999999999999999", "type"),
        ("limit=", "type"),
        ("limit=5&limit=5", "duplicate"),
        ("status=%00", "character"),
        ("status=asleep", "invalid"),
        ("cursor=", "invalid"),
    ],
)
def test_wrong_query_arguments_are_named(author, query, code):
    response = author.get(f"/agents?{query}")
    name = query.partition("=")[0]
    assert pointers(problem(response, 422, "invalid")) == {f"?{name}": code}


def test_a_token_in_the_query_is_refused(site, author):
    response = site.stranger().get(f"/agents?access_token={author.token}")
    problem(response, 401, "unauthorized")


def test_an_unknown_method_is_405_and_allow_says_which(author):
    response = author.call("PUT", "/agents")
    problem(response, 405, "method_not_allowed")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


def test_an_unknown_path_is_404(author):
    for path in ("/nothing", "/agents/", "/agents/x", "/agents/%00", "/agents/" + "U" * 26):
        problem(author.get(path), 404, "not_found")


def test_accept_of_another_type_is_406(author):
    problem(author.get("/agents", headers={"Accept": "text/csv"}), 406, "not_acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html, application/json;q=0.1"])
def test_accept_that_includes_json_is_fine(author, accept):
    assert author.get("/agents", headers={"Accept": accept}).status_code == 200


def test_accept_that_excludes_json_is_406(author):
    response = author.get("/agents", headers={"Accept": "application/json;q=0, */*"})
    problem(response, 406, "not_acceptable")


def test_head_answers_as_get_without_a_body(author):
    get, head = author.get("/agents"), author.call("HEAD", "/agents")
    assert head.status_code == 200
    assert head.get_data() == b""
    for name in ("ETag", "Content-Type", "Content-Length"):
        assert head.headers[name] == get.headers[name]


def test_head_needs_a_token_as_get_does(site):
    assert site.stranger().call("HEAD", "/agents").status_code == 401


def test_options_lists_the_methods(site):
    response = site.stranger().call("OPTIONS", "/agents")
    assert response.status_code == 200
    assert "POST" in response.headers["Allow"]


def test_a_harmless_request_id_is_taken_over(author):
    response = author.get("/agents", headers={"X-Request-Id": "job-17.a_b~c"})
    assert response.headers["X-Request-Id"] == "job-17.a_b~c"


@pytest.mark.parametrize("given", ["", "a b", "é", "x" * 65, "<script>"])
def test_any_other_request_id_is_replaced(author, given):
    made = author.get("/agents", headers={"X-Request-Id": given}).headers["X-Request-Id"]
    assert made != given
    assert len(made) == 26


def test_answers_carry_headers_for_careful_browsers(author, site):
    for response in (author.get("/agents"), author.get("/nothing"), author.call("PUT", "/agents")):
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Server"] == "Baohuang"


def test_answers_with_secrets_are_not_kept_by_caches(author):
    response = author.post("/agents", json={"name": "a", "url": "http://127.0.0.1:8001"})
    assert response.headers["Cache-Control"] == "no-store"
    read = author.get("/agents")
    assert read.headers["Cache-Control"] == "private, no-cache"
    assert "Authorization" in read.headers["Vary"]


def test_an_unexpected_exception_is_a_500_that_tells_nothing(site, author, monkeypatch, caplog):
    def broken(*_args, **_options):
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("baohuang.api.services.agents.search", broken)
    response = author.get("/agents")
    problem(response, 500, "internal_server_error")
    assert b"secret" not in response.get_data()
    assert "the secret is 42" in caplog.text


def test_a_database_that_fails_is_a_503_with_retry_after(site, author, monkeypatch):
    def broken(*_args, **_options):
        raise OperationalError("SELECT secret", {}, Exception("no route"))

    monkeypatch.setattr("baohuang.api.services.agents.search", broken)
    response = author.get("/agents")
    problem(response, 503, "database_unavailable")
    assert response.headers["Retry-After"] == "2"
    assert b"secret" not in response.get_data()


def test_times_are_rfc_3339_in_utc(author):
    made = author.post("/agents", json={"name": "a", "url": "http://127.0.0.1:8001"}).get_json()
    assert made["created_at"].endswith("Z")
    assert len(made["created_at"]) == len("2026-01-31T18:00:00.000Z")


def test_a_body_that_comes_without_a_length_is_not_cut_at_the_limit(author):
    """65,536 bytes of JSON and then more: a reader that stops at the limit would take it."""
    body = json.dumps({"name": "a", "url": "http://127.0.0.1:8001"}).encode().ljust(65536) + b"}"
    response = author.post(
        "/agents",
        input_stream=io.BytesIO(body),
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True},
    )
    problem(response, 413, "too_large")


def test_a_whole_number_may_be_written_with_a_fraction_of_zero(author):
    """As JSON Schema has it: 7.0 is an integer, 7.5 is none."""
    post = {"content_type": "application/json"}
    made = author.post("/tokens", data=b'{"name": "t", "days": 7.0}', **post)
    assert made.status_code == 201
    response = author.post("/tokens", data=b'{"name": "t", "days": 7.5}', **post)
    assert pointers(problem(response, 422, "invalid")) == {"/days": "type"}
