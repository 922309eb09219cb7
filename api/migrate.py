"""Bringing a database up to date: Alembic's revisions in one transaction, one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from baohuang import migrations

from .db import Database

_LOCK = text("SELECT pg_advisory_xact_lock(hashtext('baohuang migrations'))")


def alembic_config() -> AlembicConfig:
    """Alembic's configuration; the revisions are package data, so it works from a wheel too."""
    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def head() -> str:
    """The newest revision (there is one)."""
    newest = ScriptDirectory.from_config(alembic_config()).get_current_head()
    if newest is None:
        raise RuntimeError("there are no migrations")
    return newest


def current(connection: Connection) -> str | None:
    """The revision that a database is at; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(database: Database, revision: str = "head") -> None:
    """Run the missing revisions, all or none."""
    config = alembic_config()
    with _alone(database) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def downgrade(database: Database, revision: str) -> None:
    """Take revisions back down to `revision` (`base`: all of them)."""
    config = alembic_config()
    with _alone(database) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """A transaction that no second migration can run beside.

    SQLite rebuilds a table to alter it, so its foreign keys rest meanwhile; they are checked after.
    """
    with database.engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            _foreign_keys(connection, "OFF")
        try:
            with connection.begin():
                if not sqlite:
                    connection.execute(_LOCK)
                yield connection
                if sqlite:
                    _check_foreign_keys(connection)
        finally:
            if sqlite:
                _foreign_keys(connection, "ON")


def _foreign_keys(connection: Connection, state: str) -> None:
    """Outside any transaction: inside one SQLite ignores the switch."""
    raw = connection.connection.dbapi_connection
    if raw is not None:
        raw.cursor().execute(f"PRAGMA foreign_keys = {state}")


def _check_foreign_keys(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise RuntimeError(f"a row of {broken[0]} would point at nothing in {broken[2]}")
