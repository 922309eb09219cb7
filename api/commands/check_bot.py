"""`baohuang check-bot`: does an agent keep the protocol?"""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from typing import TextIO

import click

from ..config import Config
from ..outgoing import allowed
from ..remote.client import Client
from ..remote.conformance import Finding, Subject, findings
from ..remote.guard import Guard
from ..remote.local import OWN_MACHINE
from ..remote.urls import Blocked
from .badge import badge, passed, report
from .errors import said_plainly
from .secret import secret_option

MARKS = {"ok": "ok  ", "warning": "warn", "failed": "FAIL"}


@click.command("check-bot")
@click.argument("url")
@secret_option("The agent's signing secret")
@click.option("--budget-ms", type=click.IntRange(1, 600_000), default=2000, show_default=True)
@click.option("--each", type=click.IntRange(1, 100), default=3, help="Questions of each phase.")
@click.option("--report", "to_report", type=click.File("w", "utf-8"), help="Findings as JSON.")
@click.option("--badge", "to_badge", type=click.File("w", "utf-8"), help="An SVG for its page.")
def check_bot(
    url: str,
    secret: tuple[str, ...],
    budget_ms: int,
    each: int,
    to_report: TextIO | None,
    to_badge: TextIO | None,
) -> None:
    """Check the agent at URL: every phase of every preset, signatures, slow start, odd requests.

    Prints one line for each check. The exit status is 1 if one failed; warnings do not count.
    """
    with said_plainly():
        guard = Guard([*OWN_MACHINE, *allowed(Config.from_env())])
    _refuse_nonsense(guard, url)
    if not secret:
        click.echo("Without a secret calls are not signed, and signatures are not tried.", err=True)
    found = asyncio.run(_check(guard, url, secret, budget_ms, each))
    verdicts = Counter[str](finding.verdict for finding in found)
    click.echo(", ".join(f"{verdicts[verdict]} {verdict}" for verdict in MARKS))
    now = datetime.now(UTC)
    if to_report is not None:
        to_report.write(report(url, found, now))
    if to_badge is not None:
        to_badge.write(badge(found, now))
    if not passed(found):
        raise SystemExit(1)


async def _check(
    guard: Guard, url: str, secrets: tuple[str, ...], budget_ms: int, each: int
) -> list[Finding]:
    found: list[Finding] = []
    client = Client(guard)
    try:
        async for finding in findings(Subject(url, client, secrets, budget_ms, each)):
            found.append(finding)
            click.echo(line(finding.verdict, finding.name, finding.detail))
    finally:
        await client.close()
    return found


def line(verdict: str, name: str, detail: str) -> str:
    """A finding as it is printed."""
    return f"{MARKS.get(verdict, verdict)}  {name}" + (f": {detail}" if detail else "")


def _refuse_nonsense(guard: Guard, url: str) -> None:
    try:
        guard.check_url(url)
    except Blocked as blocked:
        raise click.UsageError(f"{url}: {blocked.detail}") from blocked
