"""The fixtures of conftest.py do what the other tests rely on."""

from sqlalchemy import create_engine, text


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
