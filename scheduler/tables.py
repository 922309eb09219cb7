"""The tables of a worker: the referee, strangers over HTTP or a mailbox, house bots in a pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from typing import Protocol

from baohuang.api.outgoing import guard_of
from baohuang.api.remote import table
from baohuang.api.remote.absence import Absences
from baohuang.api.remote.agent import Agent, HouseAgent, HttpAgent
from baohuang.api.remote.client import Client
from baohuang.api.remote.control import FairAgent, Judge, control_at
from baohuang.api.remote.logged import LoggedAgent, NoticeHook
from baohuang.api.remote.pool import BotPool
from baohuang.api.remote.pull import Mailbox, PullAgent
from baohuang.api.remote.shadow import ShadowedAgent
from baohuang.api.remote.wire import MatchIds
from baohuang.api.services.matches import Claim
from baohuang.api.services.seat_plans import SeatPlan, ShadowPlan
from baohuang.api.services.signing_secrets import SecretUnreadable
from baohuang.engine.match import DESERT, Match
from baohuang.engine.play import bots_key
from baohuang.engine.tournament.par import Model, Worth

from .mailbox import DatabaseMailbox, Doors
from .parts import Parts
from .shadows import ShadowDesk, shadow_desk

COLD_START = 2  # budgets that an agent's first decision of a match has besides: it may have slept


class Hooks(table.Hooks, NoticeHook, Protocol):
    """What is told of a match while it is played, and asked before each question."""

    def goes_on(self) -> bool:
        """Whether the next question may be asked."""


class AgentTables:
    """All tables of one event loop share a client, a control agent, a mailbox, shadows, and pools
    of processes: `pool` for house bots, `pars` for what hands are worth.
    """

    def __init__(
        self,
        client: Client,
        judge: Judge,
        mailbox: Mailbox,
        doors: Doors,
        pool: BotPool,
        pars: BotPool,
        desk: ShadowDesk,
    ) -> None:
        self._client = client
        self._judge = judge
        self._mailbox = mailbox
        self._doors = doors
        self._pool = pool
        self._pars = pars
        self._desk = desk

    def resume(self, claim: Claim) -> Match:
        """The match as far as its log goes."""
        return Match.resume(claim.rules, claim.key, claim.deals, claim.log)

    async def play(self, claim: Claim, match: Match, hooks: Hooks) -> None:
        """Bring it to its end, or as far as `hooks` let it go on.

        Clocks and absences are as the worker before left them.
        """
        ids = MatchIds(claim.match_id, claim.tournament_id, claim.round, claim.table)
        times = table.TimeRules(claim.budget_ms, claim.bank_ms, COLD_START * claim.budget_ms)
        agents = [
            LoggedAgent(self._agent(claim, plan), seat, hooks)
            for seat, plan in enumerate(claim.seats)
        ]
        clocks = [claim.clocks.get(seat) or clock for seat, clock in _fresh(times)]
        absences = await asyncio.to_thread(_absences, claim) if claim.charges else Absences()
        await table.play(match, ids, agents, clocks, hooks, times, absences, hooks.goes_on)

    async def par(self, claim: Claim, model: Model) -> Worth:
        """What the hands of a match are worth, where no bot's answer has to wait for it."""
        return await self._pars.par(model, claim.rules, claim.key, claim.deals)

    def _agent(self, claim: Claim, plan: SeatPlan) -> Agent:
        if plan.house_bot is not None:
            return HouseAgent(plan.house_bot, bots_key(claim.key), self._pool)
        if plan.agent_id is None:
            raise ValueError(f"entry {plan.entry_id} has neither a house bot nor an agent")
        if plan.url is None:
            fetching = PullAgent(
                plan.agent_id, claim.match_id, claim.epoch, self._mailbox, self._doors
            )
            return FairAgent(fetching, self._doors)
        if not plan.secrets:
            raise SecretUnreadable
        agent = FairAgent(
            HttpAgent(plan.url, plan.secrets, self._client, plan.agent_id), self._judge
        )
        return agent if plan.shadow is None else self._shadowed(agent, plan.shadow)

    def _shadowed(self, agent: Agent, plan: ShadowPlan) -> Agent:
        shadow = HttpAgent(plan.url, plan.secrets, self._desk.client, plan.version_id)
        return ShadowedAgent(agent, plan.version_id, shadow, self._desk.shadows, plan.left)


def _fresh(times: table.TimeRules) -> Iterable[tuple[int, table.SeatClock]]:
    return enumerate(table.new_clocks(times))


def _absences(claim: Claim) -> Absences:
    """Who was absent from which deals: the faults of the log, in the deals that they fell in."""
    absences = Absences()
    match = Match(claim.rules, claim.key, claim.deals)
    for seq, (seat, answer, auto) in enumerate(claim.log):
        deal = match.deal
        if answer == DESERT:
            match.desert(seat)
            continue
        match.answer(answer, auto)
        if seq in claim.charges:
            absences.note(seat, deal, claim.charges[seq], match.on_autoplay(seat))
    return absences


@asynccontextmanager
async def agent_tables(parts: Parts, threads: Executor) -> AsyncIterator[AgentTables]:
    """Open client, mailbox and pools for as long as the context lasts."""
    guard = guard_of(parts.config)
    client = Client(guard)
    mailbox, doors = DatabaseMailbox(parts, threads), Doors(parts, threads)
    pool, pars = BotPool(), BotPool()
    try:
        async with (
            control_at(parts.config.control_url, guard) as judge,
            shadow_desk(parts, judge) as desk,
        ):
            yield AgentTables(client, judge, mailbox, doors, pool, pars, desk)
    finally:
        pool.close()
        pars.close()
        await mailbox.close()
        await client.close()
