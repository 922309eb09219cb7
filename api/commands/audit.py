"""`baohuang audit`: check the audit log, and print the head to check it against later."""

from __future__ import annotations

import re

import click

from ..config import Config
from ..services import audit as log
from ..services.audit import Head
from .database import opened
from .errors import said_plainly

_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)


@click.group()
def audit() -> None:
    """Check the audit log."""


@audit.command()
@click.option("--head", "kept", metavar="NUMBER:HASH", help="A head that was kept elsewhere.")
def verify(kept: str | None) -> None:
    """Check every row and the head; exit status 1 and the first thing wrong."""
    known = None if kept is None else _parsed(kept)
    with said_plainly(), opened(Config.from_env()) as database, database.read() as session:
        found = log.verify(session, known)
    if found.wrong is not None:
        raise click.ClickException(found.wrong)
    click.echo(f"{found.rows} {'row' if found.rows == 1 else 'rows'} checked, no difference.")


@audit.command()
def head() -> None:
    """Print the head as NUMBER:HASH. Keep it where the database's owner cannot reach it."""
    with said_plainly(), opened(Config.from_env()) as database, database.read() as session:
        now = log.head(session)
    click.echo(f"{now.seq}:{now.hash}")


def _parsed(text: str) -> Head:
    match = _HEAD.fullmatch(text)
    if match is None:
        raise click.UsageError("--head is NUMBER:HASH, as `baohuang audit head` prints it")
    return Head(int(match[1]), match[2])
