"""The database that a command works on, closed at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import migrate
from ..config import Config
from ..db import Database


@contextmanager
def opened(config: Config) -> Iterator[Database]:
    """The database of the settings."""
    database = Database(config.database_url)
    try:
        yield database
    finally:
        database.dispose()


@contextmanager
def prepared(config: Config) -> Iterator[Database]:
    """The database of the settings. A new SQLite file gets its tables here if nobody served yet."""
    with opened(config) as database:
        if database.engine.dialect.name == "sqlite":
            with database.engine.connect() as connection:
                new = migrate.current(connection) is None
            if new:
                migrate.upgrade(database)
        yield database
