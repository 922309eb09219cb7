"""`baohuang cup`: a tournament at once, to try agents on an arena of one's own."""

from __future__ import annotations

import click

from ..authoring import answers
from ..authoring.arena import Arena
from ..authoring.errands import hold_cup, until_finished
from .at_arena import at_arena


@click.command()
@click.argument("agents", nargs=-1, required=True, envvar="AGENT_ID")
@click.option("--name", default="Cup", show_default=True)
@click.option("--rules", default="lianzhong-simple", show_default=True, help="A rule set.")
@click.option("--rounds", type=click.IntRange(1, 500), default=1, show_default=True)
@click.option("--deals", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--budget-ms", type=click.IntRange(50, 3_600_000), default=2000, show_default=True)
@at_arena
def cup(
    arena: Arena,
    agents: tuple[str, ...],
    name: str,
    rules: str,
    rounds: int,
    deals: int,
    budget_ms: int,
) -> None:
    """Hold a tournament with AGENTS (ids) now: create, open, enter, start, standings.

    House bots fill the tables. Wants the token of an organizer whose agents they are.
    """
    settings = {
        "rule_set": rules,
        "format": "round_robin",
        "rounds": rounds,
        "deals": deals,
        "budget_ms": budget_ms,
        "capacity": -(-len(agents) // 5) * 5,
        "round_interval_s": 0,
    }
    made = hold_cup(arena, name, agents, settings)
    click.echo(f"Tournament {made}, to be watched at {arena.base}/tournaments/{made}")
    until_finished(arena, made)
    for row in arena.items(f"/tournaments/{made}/standings", answers.STANDING):
        house = " (house)" if row["house"] else ""
        click.echo(f"{row['rank']:4}  {row['points']:+5d}  {row['name']}{house}")
    for match in arena.items(f"/tournaments/{made}/matches", answers.ROUND_MATCH):
        click.echo(f"Match {match['id']}, round {match['round']}")
