"""Bad input on every operation of the specification: 4xx with the place named, nothing changed.

New operations are covered as soon as they are registered.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Caller, Role, Site, build
from .specification import Json, Operation, operations, resolved, types

CHANGES = [operation for operation in operations() if operation.method != "GET"]
READS = [operation for operation in operations() if operation.method == "GET"]
JSON = "application/json"

HOSTILE: dict[str, bytes] = {
    "nothing": b" ",
    "not JSON": b"name=a",
    "cut off": b'{"name": "a"',
    "more after the end": b"{} {}",
    "single quotes": b"{'name': 1}",
    "a comment": b"{} // x",
    "deep lists": b"[" * 10_000,
    "deep objects": b'{"a":' * 5_000,
    "deep and closed": b"[" * 21 + b"]" * 21,
    "deep in a field": b'{"name":' + b"[" * 30 + b"]" * 30 + b"}",
    "a huge integer": b'{"name": ' + b"9" * 5_000 + b"}",
    "a number beyond a double": b'{"name": 1e999}',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": -Infinity}',
    "a name twice": b'{"name": "a", "name": "b"}',
    "a name twice, written differently": b'{"name": "a", "n\\u0061me": "b"}',
    "NUL": b'{"name": "a\\u0000b"}',
    "NUL in a name": b'{"na\\u0000me": "a"}',
    "a raw control character": b'{"name": "a\x00b"}',
    "half a surrogate pair": b'{"name": "\\ud83c"}',
    "half a pair in a name": b'{"\\udcff": "a"}',
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "an overlong encoding": b'{"name": "\xc0\xaf"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "a"}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
}

QUERIES = [
    "limit=" + "9" * 5_000,
    "%ff=%fe",
    "a=%00&%00=a",
    "=&=&&",
    "a=1&" * 2_000,
    "cursor=" + "A" * 2_000,
    "fields=" + "id," * 1_000,
    "a=%F0%9F%83%8F%ED%A0%80",
    "[]=1&{}=2&%=3",
]

HEADERS = [
    ("If-None-Match", '"' * 501),
    ("If-None-Match", 'W/"\x80", *, "'),
    ("If-None-Match", '"1.0.0-000000000000",' * 300),
    ("If-Match", "\x80"),
    ("If-Match", '"' + "9" * 90 + '"'),
    ("Accept", ";;;=,q=x, */*;q=-1e999"),
    ("Accept", "text/html;q=0.5," * 500),
    ("Authorization", "Bearer " + "x" * 5_000),
    ("Authorization", "Bearer \x80\xff"),
    ("Authorization", "Digest username=,,,"),
    ("Authorization", "Basic \x80"),
    ("X-Request-Id", "\x80" * 100),
    ("Idempotency-Key", "\x80"),
    ("Last-Event-ID", "9" * 50),
    ("Range", "bytes=5-1,,-"),
    ("Content-Encoding", "gzip"),
    ("Cookie", "session=\x80; =; ;;"),
    ("X-Forwarded-For", "\x80, ::1%eth0"),
    ("Host", "\x80"),
]

WRONG: dict[str, list[Any]] = {
    "string": [5, 1.5, True, [], {}],
    "integer": ["5", 1.5, True, [], {}, 10**19],
    "boolean": ["true", 1, 0, [], {}],
    "array": ["x", 5, True, {}],
    "object": ["x", 5, True, []],
}


@pytest.fixture(scope="module")
def site(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all: nothing here may change it."""
    file = tmp_path_factory.mktemp("bad") / "arena.sqlite3"
    shutil.copyfile(sqlite_template, file)
    site = build(f"sqlite:///{file}")
    yield site
    site.arena.database.dispose()


@pytest.fixture(scope="module")
def root(site: Site) -> Caller:
    """May do everything, so that nothing but the input is at fault."""
    return site.caller("Root", Role.ADMIN)


def send(root: Caller, operation: Operation, **options: Any) -> Any:
    headers = {}
    if "If-Match" in operation.parameters_in("header"):
        headers["If-Match"] = '"1"'
    path = operation.filled() + options.pop("query", "")
    response = root.call(operation.method, path, headers=headers, **options)
    assert response.status_code in operation.responses, (response.status, response.get_data())
    assert response.mimetype == "application/problem+json", response.get_data()
    return response


