"""`baohuang verify`: re-check records that somebody shows you."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import click

from baohuang.engine import RecordError
from baohuang.engine.record import verify as verify_record

from ..remote.strict import NotStrictJson, loads

MAX_LINE = 64 * 1024 * 1024


@click.command()
@click.argument("file", type=click.File("rb"))
def verify(file: IO[bytes]) -> None:
    """Check the records in FILE (NDJSON, one match a line; - is standard input).

    Draw, tribute, legality of every answer, roles, places and scores are worked out anew. The first
    difference is printed and the exit status is 1.
    """
    count = 0
    for number, line in _lines(file):
        try:
            verify_record(_parsed(line, number))
        except RecordError as error:
            raise click.ClickException(f"line {number}: {error}") from error
        count += 1
    if count == 0:
        raise click.ClickException("there is no record in the file")
    click.echo(f"{count} {'record' if count == 1 else 'records'} checked, no difference.")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, without the empty ones."""
    for number, line in enumerate(file, 1):
        if len(line) > MAX_LINE:
            raise click.ClickException(f"line {number} is longer than any record")
        if line.strip():
            yield number, line


def _parsed(line: bytes, number: int) -> object:
    try:
        return loads(line)
    except NotStrictJson as error:
        raise click.ClickException(f"line {number}: {error}") from error
