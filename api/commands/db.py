"""`baohuang db`: the database's tables."""

from __future__ import annotations

import click

from .. import migrate
from ..config import Config
from ..db import Database
from .errors import said_plainly


@click.group()
def db() -> None:
    """Care for the database of DATABASE_URL."""


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Bring the tables up to date (all or nothing), or up to REVISION."""
    with said_plainly():
        database = Database(Config.from_env().database_url)
        migrate.upgrade(database, revision)
        with database.engine.connect() as connection:
            click.echo(f"The database is at revision {migrate.current(connection)}.")
