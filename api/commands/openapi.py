"""`baohuang openapi`: the API's description, as a file that clients are made from."""

from __future__ import annotations

import sys
from pathlib import Path

import click

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
def openapi(output: Path, check: bool) -> None:
    """Write the OpenAPI document of the API."""
    made = document()
    if str(output) == "-":
        sys.stdout.buffer.write(made)
    elif not check:
        output.write_bytes(made)
    elif not output.is_file() or output.read_bytes() != made:
        raise click.ClickException(f"{output} is not what the code says; run `make openapi`.")
