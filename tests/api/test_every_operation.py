"""What holds for every operation (contract.md 6), asked of each; new ones are in it at once.

Bad input is test_bad_input.py's, who may call test_authorization.py's.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Caller, Site, build
from .fuzzing import FINITE
from .specification import METHODS, Operation, specification
from .test_authorization import people, things

READS = [operation for operation in FINITE if operation.method == "GET"]
PATHS = sorted(specification()["paths"])
OF_ITS_OWN = {"Content-Length", "X-Request-Id", "RateLimit", "Date"}
WAITING = {"fetch_decision"}
"""Answers that differ from one time to the next."""


@pytest.fixture(scope="module")
def site(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    file = tmp_path_factory.mktemp("every") / "arena.sqlite3"
    shutil.copyfile(sqlite_template, file)
    site = build(f"sqlite:///{file}", limit_token=1_000_000, limit_address=1_000_000)
    yield site
    site.arena.database.dispose()


@pytest.fixture(scope="module")
def known(site: Site) -> dict[str, Any]:
    """`root`, who may do everything, and values of path parameters."""
    callers = people(site)
    found = {f"{name}_id": value for name, value in things(site, callers).items()}
    return found | {"number": "1", "root": callers["admin"]}


def ask(known: dict[str, Any], operation: Operation, method: str = "GET", **headers: str) -> Any:
    root: Caller = known["root"]
    names = operation.parameters_in("path")
    path = operation.filled({name: known[name] for name in names if name in known})
    return root.call(method, path, headers=headers)


@pytest.mark.parametrize("operation", READS, ids=str)
def test_head_is_get_without_the_body(known, operation):
    if str(operation) in WAITING:
        return
    full, head = ask(known, operation), ask(known, operation, "HEAD")
    assert head.status_code == full.status_code
    assert head.get_data() == b""
    for name in set(full.headers.keys()) - OF_ITS_OWN:
        assert head.headers.get(name) == full.headers[name], name


@pytest.mark.parametrize("operation", READS, ids=str)
def test_what_has_a_tag_is_304_for_who_has_it(known, operation):
    full = ask(known, operation)
    tag = full.headers.get("ETag")
    shown = operation.success[1].get("content", {})
    if full.status_code == 200 and "application/json" in shown:
        assert tag, "every JSON answer has one"
    if tag is None or str(operation) in WAITING:
        return
    again = ask(known, operation, **{"If-None-Match": tag})
    assert (again.status_code, again.headers["ETag"], again.get_data()) == (304, tag, b"")
    assert ask(known, operation, **{"If-None-Match": '"x"'}).status_code == full.status_code


@pytest.mark.parametrize("operation", READS, ids=str)
def test_answers_say_who_asked_and_how_much_is_left(known, operation):
    answer = ask(known, operation, **{"X-Request-Id": "mine"})
    assert answer.headers["X-Request-Id"] == "mine"
    assert answer.headers["RateLimit-Policy"] == '"token";q=1000000;w=60'
    assert answer.headers["RateLimit"].startswith('"token";r=')
    assert answer.headers["Server"] == "Baohuang"
    assert (
        "Authorization" in answer.headers.get("Vary", "")
        or "no-store" in (answer.headers["Cache-Control"])
    )


@pytest.mark.parametrize("path", PATHS)
def test_what_is_not_possible_is_405_and_options_says_what_is(site, path):
    spec = specification()["paths"][path]
    possible = {method.upper() for method in METHODS if method in spec}
    operation = Operation("GET", path, next(iter(spec[m] for m in METHODS if m in spec)))
    where = operation.filled()
    stranger = site.stranger()
    allowed = possible | {"OPTIONS"} | ({"HEAD"} if "GET" in possible else set())
    options = stranger.call("OPTIONS", where)
    assert options.status_code == 200
    assert {name.strip() for name in options.headers["Allow"].split(",")} == allowed
    for method in ({method.upper() for method in METHODS} | {"TRACE", "PROPFIND"}) - possible:
        refused = stranger.call(method, where)
        assert refused.status_code == 405, method
        assert refused.mimetype == "application/problem+json"
        assert {name.strip() for name in refused.headers["Allow"].split(",")} == allowed
