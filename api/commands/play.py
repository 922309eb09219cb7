"""`baohuang play`: matches without a server, between house bots and URLs."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from baohuang.engine import BOTS, Match
from baohuang.engine.draw import KEY_BYTES

from ..config import Config
from ..outgoing import allowed
from ..remote.faults import Fault
from ..remote.guard import Guard
from ..remote.local import (
    OWN_MACHINE,
    LocalMatches,
    NoFaults,
    is_url,
    play_house,
    play_remote,
    seeded_keys,
)
from ..remote.table import TimeRules
from ..remote.urls import Blocked
from .errors import said_plainly
from .secret import secret_option
from .settings import rules_from, settings_option

SEATS = 5


class Key(click.ParamType[bytes]):
    """64 hexadecimal digits."""

    name = "hex"

    def convert(self, value: Any, param: Any, ctx: Any) -> bytes:
        """The 32 bytes of a key."""
        try:
            key = bytes.fromhex(value)
        except ValueError:
            self.fail("must be hexadecimal", param, ctx)
        if len(key) != KEY_BYTES:
            self.fail(f"must be {KEY_BYTES} bytes ({2 * KEY_BYTES} digits)", param, ctx)
        return key


@click.command()
@click.option("--rules", "preset", required=True, help="Preset of the rules.")
@settings_option
@click.option("--deals", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--seats", required=True, metavar="A,B,C,D,E", help="House bots or http URLs.")
@click.option("--key", type=Key(), help="Key of the one match, 64 hexadecimal digits.")
@click.option("--seed", help="Text that the keys are made from; without it they are random.")
@click.option("--record", type=click.File("w", encoding="utf-8"), help="Where records go; - here.")
@click.option("--matches", type=click.IntRange(1, 1_000_000), default=1, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Processes for house bots.")
@secret_option("Signs the calls to URLs")
@click.option("--budget-ms", type=click.IntRange(1, 600_000), default=2000, show_default=True)
def play(
    preset: str,
    settings: tuple[str, ...],
    deals: int,
    seats: str,
    key: bytes | None,
    seed: str | None,
    record: IO[str] | None,
    matches: int,
    jobs: int,
    secret: tuple[str, ...],
    budget_ms: int,
) -> None:
    """Play matches here, without a server, and print what each seat won.

    Seats are names of house bots or http URLs of bots, separated by commas. The same key or seed
    gives the same deals. With --record - the records go to standard output, the rest to standard
    error.
    """
    with said_plainly():
        plan = LocalMatches(
            rules=rules_from(preset, settings),
            seats=_seats(seats),
            deals=deals,
            keys=_keys(key, seed, matches),
            secrets=secret,
            allow=allowed(Config.from_env()),
            times=TimeRules(budget_ms=budget_ms),
        )
        hooks = NoFaults()
        _check_urls(plan)
        totals = _play(plan, jobs, record, hooks)
    _say_totals(plan, totals, hooks)


def _play(plan: LocalMatches, jobs: int, record: IO[str] | None, hooks: NoFaults) -> list[int]:
    totals = [0] * SEATS
    played = _remote(plan, hooks) if plan.remote else play_house(plan, jobs)
    with _progress(played, len(plan.keys)) as matches:
        for match in matches:
            totals = [a + b for a, b in zip(totals, match.totals, strict=True)]
            if record is not None:
                record.write(json.dumps(match.record(plan.seats), separators=(",", ":")) + "\n")
    return totals


def _remote(plan: LocalMatches, hooks: NoFaults) -> Iterator[Match]:
    """The asynchronous driver as a plain iterator."""
    with asyncio.Runner() as runner:
        matches = play_remote(plan, hooks)
        try:
            while True:
                try:
                    yield runner.run(_next(matches))
                except StopAsyncIteration:
                    return
        finally:
            runner.run(_close(matches))


async def _next(matches: Any) -> Match:
    match: Match = await anext(matches)
    return match


async def _close(matches: Any) -> None:
    await matches.aclose()


@contextmanager
def _progress(matches: Iterator[Match], count: int) -> Iterator[Iterator[Match]]:
    """A bar on a terminal; nothing elsewhere, so that standard error stays readable."""

    if not sys.stderr.isatty() or count == 1:
        yield matches
        return
    with click.progressbar(matches, length=count, label="Playing", file=sys.stderr) as bar:
        yield iter(bar)


def _seats(text: str) -> tuple[str, ...]:
    seats = tuple(seat.strip() for seat in text.split(","))
    if len(seats) != SEATS:
        raise click.UsageError(f"--seats wants {SEATS} seats separated by commas, not {len(seats)}")
    for seat in seats:
        if not is_url(seat) and seat not in BOTS:
            raise click.UsageError(
                f"{seat!r} is neither an http URL nor a house bot; house bots: {', '.join(BOTS)}"
            )
    return seats


def _keys(key: bytes | None, seed: str | None, matches: int) -> tuple[bytes, ...]:
    if key is not None and seed is not None:
        raise click.UsageError("--key and --seed exclude each other")
    if key is not None and matches > 1:
        raise click.UsageError("--key is the key of one match; use --seed for several")
    if key is not None:
        return (key,)
    return seeded_keys(seed if seed is not None else secrets.token_hex(32), matches)


def _check_urls(plan: LocalMatches) -> None:
    if not plan.remote:
        return
    guard = Guard([*OWN_MACHINE, *plan.allow])
    for seat in filter(is_url, plan.seats):
        try:
            guard.check_url(seat)
        except Blocked as blocked:
            raise click.UsageError(f"{seat}: {blocked.detail}") from blocked


def _say_totals(plan: LocalMatches, totals: list[int], hooks: NoFaults) -> None:
    faults = Counter((seat, fault.kind) for seat, fault in hooks.faults)
    for seat, (name, points) in enumerate(zip(plan.seats, totals, strict=True)):
        kinds = ", ".join(f"{n} {kind}" for (who, kind), n in sorted(faults.items()) if who == seat)
        click.echo(
            f"seat {seat}  {points:+6d}  {name}{'  faults: ' + kinds if kinds else ''}", err=True
        )
    for seat, fault in _first_of_each_kind(hooks):
        click.echo(f"seat {seat}, {fault.kind}: {fault.detail}", err=True)


def _first_of_each_kind(hooks: NoFaults) -> list[tuple[int, Fault]]:
    first: dict[tuple[int, str], Fault] = {}
    for seat, fault in hooks.faults:
        first.setdefault((seat, fault.kind), fault)
    return [(seat, fault) for (seat, _), fault in sorted(first.items())]
