"""Matches without a server: seats named by house bot or by URL, as `baohuang play` wants them.

House bots alone need no event loop and spread over processes; a table with an URL is played like
one of a tournament, by the same driver and the same guarded client.
"""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from baohuang.engine import BOTS, Match, RuleSet
from baohuang.engine.draw import match_key
from baohuang.engine.play import bots_key, play_match

from .agent import Agent, HouseAgent, HttpAgent
from .client import Client
from .faults import Fault
from .guard import Guard
from .pool import BotPool
from .table import Played, TimeRules, new_clocks, play
from .wire import MatchIds, request_id

OWN_MACHINE = ("127.0.0.0/8", "::1/128")
"""A person who plays against his own bot may reach his own machine."""

TABLES_AT_ONCE = 50


@dataclass(frozen=True)
class LocalMatches:
    """What is to be played: `seats` are five names of house bots or http URLs."""

    rules: RuleSet
    seats: tuple[str, ...]
    deals: int
    keys: tuple[bytes, ...]
    secrets: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    times: TimeRules = field(default_factory=TimeRules)

    @property
    def remote(self) -> bool:
        """Whether somebody has to be called."""
        return any(is_url(seat) for seat in self.seats)


class NoFaults:
    """Counts faults by seat and kind; a local game has nowhere else to keep them."""

    def __init__(self) -> None:
        self.faults: list[tuple[int, Fault]] = []

    def on_decision(self, played: Played) -> None:
        """Nothing to keep: a local match that is interrupted is played again."""

    def on_fault(self, played: Played, fault: Fault) -> None:
        self.faults.append((played.seat, fault))


def is_url(seat: str) -> bool:
    """Whether a seat is an URL and not a house bot's name."""
    return "://" in seat


def seeded_keys(seed: str, matches: int) -> tuple[bytes, ...]:
    """The keys of matches 1, 2, … under a seed: boards `1`, `2`, … of the secret SHA-256(seed)."""
    secret = hashlib.sha256(b"seed-v1\0" + seed.encode()).digest()
    return tuple(match_key(secret, str(number)) for number in range(1, matches + 1))


def play_house(plan: LocalMatches, jobs: int) -> Iterator[Match]:
    """Matches between house bots, in order, on `jobs` processes."""
    one = partial(_house_match, plan.rules, plan.seats, plan.deals)
    if jobs == 1:
        yield from map(one, plan.keys)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(one, plan.keys, chunksize=max(1, len(plan.keys) // (8 * jobs)))


def _house_match(rules: RuleSet, seats: Sequence[str], deals: int, key: bytes) -> Match:
    return play_match(rules, key, deals, [BOTS[seat] for seat in seats])


async def play_remote(plan: LocalMatches, hooks: NoFaults) -> AsyncIterator[Match]:
    """Matches with URLs at the table, in order, several tables at once."""
    turns = asyncio.Semaphore(TABLES_AT_ONCE)
    async with _agents(plan) as agents:
        tables = [
            asyncio.create_task(_remote_match(plan, number, agents, hooks, turns))
            for number in range(len(plan.keys))
        ]
        try:
            for table in tables:
                yield await table
        finally:
            for table in tables:
                table.cancel()
            await asyncio.gather(*tables, return_exceptions=True)


async def _remote_match(
    plan: LocalMatches,
    number: int,
    agents: Sequence[Agent],
    hooks: NoFaults,
    turns: asyncio.Semaphore,
) -> Match:
    async with turns:
        match = Match(plan.rules, plan.keys[number], plan.deals)
        ids = MatchIds(_match_id(plan, number))
        await play(match, ids, agents, new_clocks(plan.times), hooks, plan.times)
        return match


def _match_id(plan: LocalMatches, number: int) -> str:
    """Another one for other cards, lest a bot takes their questions for some that it answered."""
    return request_id("match", plan.keys[number].hex(), number, 0)


@asynccontextmanager
async def _agents(plan: LocalMatches) -> AsyncIterator[list[Agent]]:
    client = Client(Guard([*OWN_MACHINE, *plan.allow]))
    pool = BotPool()
    try:
        yield [_agent(plan, seat, number, client, pool) for number, seat in enumerate(plan.seats)]
    finally:
        pool.close()
        await client.close()


def _agent(plan: LocalMatches, seat: str, number: int, client: Client, pool: BotPool) -> Agent:
    if is_url(seat):
        return HttpAgent(seat, plan.secrets, client, f"seat {number}")
    return HouseAgent(seat, bots_key(plan.keys[0]), pool)
