"""How PgQueuer reaches PostgreSQL: inside a caller's transaction, and from a worker's event loop.

PgQueuer's own psycopg drivers want autocommit, which cannot join a transaction, and share one
connection between queries and LISTEN, whose wait of up to a second then holds back the queries.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import psycopg
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.ports.driver import NotifyCallback, SyncDriver
from psycopg import RawCursor
from psycopg.rows import dict_row
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

# A host that vanishes without a word is noticed within 25 seconds, on both sides.
KEEPALIVE = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


def conninfo(url: URL) -> str:
    """The libpq form of a SQLAlchemy URL, with `KEEPALIVE` where the URL does not say otherwise."""
    plain = url.set(drivername="postgresql", query={**KEEPALIVE, **url.query})
    return plain.render_as_string(hide_password=False)


class SessionDriver(SyncDriver):
    """Runs PgQueuer's statements on the connection, and so in the transaction, of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        raw = self._session.connection().connection.driver_connection
        if not isinstance(raw, psycopg.Connection):
            raise TypeError(f"PgQueuer needs psycopg, the session has {type(raw).__name__}")
        cursor = RawCursor(raw, row_factory=dict_row)
        return cursor.execute(query.encode(), args).fetchall()


class SplitDriver(PsycopgDriver):
    """Listens on one connection and queries on another; `broken` is set when a query's is lost."""

    def __init__(self, queries: psycopg.AsyncConnection, listener: psycopg.AsyncConnection) -> None:
        super().__init__(listener)
        self._queries = PsycopgDriver(queries)
        self.broken = asyncio.Event()
        self._listens = asyncio.Event()

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        await super().add_listener(channel, callback)
        self._listens.set()

    async def notify(self, channel: str, payload: str) -> None:
        """Wait for LISTEN first: PgQueuer's own echo would overtake it on the other connection."""
        await self._listens.wait()
        await super().notify(channel, payload)

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        with self._noticing():
            return await self._queries.fetch(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        with self._noticing():
            return await self._queries.execute(query, *args)

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except psycopg.OperationalError:
            self.broken.set()
            raise


@asynccontextmanager
async def split_driver(url: URL) -> AsyncIterator[SplitDriver]:
    """Open both connections for as long as the context lasts."""
    dsn = conninfo(url)
    async with (
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as queries,
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as listener,
    ):
        yield SplitDriver(queries, listener)
