"""Checks whether versions of agents keep the protocol, for those who asked for it.

Every worker has an examiner; that a version is checked by one of them only is up to the row.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from baohuang.api.remote.client import Client
from baohuang.api.remote.conformance import Finding, Subject, findings
from baohuang.api.remote.control import Judge
from baohuang.api.services import badges
from baohuang.api.services.agent_calls import Contact

from .parts import Parts

T = TypeVar("T")
log = logging.getLogger(__name__)

LOOK_S = 2.0
AGAIN_S = 30.0  # after the database failed
LIMIT_S = 180.0  # a check that takes longer has failed
EACH = 2  # questions of each phase of each preset


class Examiner:
    """Checks whoever asked. `judge` tells whether a failure is our own."""

    def __init__(
        self, parts: Parts, client: Client, judge: Judge, threads: ThreadPoolExecutor
    ) -> None:
        self._parts = parts
        self._client = client
        self._judge = judge
        self._threads = threads

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            pause = LOOK_S
            try:
                await self._until(stop)
            except SQLAlchemyError:
                log.warning("checks of agents wait for the database", exc_info=True)
                pause = AGAIN_S
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)

    async def round(self) -> int:
        """Do all checks that are asked for now; how many that was."""
        due = await self._write(partial(badges.claim_due, vault=self._parts.vault))
        await asyncio.gather(*map(self._check, due))
        return len(due)

    async def _until(self, stop: asyncio.Event) -> None:
        """One round, given up when this worker is to end: another one begins it anew."""
        working = asyncio.ensure_future(self.round())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (working, stopping):
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        if not working.cancelled():
            working.result()

    async def _check(self, contact: Contact) -> None:
        found = await self._findings(contact)
        if any(f.verdict == "failed" for f in found) and not await self._judge.well():
            return  # it was us; it is tried again
        await self._write(partial(badges.record, contact=contact, findings=found))

    async def _findings(self, contact: Contact) -> list[Finding]:
        found: list[Finding] = []
        subject = Subject(contact.url, self._client, contact.secrets, each=EACH)
        try:
            async with asyncio.timeout(LIMIT_S):
                found.extend([finding async for finding in findings(subject)])
        except TimeoutError:
            return [Finding("time", "failed", f"the check was not done after {LIMIT_S:.0f} s")]
        return found

    async def _write(self, work: Callable[[Session], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._parts.write, work)
