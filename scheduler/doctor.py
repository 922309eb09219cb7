"""Probes agents with a real question, so that a broken one is paused before its next match.

Every worker has a doctor; that an agent is probed by one of them only is up to the row.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from baohuang.api.outgoing import guard_of
from baohuang.api.remote.agent import HttpAgent, Question
from baohuang.api.remote.client import Client
from baohuang.api.remote.control import control_at
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.questions import drawn
from baohuang.api.remote.wire import Clock, MatchIds, request_id
from baohuang.api.services import agent_health
from baohuang.api.services.agent_calls import Contact

from .examiner import Examiner
from .parts import Parts
from .visits import Visits

log = logging.getLogger(__name__)

REACHED_S = 60.0  # how long the network is held to be well after an agent answered
CLOCK = Clock(10_000, 0)  # an agent may have to be started
IDS = MatchIds("01PR0BE0000000000000000000")


class Doctor(Visits):
    """Probes whoever is due."""

    look_s = 5.0
    name = "probes"
    _reached_at = -math.inf

    async def _turn(self, stop: asyncio.Event) -> None:
        await self.round()

    async def round(self) -> int:
        """Probe all that are due now; how many that was."""
        claim = partial(agent_health.claim_due, vault=self._parts.vault)
        due = await self._write(claim)
        await asyncio.gather(*map(self._examine, due))
        return len(due)

    async def _examine(self, contact: Contact) -> None:
        fault = await self._probe(contact)
        if fault is None:
            self._reached_at = time.monotonic()
        elif not await self._judge.well():
            return  # it was us
        well = fault is not None and self._network_is_well(fault)
        record = partial(agent_health.record, network_is_well=well)
        stood = await self._write(partial(record, contact=contact, fault=fault))
        if stood.before != stood.after:
            log.info("agent %s: %s, after its probes", contact.agent_id, stood.after)

    def _network_is_well(self, fault: Fault) -> bool:
        """Whether somebody out there was reached just now; our own control may be next door.

        Who has an address needs no name server: those are well if they knew a name just now.
        """
        if self._parts.config.control_url:
            return True
        well_at = self._client.resolver.found_at if fault.kind == "dns" else self._reached_at
        return time.monotonic() - well_at < REACHED_S

    async def _probe(self, contact: Contact) -> Fault | None:
        sample = secrets.choice(await drawn(1))
        request = request_id("probe", IDS.match, secrets.token_hex(16), 0)
        agent = HttpAgent(contact.url, contact.secrets, self._client, contact.agent_id)
        return (await agent.decide(Question(request, IDS, sample.view, CLOCK))).fault


async def examine(parts: Parts, stop: asyncio.Event) -> None:
    """A doctor and an examiner, with a client, a control agent and a thread of their own."""
    guard = guard_of(parts.config)
    client = Client(guard)
    with ThreadPoolExecutor(1, "doctor") as threads:
        try:
            async with (
                control_at(parts.config.control_url, guard) as judge,
                asyncio.TaskGroup() as group,
            ):
                for who in (Doctor, Examiner):
                    group.create_task(who(parts, client, judge, threads).run(stop))
        finally:
            await client.close()
