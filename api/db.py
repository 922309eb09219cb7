"""The database: one engine, two kinds of transaction, one clock.

`begin()` is a use case's write transaction, `read()` sees a consistent state and cannot change it.
SQLite and PostgreSQL run the same code; what differs between them is here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from .config import ConfigError
from .trail import WritingSession

BUSY_TIMEOUT_S = 30
_WRITES = "baohuang_writes"

_DRIVERS = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}

_NOW = {
    "sqlite": text("SELECT (julianday('now') - 2440587.5) * 86400.0"),
    "postgresql": text("SELECT extract(epoch FROM clock_timestamp())"),
}


class Database:
    """A database by its URL (`sqlite:///file`, `postgresql://…`)."""

    def __init__(self, url: str, pool_size: int = 10) -> None:
        self.engine = _engine(database_url(url), pool_size)
        self._writing = self.engine.execution_options(**{_WRITES: True})
        self._reading = self.engine.execution_options(
            **{_WRITES: False, "postgresql_readonly": True}
        )

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """One write transaction: committed at the end, rolled back by an exception.

        What it changed is in the audit log with the same commit (api/trail).

        On SQLite it takes the write lock at once (`BEGIN IMMEDIATE`), so that reading first and
        writing afterwards cannot fail half-way.
        """
        writing = WritingSession(self._writing, expire_on_commit=False)
        with writing as session, session.begin():
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """One read-only transaction; the database itself refuses writes in it."""
        with Session(self._reading, expire_on_commit=False, autoflush=False) as session:
            yield session

    def dispose(self) -> None:
        """Close the pooled connections (before a fork, at the end of a process)."""
        self.engine.dispose()


def db_now(session: Session) -> float:
    """Seconds since 1970 by the database's clock: the one clock that all processes share."""
    return float(session.execute(_NOW[session.get_bind().dialect.name]).scalar_one())


def database_url(url: str) -> URL:
    """The SQLAlchemy URL of a plain one: PostgreSQL is reached by psycopg 3.

    Raises `ConfigError`, which does not repeat the URL: it may hold a password.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ConfigError("DATABASE_URL is no URL; try sqlite:///baohuang.db.") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise ConfigError(f"DATABASE_URL names {parsed.drivername}; use sqlite or postgresql.")
    return parsed.set(drivername=driver)


def _engine(url: URL, pool_size: int) -> Engine:
    common: dict[str, Any] = {
        "json_serializer": lambda value: orjson.dumps(value).decode(),
        "json_deserializer": orjson.loads,
        "hide_parameters": True,  # they may be keys or cards; errors end up in logs
    }
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, **common)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(url, pool_pre_ping=True, pool_size=pool_size, **common)


def _prepare_sqlite(connection: SqliteConnection, _record: object) -> None:
    connection.isolation_level = None  # no hidden BEGIN; `_begin_sqlite` says which kind
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, True)
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
