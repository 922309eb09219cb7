"""What every test may ask for: the packages under their installed names, and both databases."""

import shutil
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import pytest

if not (find_spec("baohuang") and find_spec("baohuang.engine")):
    # Only the dependencies are installed: the checkout plays the package.
    spec = ModuleSpec("baohuang", None, is_package=True)
    spec.submodule_search_locations = [str(Path(__file__).parent.parent)]
    sys.modules["baohuang"] = module_from_spec(spec)

from baohuang.api.db import Database

from .postgres import Postgres, bring_up_to_date, running_postgres


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the engine's golden records and perft counts anew; read the difference",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of this process's own; one that cannot start fails, it never skips."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres: Postgres) -> str:
    """The maintenance database of the session's server, for tests of the server itself."""
    return postgres.url()


@pytest.fixture
def fresh_postgres(postgres: Postgres) -> Iterator[str]:
    """A new empty PostgreSQL database, `postgresql+psycopg://…`, dropped afterwards."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite database in a file of its own; the file does not exist yet."""
    return f"sqlite:///{tmp_path / 'arena.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database on either engine: a test that asks for it runs twice."""
    fixture = {"sqlite": "sqlite_url", "postgresql": "fresh_postgres"}[request.param]
    url: str = request.getfixturevalue(fixture)
    return url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database that is up to date and has no rows, to be copied."""
    file = tmp_path_factory.mktemp("template") / "arena.sqlite3"
    bring_up_to_date(f"sqlite:///{file}")
    return file


@pytest.fixture
def sqlite_arena(sqlite_template: Path, tmp_path: Path) -> str:
    """A SQLite database of its own, up to date and without rows."""
    file = tmp_path / "arena.sqlite3"
    shutil.copyfile(sqlite_template, file)
    return f"sqlite:///{file}"


@pytest.fixture
def postgres_arena(postgres: Postgres) -> Iterator[str]:
    """The same on PostgreSQL. Who changes tables takes `fresh_postgres`: this one is used again."""
    with postgres.arena() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def arena_url(request: pytest.FixtureRequest) -> str:
    """A database on either engine, up to date and without rows: the test runs twice."""
    fixture = {"sqlite": "sqlite_arena", "postgresql": "postgres_arena"}[request.param]
    url: str = request.getfixturevalue(fixture)
    return url


@pytest.fixture
def database(arena_url: str) -> Iterator[Database]:
    """Such a database, opened; it is closed at the end whatever comes."""
    opened = Database(arena_url)
    yield opened
    opened.dispose()
