"""`baohuang agent`: an author's agents at an arena, from the terminal."""

from __future__ import annotations

from typing import Any

import click

from ..authoring import answers
from ..authoring.arena import Arena
from ..authoring.errands import (
    chosen_seat,
    match_fault,
    own_match,
    seats_of,
    shell_variables,
    state_told,
    until_over,
    verified,
)
from .agent_entries import check_in, enter, return_, withdraw
from .agent_versions import check, report, version
from .at_arena import agent_argument, at_arena

_TAKEN_OVER = {
    "deal": "to the end of the deal: it failed too often",
    "match": "to the end of the match: it has left",
}


@click.group()
def agent() -> None:
    """Register, verify, practise, enter: your agents at an arena.

    The arena's address may be in ARENA, your token in ARENA_TOKEN, the agent's id in AGENT_ID.
    """


@agent.command()
@click.argument("name")
@click.argument("url", required=False)
@at_arena
def register(arena: Arena, name: str, url: str | None) -> None:
    """Register an agent that is called at URL; without URL one that fetches its questions.

    Prints its id and its signing secret as shell variables, for `eval "$(…)"`. The secret is shown
    this once.
    """
    body = {"name": name, "kind": "http" if url else "pull", "url": url}
    made = arena.post("/agents", body, answers.AGENT_MADE)
    for line in shell_variables(made):
        click.echo(line)
    click.echo(f"{name} is registered and {made['status']}.", err=True)


@agent.command()
@agent_argument
@at_arena
def show(arena: Arena, agent: str) -> None:
    """Show an agent: its state, what went wrong last, what the arena did about it."""
    found = arena.get(f"/agents/{agent}", answers.AGENT)
    for field in ("name", "kind", "url", "status", "last_fault"):
        value = "-" if found[field] is None else found[field]
        click.echo(f"{field.replace('_', ' '):12}{value}")
    click.echo(f"{'in a match':12}{match_fault(found['match_fault'])}")
    for notice in arena.items(f"/agents/{agent}/notices", answers.NOTICE):
        click.echo(f"{notice['at']}  {notice['kind']}: {notice['detail']}")


@agent.command()
@agent_argument
@click.option("--version", "number", type=click.IntRange(1), help="One of its further versions.")
@at_arena
def verify(arena: Arena, agent: str, number: int | None) -> None:
    """Have the arena call an agent, which must echo the challenge; then it may play."""
    if number is None:
        found = verified(arena, f"/agents/{agent}")
        click.echo(f"{found['name']} is verified and {found['status']}.")
    else:
        verified(arena, f"/agents/{agent}/versions/{number}", shape={})
        click.echo(f"Version {number} is verified.")


@agent.command()
@agent_argument
@at_arena
def pause(arena: Arena, agent: str) -> None:
    """Pause an agent: the arena plays for it, in running matches too, until it is resumed."""
    found = arena.post(f"/agents/{agent}/pause", shape=answers.STATE)
    click.echo(state_told(found))


@agent.command()
@agent_argument
@at_arena
def resume(arena: Arena, agent: str) -> None:
    """Resume an agent that is paused; it plays again, in running matches too."""
    found = arena.post(f"/agents/{agent}/resume", shape=answers.STATE)
    click.echo(state_told(found))


@agent.command()
@agent_argument
@click.option("--rules", default="lianzhong-simple", show_default=True, help="A rule set.")
@click.option("--deals", type=click.IntRange(1, 20), default=5, show_default=True)
@click.option("--budget-ms", type=click.IntRange(50, 3_600_000), default=2000, show_default=True)
@click.option(
    "--against",
    default="",
    metavar="A,B,…",
    help="House bots, or ids of agents; `greedy` sits where nobody is named.",
)
@at_arena
def practice(
    arena: Arena, agent: str, rules: str, deals: int, budget_ms: int, against: str
) -> None:
    """Play a match that counts nowhere, and print what every seat made of it."""
    others = [chosen_seat(name.strip()) for name in against.split(",") if name.strip()]
    body: dict[str, Any] = {"rule_set": rules, "deals": deals, "budget_ms": budget_ms}
    body["seats"] = [{"agent_id": agent}, *others]
    match = arena.post("/matches", body, answers.MADE)["id"]
    click.echo(f"Match {match}")
    until_over(arena, match)
    for seat in seats_of(arena, match):
        click.echo(f"{seat.points:+5d}  {seat.name:20}  {seat.told}".rstrip())


@agent.command()
@agent_argument
@at_arena
def matches(arena: Arena, agent: str) -> None:
    """List an agent's matches, the newest first, with its points once they may be seen.

    A round in which nobody may know who sits where is left out until it has ended.
    """
    click.echo(f"{'match':26}  {'state':9}  points  round  tournament")
    for match in arena.items(f"/agents/{agent}/matches", answers.AGENT_MATCH):
        click.echo(own_match(match))


@agent.command()
@click.argument("match")
@click.option("--faults", is_flag=True, help="Only the calls that went wrong.")
@at_arena
def calls(arena: Arena, match: str, faults: bool) -> None:
    """List the calls to your agents in MATCH: times, answers, faults, notes."""
    click.echo(" call seat      ms charged  answer")
    for call in arena.items(f"/matches/{match}/calls", answers.CALL):
        if faults and not call["fault"]:
            continue
        times = f"{call['seq']:5} {call['seat']:4} {call['ms']:7} {call['charged_ms']:7}"
        wrong = (
            f"  {call['fault']} ({call['charged_to']}): {call['detail']}" if call["fault"] else ""
        )
        note = f"  # {call['note']}" if call["note"] else ""
        click.echo(f"{times}  {call['answer']}{' (auto)' if call['auto'] else ''}{wrong}{note}")
        if taken := _TAKEN_OVER.get(str(call.get("taken_over"))):  # older arenas do not say it
            click.echo(f"           from here on the arena plays seat {call['seat']} {taken}")


@agent.command()
@click.argument("match")
@click.argument("call", type=click.IntRange(0))
@click.argument("url")
@at_arena
def replay(arena: Arena, match: str, call: int, url: str) -> None:
    """Send CALL of MATCH again, to another URL, and compare the answers. Nothing is changed."""
    path = f"/matches/{match}/calls/{call}"
    played = arena.get(path, answers.PLAYED)["answer"]
    found = arena.post(f"{path}/replay", {"url": url}, answers.REPLAY)
    answer = found["answer"] if found["fault"] is None else f"{found['fault']}: {found['detail']}"
    verdict = "the same" if found["same"] else f"in the match: {played}"
    click.echo(f"{answer}  ({verdict}; {found['ms']} ms)")


@agent.command()
@agent_argument
@click.option("--version", "number", type=click.IntRange(1), help="Which; the live one by default.")
@click.option("--now", is_flag=True, help="After a leak: the old secret signs nothing any more.")
@at_arena
def rotate(arena: Arena, agent: str, number: int | None, now: bool) -> None:
    """Give an agent a new signing secret; for 24 h calls are signed with the old one too.

    Each version that signs with the same secret gets it.
    """
    body = {"grace_s": 0, "force": True} if now else {}
    path = f"/agents/{agent}" if number is None else f"/agents/{agent}/versions/{number}"
    made = arena.post(f"{path}/rotate-secret", body, answers.ROTATED)
    click.echo(shell_variables(made)[-1])
    until = made["previous_secret_until"]
    click.echo(
        f"The old secret signs too until {until}." if until else "The old secret is gone.", err=True
    )


for command in (check, check_in, enter, report, return_, version, withdraw):
    agent.add_command(command)