def refused(response: Any, *statuses: int) -> dict[str, str]:
    """Pointer → code of a refusal, which must name at least one place."""
    assert response.status_code in statuses, response.get_data()
    errors = response.get_json()["errors"]
    assert errors
    for error in errors:
        assert set(error) == {"pointer", "code", "detail"}
        assert error["pointer"] == "" or error["pointer"][0] in "/?"
        assert error["detail"]
    return {error["pointer"]: error["code"] for error in errors}


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_hostile_bodies_are_400(site, root, operation):
    before = site.counts()
    for name, data in HOSTILE.items():
        response = send(root, operation, data=data, content_type=JSON)
        assert response.status_code == 400, (name, response.get_data())
        refused(response, 400)
    assert site.counts() == before


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_other_types_are_415_and_large_bodies_413(site, root, operation):
    before = site.counts()
    for content_type in (
        "text/plain", "application/xml", "multipart/form-data", None, ";;;", "\x80",
        f"{JSON}; charset=latin-1", f"{JSON}; charset=utf-16",
    ):  # fmt: skip
        refused(send(root, operation, data=b"{}", content_type=content_type), 415)
    body = json.dumps({"x": "y" * 10_000_000}).encode()
    assert send(root, operation, data=body, content_type=JSON).status_code == 413
    assert site.counts() == before


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_bodies_that_are_no_object_are_422(site, root, operation):
    before = site.counts()
    for data in (b"[]", b"[{}]", b'"x"', b"5", b"null", b"false"):
        assert "" in refused(send(root, operation, data=data, content_type=JSON), 422)
    assert site.counts() == before


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_unknown_fields_are_422(site, root, operation):
    before = site.counts()
    for name in ("surprise", "id", "version", "owner_id", "account_id", "created_at", "admin"):
        if name not in operation.body.get("properties", {}):
            found = refused(send(root, operation, json={name: "x"}), 422)
            assert found[f"/{name}"] == "unknown"
    assert site.counts() == before


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_missing_fields_are_422(site, root, operation):
    required = operation.body.get("required", [])
    if required:
        before = site.counts()
        found = refused(send(root, operation, json={}), 422)
        assert {f"/{name}" for name in required} <= set(found)
        assert site.counts() == before


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_wrong_values_are_422(site, root, operation):
    before = site.counts()
    for pointer, body in wrong_bodies(operation.body):
        found = refused(send(root, operation, json=body), 422)
        assert any(place.startswith(pointer) for place in found), (body, found)
    assert site.counts() == before


@pytest.mark.parametrize("operation", [*CHANGES, *READS], ids=str)
def test_unknown_query_arguments_are_422(site, root, operation):
    before = site.counts()
    found = refused(send(root, operation, query="?surprise=1&x%5B0%5D=2"), 422)
    assert found["?surprise"] == "unknown"
    assert site.counts() == before


@pytest.mark.parametrize("operation", READS, ids=str)
def test_wrong_query_arguments_are_422(root, operation):
    for name, parameter in operation.parameters_in("query").items():
        for value in wrong_arguments(resolved(parameter["schema"])):
            found = refused(send(root, operation, query=f"?{name}={value}"), 422)
            assert f"?{name}" in found, (name, value, found)


@pytest.mark.parametrize("operation", [*CHANGES, *READS], ids=str)
def test_without_a_token_nothing_is_done(site, operation):
    if operation.public:
        return
    before = site.counts()
    response = send(site.stranger(), operation, data=b"[[", content_type=JSON)
    assert response.status_code == 401
    assert site.counts() == before


@pytest.mark.parametrize("operation", [*CHANGES, *READS], ids=str)
def test_hostile_arguments_and_headers_are_answered(site, root, operation):
    """By a refusal, or as if they were not there; a body that cannot be read changes nothing."""
    before = site.counts()
    body = {} if operation.method == "GET" else {"data": b"[[", "content_type": JSON}
    for query in QUERIES:
        send(root, operation, query=f"?{query}", **body)
    for name, value in HEADERS:
        headers = {"If-Match": '"1"', name: value}
        answer = root.call(operation.method, operation.filled(), headers=headers, **body)
        assert answer.status_code < 500, (name, value)
        assert answer.status_code in {*operation.responses, 400}, (name, answer.get_data())
    after = site.counts()
    assert {name for name in before if before[name] != after[name]} <= {"rate_windows"}


@pytest.mark.parametrize("operation", CHANGES, ids=str)
def test_idempotency_keys_of_the_wrong_form_are_400(site, root, operation):
    if "Idempotency-Key" not in operation.parameters_in("header"):
        return
    before = site.counts()
    response = root.call(operation.method, operation.filled(), json={}, key="a b")
    assert response.status_code in (400, 422)
    assert site.counts() == before


def wrong_bodies(schema: Json) -> Iterator[tuple[str, Json]]:
    """(pointer, body): every field of a body with values that it does not take."""
    for name, field in schema.get("properties", {}).items():
        for value in wrong_values(resolved(field)):
            yield f"/{name}", {name: value}
        for pointer, inner in wrong_bodies(resolved(field)):
            yield f"/{name}{pointer}", {name: inner}


def wrong_values(schema: Json) -> Iterator[Any]:
    taken = types(schema)
    for kind in taken - {"null"}:
        for value in WRONG.get(kind, []):
            if not taken & _also(value):
                yield value
    if "null" not in taken:
        yield None
    if "string" in taken:
        yield from _wrong_texts(schema)
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maxItems" in schema and "items" in schema:
        yield ["x"] * (schema["maxItems"] + 1)


def _wrong_texts(schema: Json) -> Iterator[str]:
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if schema.get("minLength"):
        yield ""
    if "enum" in schema or "pattern" in schema or "format" in schema:
        yield from ("no such thing", "", " ")
    if schema.get("format") == "date-time":
        yield from ("2026-01-31", "2026-01-31T18:00:00", "0001-01-01T00:00:00+23:59", "now")


def _also(value: Any) -> set[str]:
    """The types that would take a value."""
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"number"}  # of the integers here, all are out of bounds or of the wrong kind
    names = {str: "string", float: "number", list: "array", dict: "object"}
    return {names[type(value)]}


def wrong_arguments(schema: Json) -> Iterator[str]:
    taken = types(schema)
    yield from ("%00", "")
    if taken & {"integer", "boolean"}:
        yield from ("x", "1.5", "1e3", "%2B1", "%D9%A3")
    if "maximum" in schema:
        yield str(schema["maximum"] + 1)
    if "minimum" in schema:
        yield str(schema["minimum"] - 1)
    if "enum" in schema and "string" in taken:
        yield "nothing"
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
