"""One scheduler of several leads: who holds the lock runs the timers, the others watch.

On PostgreSQL the lock is an advisory one on a connection of its own, which ends with the process;
on SQLite it is an flock on a file beside the database. `check` is called every second, so a dead
leader is followed within about two. A frozen leader keeps the lock until it wakes or the server
ends its session, which is why firings that must happen once are guarded by `once` besides.
"""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO, Protocol

import psycopg
from sqlalchemy.engine import URL

from .drivers import conninfo

LOCK_KEY = 0x62616F6875616E67  # "baohuang"; advisory locks are numbers of 64 bits


class Leadership(Protocol):
    """A lock that at most one process holds."""

    def check(self) -> bool:
        """Whether this process leads now; takes the lead if nobody has it."""

    def close(self) -> None:
        """Give the lead up."""


def leadership(url: URL) -> Leadership:
    """The lock that goes with a database."""
    if url.get_backend_name() == "postgresql":
        return PostgresLeadership(url)
    if not url.database or url.database == ":memory:":
        raise ValueError("a scheduler needs a SQLite database in a file")
    return FileLeadership(Path(f"{url.database}.lock"))


class PostgresLeadership:
    """A session-level advisory lock. Any trouble with the connection means: not leading."""

    def __init__(self, url: URL, key: int = LOCK_KEY) -> None:
        self._dsn = conninfo(url)
        self._key = key
        self._connection: psycopg.Connection | None = None
        self._leading = False

    def check(self) -> bool:
        try:
            self._leading = self._alive() if self._leading else self._try_lock()
        except psycopg.OperationalError:
            self.close()
        return self._leading

    def _alive(self) -> bool:
        return self._scalar(b"SELECT true")

    def _try_lock(self) -> bool:
        return self._scalar(b"SELECT pg_try_advisory_lock(%d)" % self._key)

    def _scalar(self, statement: bytes) -> bool:
        if self._connection is None:
            self._connection = psycopg.connect(self._dsn, autocommit=True)
        row = self._connection.execute(statement).fetchone()
        return row is not None and row[0] is True

    def close(self) -> None:
        self._leading = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class FileLeadership:
    """An flock; the kernel frees it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def check(self) -> bool:
        if self._file is None:
            self._file = self._try_lock()
        return self._file is not None

    def _try_lock(self) -> IO[bytes] | None:
        file = self._path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        return file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
