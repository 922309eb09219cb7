"""Checks whether versions of agents keep the protocol, for those who asked for it.

Every worker has an examiner; that a version is checked by one of them only is up to the row.
"""

from __future__ import annotations

import asyncio
from functools import partial

from baohuang.api.models import new_id
from baohuang.api.remote import pull_check
from baohuang.api.remote.conformance import Finding, Subject, findings
from baohuang.api.remote.pull_check import PullSubject
from baohuang.api.services import badges
from baohuang.api.services.agent_calls import Contact
from baohuang.api.services.badges import Fetching

from .mailbox import DatabaseMailbox
from .visits import Visits

LIMIT_S = 180.0  # a check that takes longer has failed
EACH = 2  # questions of each phase of each preset


class Examiner(Visits):
    """Checks whoever asked."""

    look_s = 2.0
    name = "checks of agents"

    async def round(self) -> int:
        """Do all checks that are asked for now; how many that was."""
        due = await self._write(partial(badges.claim_due, vault=self._parts.vault))
        await asyncio.gather(*map(self._check, due))
        return len(due)

    async def _turn(self, stop: asyncio.Event) -> None:
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

    async def _check(self, whom: Contact | Fetching) -> None:
        found = await self._findings(whom)
        if any(f.verdict == "failed" for f in found) and not await self._judge.well():
            return  # it was us; it is tried again
        await self._write(partial(badges.record, contact=whom, findings=found))

    async def _findings(self, whom: Contact | Fetching) -> list[Finding]:
        try:
            async with asyncio.timeout(LIMIT_S):
                if isinstance(whom, Fetching):
                    return await self._fetching(whom)
                subject = Subject(whom.url, self._client, whom.secrets, each=EACH)
                return [finding async for finding in findings(subject)]
        except TimeoutError:
            return [Finding("time", "failed", f"the check was not done after {LIMIT_S:.0f} s")]

    async def _fetching(self, whom: Fetching) -> list[Finding]:
        """Through the same door as a match's questions."""
        mailbox = DatabaseMailbox(self._parts, self._threads)
        subject = PullSubject(whom.agent_id, new_id(), mailbox, each=EACH)
        try:
            return [finding async for finding in pull_check.findings(subject)]
        finally:
            await mailbox.close()
