"""The fixtures of conftest.py do what the other tests rely on."""

from sqlalchemy import create_engine, text

from baohuang.api import migrate
from baohuang.api.db import Database
from baohuang.api.models import Account


def tables(url: str) -> list[str]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE mark (id INTEGER PRIMARY KEY)"))
        return [engine.dialect.name]
    finally:
        engine.dispose()


def test_each_use_of_a_database_gets_an_empty_one(database_url):
    assert tables(database_url)


def test_the_second_use_is_empty_again(database_url):
    assert tables(database_url)


def test_the_two_engines_are_the_real_ones(sqlite_url, fresh_postgres, postgres_url):
    assert tables(sqlite_url) == ["sqlite"]
    assert tables(fresh_postgres) == ["postgresql"]
    assert fresh_postgres.startswith("postgresql+psycopg://")
    assert fresh_postgres != postgres_url


def people(url: str) -> int:
    """How many accounts there are; one more is left behind."""
    database = Database(url)
    try:
        with database.begin() as session:
            assert migrate.current(session.connection()) == migrate.head()
            session.add(Account(name="Ada", role="author"))
            return session.query(Account).count() - 1
    finally:
        database.dispose()


def test_a_database_that_is_up_to_date_has_no_rows(arena_url):
    assert people(arena_url) == 0


def test_and_none_the_next_time_either(arena_url):
    assert people(arena_url) == 0
