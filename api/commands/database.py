"""The database that a command works on, closed at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
