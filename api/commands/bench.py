"""`baohuang bench`: the figures of the project, beside those of its peers, in one run."""

from __future__ import annotations

import click

from baohuang.engine import PRESETS

from ..bench.bots import bots_report
from ..bench.remote import remote_report
from ..bench.report import engine_report


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure on this machine. Without a subcommand: the engine, calls to bots, hostile bots."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(engine)
        click.echo()
        ctx.invoke(remote)
        click.echo()
        ctx.invoke(hostile)


@bench.command()
@click.option("--rounds", type=click.IntRange(1, 100), default=7, show_default=True)
@click.option("--deals", type=click.IntRange(1, 10_000), default=400, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True)
def engine(rounds: int, deals: int, jobs: int) -> None:
    """Decisions of random agents, with the card engines that are installed."""
    for line in engine_report(rounds, deals, jobs):
        click.echo(line)


@bench.command()
@click.option("--boards", type=click.IntRange(2, 100_000), default=400, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True)
def bots(boards: int, jobs: int) -> None:
    """House bots against each other on duplicate deals, with intervals."""
    for line in bots_report(boards, jobs):
        click.echo(line)


@bench.command()
@click.option("--boards", type=click.IntRange(2, 100_000), default=150, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True)
@click.option("--rules", type=click.Choice(list(PRESETS)), default="lianzhong-simple")
def luck(boards: int, jobs: int, rules: str) -> None:
    """Standard errors on duplicate boards, by par and on independent deals, with house bots."""
    from ..bench.luck import luck_report

    for line in luck_report(rules, boards, jobs):
        click.echo(line)


@bench.command()
@click.option("--largest", type=click.IntRange(5, 10_000), default=10_000, show_default=True)
def seating(largest: int) -> None:
    """Schedules and Swiss draws: repeated meetings, evenness of seats, time."""
    from ..bench.seating import seating_report

    for line in seating_report(largest):
        click.echo(line)


@bench.command()
def remote() -> None:
    """Decisions a second with five agents on loopback, beside other HTTP clients in bare loops."""
    for line in remote_report():
        click.echo(line)


@bench.command()
@click.option("--seconds", type=click.FloatRange(0.5, 600), default=5.0, show_default=True)
@click.option("--rounds", type=click.IntRange(1, 100), default=3, show_default=True)
def hostile(seconds: float, rounds: int) -> None:
    """Agents that do everything wrong: late ends, memory, a healthy agent beside them."""
    from ..bench.hostile import hostile_report

    for line in hostile_report(seconds, rounds):
        click.echo(line)


@bench.command()
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 30), default=2.0, show_default=True)
def api(rounds: int, seconds: float) -> None:
    """A page of standings over HTTP, beside flask-smorest and FastAPI, on both databases."""
    from ..bench.web.report import api_report

    for line in api_report(rounds, seconds):
        click.echo(line)


@bench.command()
@click.option(
    "--matches", "most", type=click.IntRange(100, 1_000_000), default=100_000, show_default=True
)
@click.option("--postgres", help="A database of PostgreSQL, empty; without it SQLite is measured.")
def growth(most: int, postgres: str | None) -> None:
    """What a finished match costs, the more of them came before in its tournament."""
    from ..bench.growth import growth_report

    for line in growth_report(most, postgres):
        click.echo(line)


@bench.command()
@click.option("--streams", "count", type=click.IntRange(1, 5000), default=1000, show_default=True)
@click.option("--events", "bursts", type=click.IntRange(1, 60), default=10, show_default=True)
def streams(count: int, bursts: int) -> None:
    """Event streams that are open at once: memory, lateness, other requests meanwhile."""
    from ..bench.streams import measure, report

    for line in report(measure(count, bursts)):
        click.echo(line)
