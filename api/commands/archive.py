"""`baohuang export`, `import` and `check-tournament`: whole tournaments as files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import IO

import click

from baohuang.engine.tournament.parsing import ArchiveError

from ..access import SCOPES
from ..config import Config
from ..models import Role
from ..services import accounts, archive_check, archive_file, archive_import
from ..services.principal import Principal
from ..trail import Origin, acting
from ..vault import Vault
from .database import opened, prepared
from .errors import said_plainly

SHOWN = 10  # differences

_OPERATOR = Principal("", Role.ADMIN, frozenset(SCOPES), "operator")


@click.command("export")
@click.argument("tournament")
@click.option(
    "--output", type=click.File("wb", lazy=True), default="-", help="Default: - (stdout)."
)
def export(tournament: str, output: IO[bytes]) -> None:
    """Write a tournament that has ended as one archive (NDJSON)."""
    with said_plainly():
        config = Config.from_env()
        with opened(config) as database, database.snapshot() as session:
            lines = archive_file.export(session, Vault.of(config), _OPERATOR, tournament)
            for line in lines:
                output.write(line)


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option(
    "--organizer",
    default="imports",
    show_default=True,
    help="Account that it is to belong to; a new name makes one.",
)
def import_(file: IO[bytes], organizer: str) -> None:
    """Check an archive and store it: all of FILE, or nothing (- is standard input).

    A new SQLite database gets its tables first. An account that is made is said.
    """
    with said_plainly(), _lines_said(), acting(Origin("import")):
        config = Config.from_env()
        parsed = archive_file.parse(file)
        with prepared(config) as database, database.begin() as session:
            new = accounts.named(session, organizer) is None
            owner = accounts.obtain(session, organizer, Role.ORGANIZER)
            made = archive_import.load(session, Vault.of(config), parsed, owner)
            session.flush()
            tournament_id = made.id
    _say_left_out(parsed)
    if new:
        click.echo(f"There was no account {organizer}: it is made, as an organizer.", err=True)
    click.echo(tournament_id)


@click.command("check-tournament")
@click.argument("file", type=click.File("rb"))
def check_tournament(file: IO[bytes]) -> None:
    """Replay the archive in FILE: every seating, standing, key and record is worked out anew.

    The first differences are printed, and the exit status is 1. Seats that an older version of the
    drawing drew are not drawn again, which is said.
    """
    with _lines_said():
        parsed = archive_file.parse(file)
    found = list(archive_check.check(parsed))
    _say_left_out(parsed)
    for difference in found[:SHOWN]:
        click.echo(str(difference), err=True)
    if found:
        raise click.ClickException(f"{len(found)} differences")
    events = len(parsed.played.events)
    click.echo(f"{events} events and {len(parsed.rows)} rows checked, no difference.")


def _say_left_out(parsed: archive_file.Parsed) -> None:
    for said in (archive_check.no_end(parsed), archive_check.left_out(parsed)):
        if said:
            click.echo(said, err=True)


@contextlib.contextmanager
def _lines_said() -> Iterator[None]:
    try:
        yield
    except ArchiveError as error:
        raise click.ClickException(str(error)) from error
