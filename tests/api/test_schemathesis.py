"""What the specification says is what the server does: Schemathesis, a few requests an operation.

Many more are made by `make soak`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from baohuang.api.services import agent_calls

from .conftest import Site, build
from .fuzzing import FINITE, Fuzzer
from .specification import Operation
from .test_authorization import people, things

EXAMPLES = 50
WALKS = 50


@pytest.fixture(scope="module")
def file(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("schemathesis") / "arena.sqlite3"
    shutil.copyfile(sqlite_template, file)
    return file


@pytest.fixture(scope="module")
def site(file: Path) -> Iterator[Site]:
    site = build(f"sqlite:///{file}")
    yield site
    site.arena.database.dispose()


@pytest.fixture
def anew(site: Site, file: Path, fuzzer: Fuzzer) -> Callable[[], None]:
    """Brings the database back to what it is now."""
    site.arena.database.dispose()  # with the last connection everything is in the one file
    kept = file.with_suffix(".kept")
    shutil.copyfile(file, kept)

    def bring_back() -> None:
        site.arena.database.dispose()
        shutil.copyfile(kept, file)

    return bring_back


@pytest.fixture(scope="module")
def fuzzer(site: Site) -> Iterator[Fuzzer]:
    callers = people(site)
    names = things(site, callers)
    known = {f"{name}_id": value for name, value in names.items()}
    known |= {"number": "1", "request_id": names["nothing"]}
    token = callers["admin"].token
    assert token is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_calls, "admit", lambda _guard, _url: None)
        patch.setattr(agent_calls, "hello", lambda _guard, _contact: None)
        yield Fuzzer(site, token, known)


@pytest.mark.parametrize("operation", FINITE, ids=str)
def test_the_server_does_as_the_specification_says(fuzzer: Fuzzer, operation: Operation):
    fuzzer.run(operation, EXAMPLES, derandomize=True)


def test_it_does_so_from_answer_to_answer(fuzzer: Fuzzer, anew: Callable[[], None]):
    fuzzer.walk(WALKS, anew, derandomize=True)


@pytest.mark.soak
def test_it_does_so_on_long_walks(fuzzer: Fuzzer, anew: Callable[[], None]):
    fuzzer.walk(500, anew, derandomize=False)


@pytest.mark.soak
@pytest.mark.parametrize("operation", FINITE, ids=str)
def test_it_does_so_at_length(fuzzer: Fuzzer, operation: Operation):
    fuzzer.run(operation, 500, derandomize=False)
