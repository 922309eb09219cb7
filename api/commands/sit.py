"""`baohuang sit`: a person plays a seat from the terminal."""

from __future__ import annotations

import re
from contextlib import suppress

import click

from ..authoring.wary import plain
from ..models.base import ULID
from ..sitting.arena import Arena, ArenaRefused
from ..sitting.seat import Gone, Keyboard, Seat


@click.command()
@click.argument("agent")
@click.option(
    "--arena",
    envvar="ARENA",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Its address. Also in ARENA.",
)
@click.option("--token", envvar="ARENA_TOKEN", required=True, help="With the scope agents:play.")
@click.option("--matches", type=click.IntRange(0), default=0, help="End after so many; 0: never.")
def sit(agent: str, arena: str, token: str, matches: int) -> None:
    """Play as AGENT, a pull agent of yours (its id), from this terminal.

    Shows your hand, the table and the answers; type a number or the answer itself. Enter alone
    plays what the server would play for you. The token may also be in ARENA_TOKEN.
    """
    if not re.fullmatch(ULID, agent):
        raise click.UsageError(f"{agent!r} is not the id of an agent")
    if not arena.startswith(("http://", "https://")):
        raise click.UsageError("--arena is an http or https address")
    seat = Seat(Arena(arena, agent, token), Keyboard(), click.echo, matches)
    click.echo("Waiting for a match (Ctrl-C leaves).")
    try:
        with suppress(Gone):
            seat.play()
    except ArenaRefused as refused:
        raise click.ClickException(plain(refused)) from refused
