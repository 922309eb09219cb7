"""`baohuang agent enter|check-in|withdraw|return`: an agent's entry in a tournament."""

from __future__ import annotations

import click

from ..authoring import answers
from ..authoring.arena import Arena
from ..authoring.errands import check_in_wanted, entry_of, state_told
from .at_arena import agent_argument, at_arena


@click.command()
@click.argument("tournament")
@agent_argument
@at_arena
def enter(arena: Arena, tournament: str, agent: str) -> None:
    """Enter an agent in TOURNAMENT (its id), which must be open.

    Where entries have to check in, that is said with its time.
    """
    path = f"/tournaments/{tournament}"
    made = arena.post(f"{path}/entries", {"agent_id": agent}, answers.STATE)
    click.echo(state_told(made))
    if said := check_in_wanted(arena.get(path, answers.CHECK_IN)):
        click.echo(f"{said} baohuang agent check-in {tournament}")


@click.command()
@click.argument("tournament")
@agent_argument
@at_arena
def check_in(arena: Arena, tournament: str, agent: str) -> None:
    """Say that an agent is there, in the time before TOURNAMENT (its id) starts."""
    entry = entry_of(arena, tournament, agent)
    made = arena.post(f"{entry.path}/check-in", shape=answers.STATE)
    click.echo(f"{made['name']} is checked in.")


@click.command()
@click.argument("tournament")
@agent_argument
@at_arena
def withdraw(arena: Arena, tournament: str, agent: str) -> None:
    """Take an agent out of TOURNAMENT (its id).

    Before it has taken part the entry goes. Later its results stay, and it is not seated from the
    next round on.
    """
    entry = entry_of(arena, tournament, agent)
    arena.delete(entry.path, arena.tag(entry.path))
    click.echo(f"{entry.name} is withdrawn.")


@click.command("return")
@click.argument("tournament")
@agent_argument
@at_arena
def return_(arena: Arena, tournament: str, agent: str) -> None:
    """Bring an agent that has left back into TOURNAMENT (its id), from the next round on."""
    entry = entry_of(arena, tournament, agent)
    made = arena.post(f"{entry.path}/return", shape=answers.STATE)
    click.echo(state_told(made))
