"""`baohuang agent check|version|report`: the versions of an agent."""

from __future__ import annotations

from typing import Any

import click

from ..authoring import answers
from ..authoring.arena import Arena
from ..authoring.errands import checked, newest_version, shell_variables
from .at_arena import agent_argument, at_arena
from .check_bot import line


@click.command()
@agent_argument
@click.option("--version", "number", type=click.IntRange(1), help="Which; the newest by default.")
@at_arena
def check(arena: Arena, agent: str, number: int | None) -> None:
    """Have the arena check an agent as `check-bot` does; nothing failed: a badge for 90 days.

    Tournaments may require the badge. The exit status is 1 if something failed.
    """
    chosen = number or newest_version(arena, agent)
    found = checked(arena, f"/agents/{agent}/versions/{chosen}")
    for finding in found["findings"]:
        click.echo(line(finding["verdict"], finding["name"], finding["detail"]))
    if not found["passed"]:
        raise click.ClickException(f"Version {chosen} has no badge.")
    click.echo(f"Version {chosen} has a badge until {found['badge_until']}.")


@click.command()
@click.argument("url")
@agent_argument
@click.option("--label", help="Your own name for it.")
@click.option("--shadow", is_flag=True, help="It is asked along, and its answers count nowhere.")
@at_arena
def version(arena: Arena, url: str, agent: str, label: str | None, shadow: bool) -> None:
    """Register a further version of an agent, called at URL, with a secret of its own.

    Once verified it plays in the rounds that open from then on, unless it is a shadow. Prints
    AGENT_VERSION and AGENT_SECRET as shell variables.
    """
    body = {"url": url, "label": label, "shadow": shadow}
    made = arena.post(f"/agents/{agent}/versions", body, answers.VERSION_MADE)
    for variable in shell_variables(made):
        click.echo(variable)


@click.command()
@click.argument("number", type=click.IntRange(1), envvar="AGENT_VERSION")
@agent_argument
@at_arena
def report(arena: Arena, number: int, agent: str) -> None:
    """Compare shadow NUMBER of an agent with the versions that played."""
    found = arena.get(f"/agents/{agent}/versions/{number}/report", answers.REPORT)
    click.echo(
        f"{found['asked']} questions, {found['skipped']} spared, {found['answered']} answered, "
        f"{found['compared']} compared, {found['same']} alike"
    )
    for name, key in (("its ms", "ms"), ("played ms", "played_ms")):
        if found[key] is not None:
            click.echo(f"{name:10}{_quantiles(found[key])}")
    for kind, count in found["faults"].items():
        click.echo(f"{kind:10}{count}")
    for difference in found["differences"]:
        other = difference["answer"] or f"{difference['fault']}: {difference['detail']}"
        where = f"{difference['match_id']}, {difference['phase']}"
        click.echo(f"{where}: played {difference['played']}, the shadow {other}")


def _quantiles(found: dict[str, Any]) -> str:
    return "  ".join(f"{name} {found[name]}" for name in ("p50", "p90", "p99", "most"))
