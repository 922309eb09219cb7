"""`baohuang openapi`: the API's description, as a file that clients are made from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import IO, Any

import click

from ..contract import DeclarationError, changes, parse, undeclared
from ..openapi import document


@click.command()
@click.option(
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    default=Path("openapi/openapi.json"),
    show_default=True,
    help="Where to write it; - is standard output.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the file is out of date.")
@click.option(
    "--since",
    type=click.File("rb"),
    help="Write nothing; fail if the API breaks clients of this older document.",
)
@click.option(
    "--declared", type=click.File("r", encoding="utf-8"), help="Announced changes, for --since."
)
def openapi(output: Path, check: bool, since: IO[bytes] | None, declared: IO[str] | None) -> None:
    """Write the OpenAPI document of the API."""
    made = document()
    if since is not None:
        _refuse_breaking(json.load(since), json.loads(made), declared)
        return
    if str(output) == "-":
        sys.stdout.buffer.write(made)
    elif not check:
        output.write_bytes(made)
    elif not output.is_file() or output.read_bytes() != made:
        raise click.ClickException(f"{output} is not what the code says; run `make openapi`.")


def _refuse_breaking(old: Any, new: Any, declared: IO[str] | None) -> None:
    try:
        known = parse(declared.read()) if declared else {}
    except DeclarationError as error:
        raise click.ClickException(f"{declared.name if declared else ''}: {error}") from error
    found = undeclared(changes(old, new), known)
    for change in found:
        click.echo(str(change), err=True)
    if found:
        raise click.ClickException(f"{len(found)} changes break clients and are not declared")
    click.echo("No change breaks a client.")
