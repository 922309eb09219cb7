"""Sends events to webhooks: claim, call, note, with no transaction open during the call.

Every worker has a courier; a webhook's lease decides which of them serves it. A receiver that takes
its time holds up nobody but itself: some places are for receivers that were quick the last time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from baohuang.api.outgoing import guard_of
from baohuang.api.remote.client import Client, Reply
from baohuang.api.remote.signing import decode_secret, signed_headers
from baohuang.api.services import deliveries
from baohuang.api.services.deliveries import Batch, Outcome
from baohuang.api.services.parcels import Parcel

from .parts import Parts

T = TypeVar("T")
log = logging.getLogger(__name__)

CALL_S = 10.0  # a receiver's time to answer
LEASE_S = 60.0
LOOK_S = 1.0
AGAIN_S = 5.0  # after the database failed
AT_ONCE = 16  # receivers
UNPROVED = 12  # of them at most that were not quick the last time, or are new
QUICK_MS = 1000  # the longest call of a receiver that is quick
REMEMBERED = 5000  # quick ones


class Courier:
    """Serves whatever webhooks are due, until `stop` is set and the calls on their way have ended.

    `threads` is where the database is asked.
    """

    def __init__(self, parts: Parts, client: Client, threads: ThreadPoolExecutor) -> None:
        self._parts = parts
        self._client = client
        self._threads = threads
        self._running: set[asyncio.Task[None]] = set()
        self._quick: OrderedDict[str, None] = OrderedDict()
        self._unproved = 0  # are being served

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            if len(self._running) < AT_ONCE and await self._serve_next():
                continue
            await _first(stop, LOOK_S)
        if self._running:
            await asyncio.wait(self._running)

    async def round(self) -> int:
        """Serve all that is due now, and wait for it; how many webhooks that was."""
        served = 0
        while await self._serve_next():
            served += 1
        if self._running:
            await asyncio.wait(self._running)
        return served

    async def _serve_next(self) -> bool:
        """Begin to serve a webhook; False if none is due."""
        among = list(self._quick) if self._unproved >= UNPROVED else None
        claim = partial(deliveries.claim, vault=self._parts.vault, lease_s=LEASE_S, among=among)
        try:
            if not await self._in_thread(self._parts.read, partial(deliveries.is_due, among=among)):
                return False
            batch = await self._in_thread(self._parts.write, claim)
        except SQLAlchemyError:
            log.warning("webhooks wait for the database", exc_info=True)
            await asyncio.sleep(AGAIN_S)
            return False
        if batch is None:
            return False
        if batch.parcels:
            quick = batch.webhook_id in self._quick
            self._unproved += not quick
            task = asyncio.create_task(self._serve(batch, quick))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return True

    async def _serve(self, batch: Batch, quick: bool) -> None:
        keys = [decode_secret(secret) for secret in batch.secrets]
        calls = (self._call(batch, keys, parcel) for parcel in batch.parcels)
        try:
            outcomes = await asyncio.gather(*calls)
        finally:
            self._unproved -= not quick
        self._remember(batch.webhook_id, max(outcome.ms for outcome in outcomes) <= QUICK_MS)

        def note(session: Session) -> bool:
            return deliveries.record(session, batch, outcomes)

        try:
            if not await self._in_thread(self._parts.write, note):
                log.info("webhook %s: another one has it", batch.webhook_id)
        except SQLAlchemyError:
            log.warning("webhook %s is served again later", batch.webhook_id, exc_info=True)

    def _remember(self, webhook_id: str, quick: bool) -> None:
        self._quick.pop(webhook_id, None)
        if quick:
            self._quick[webhook_id] = None
            if len(self._quick) > REMEMBERED:
                self._quick.popitem(last=False)

    async def _call(self, batch: Batch, keys: list[bytes], parcel: Parcel) -> Outcome:
        headers = signed_headers(keys, parcel.message, int(time.time()), parcel.body)
        found = await self._client.post(
            batch.webhook_id, batch.url, parcel.body, headers, CALL_S, exact=False
        )
        fault = None if isinstance(found, Reply) else found
        return Outcome(parcel.delivery_id, fault, round(found.ms))

    async def _in_thread(
        self, transaction: Callable[[Callable[[Session], T]], T], work: Callable[[Session], T]
    ) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, transaction, work)


async def deliver(parts: Parts, stop: asyncio.Event) -> None:
    """A courier with a client and a thread of its own."""
    client = Client(guard_of(parts.config))
    with ThreadPoolExecutor(1, "courier") as threads:
        try:
            await Courier(parts, client, threads).run(stop)
        finally:
            await client.close()


async def _first(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
