"""The database: one engine, two kinds of transaction, one clock.

`begin()` is a use case's write transaction, `read()` sees a consistent state and cannot change it.
SQLite and PostgreSQL run the same code; what differs between them is here and nowhere else.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import orjson
import psycopg
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from .config import ConfigError
from .trail import WritingSession

BUSY_TIMEOUT_S = 30
ASK_AFTER_S = 5.0  # of rest, before a connection of PostgreSQL's is tried
_WRITES = "baohuang_writes"
_RESTS = "baohuang_rests"

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
        self._reading = _reader(self.engine, pool_size)
        self._snapshots = _snapshots(self.engine)

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
        """For reading; the database itself refuses writes.

        On SQLite one transaction, which sees one state. On PostgreSQL each statement sees the state
        of its own moment, as in any transaction of the usual isolation, so none is opened: BEGIN
        and ROLLBACK would cost as much as the two statements of most requests.
        """
        with Session(self._reading, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """For reading much: one transaction that sees one state, so that rows can be streamed.

        What refers to each other fits, however long it takes; the database refuses writes.
        """
        with Session(self._snapshots, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def peek(self) -> Iterator[Session]:
        """As `read`, for a few `Prepared` statements, each of which sees the state of its moment.

        They get the connection at once: the bookkeeping of a session's transaction costs more than
        they do. Whatever else is asked opens one.
        """
        with self._reading.connect() as connection:
            session = _Peeking(connection, expire_on_commit=False, autoflush=False)
            try:
                yield session
            finally:
                if session.in_transaction():
                    session.close()

    def dispose(self) -> None:
        """Close the pooled connections (before a fork, at the end of a process)."""
        self.engine.dispose()
        self._reading.dispose()


class _Peeking(Session):
    """Lends its connection without a transaction."""

    def __init__(self, connection: Connection, **options: Any) -> None:
        super().__init__(connection, **options)
        self._lent = connection

    def connection(self, *_arguments: Any, **_options: Any) -> Connection:
        return self._lent


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


def _engine(url: URL, pool_size: int, **options: Any) -> Engine:
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
    engine = create_engine(url, pool_size=pool_size, **common, **options)
    event.listen(engine, "checkin", _note_rest)
    event.listen(engine, "checkout", _check_rested)
    return engine


def _reader(engine: Engine, pool_size: int) -> Engine:
    """The engine of `read`: the same one on SQLite, connections of its own on PostgreSQL."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(**{_WRITES: False})
    reader = _engine(engine.url, pool_size, isolation_level="AUTOCOMMIT")
    event.listen(reader, "connect", _read_only)
    return reader


def _snapshots(engine: Engine) -> Engine:
    if engine.dialect.name == "sqlite":
        return engine.execution_options(**{_WRITES: False})
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _read_only(connection: Any, _record: object) -> None:
    connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")


def _note_rest(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info[_RESTS] = time.monotonic()


def _check_rested(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Let nobody have a connection whose server has gone.

    A server that closes a connection says so, and then there is something to read. Only if there
    is, or after a while, a question is sent; before each use it would double the cost of a read.
    """
    rested = time.monotonic() - record.info.get(_RESTS, 0.0)
    if connection is None or (rested < ASK_AFTER_S and not _has_news(connection.pgconn.socket)):
        return
    try:
        before = connection.autocommit
        connection.autocommit = True
        connection.execute("SELECT 1")
        connection.autocommit = before
    except psycopg.Error as error:
        raise InvalidatePoolError from error


def _has_news(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))


def _prepare_sqlite(connection: SqliteConnection, _record: object) -> None:
    connection.isolation_level = None  # no hidden BEGIN; `_begin_sqlite` says which kind
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, True)
    driver: Any = connection.connection.driver_connection
    if connection.info.get(_WRITES) is not writes:
        driver.execute(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
        connection.info[_WRITES] = writes
    if writes:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # SQLAlchemy's error when it is locked
    else:
        driver.execute("BEGIN")
