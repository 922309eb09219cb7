"""What the commands of authors share: which arena, whose token, refusals in one sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import click

from ..authoring.arena import Arena, ArenaRefused
from ..authoring.wary import plain

Command = TypeVar("Command", bound=Callable[..., Any])


def at_arena(command: Command) -> Command:
    """Give a command `--arena` and `--token`, and an `Arena` as its first argument."""

    @functools.wraps(command)
    def wrapped(base: str, token: str, **given: Any) -> None:
        if not base.startswith(("http://", "https://")):
            raise click.UsageError("--arena is an http or https address")
        try:
            command(Arena(base, token), **given)
        except ArenaRefused as refused:
            raise click.ClickException(plain(refused)) from refused

    options = (
        click.option(
            "--arena",
            "base",
            envvar="ARENA",
            default="http://127.0.0.1:8000",
            show_default=True,
            help="Its address; also in ARENA.",
        ),
        click.option("--token", envvar="ARENA_TOKEN", required=True, help="Also in ARENA_TOKEN."),
    )
    for option in reversed(options):
        wrapped = option(wrapped)
    return cast(Command, wrapped)


def agent_argument(command: Command) -> Command:
    """Give a command the argument AGENT, an id."""
    return click.argument("agent", envvar="AGENT_ID")(command)
