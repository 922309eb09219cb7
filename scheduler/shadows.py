"""Writes down what shadows answered, every few seconds and on a thread of its own.

It may lose some: a shadow's answers count nowhere, and nobody waits for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from baohuang.api.outgoing import guard_of
from baohuang.api.remote.client import Client, Limits
from baohuang.api.remote.control import Judge
from baohuang.api.remote.shadow import AT_ONCE, Shadows
from baohuang.api.services import shadow_calls

from .parts import Parts

log = logging.getLogger(__name__)

EVERY_S = 2.0
LIMITS = Limits(total=AT_ONCE, per_agent=8, agents=AT_ONCE)


class ShadowDesk:
    """The shadows of a worker, with a client of their own."""

    def __init__(self, parts: Parts, client: Client, shadows: Shadows) -> None:
        self.client = client
        self.shadows = shadows
        self._parts = parts
        self._threads = ThreadPoolExecutor(1, "shadows")

    async def keep(self) -> None:
        """Write every few seconds, until cancelled."""
        while True:
            await asyncio.sleep(EVERY_S)
            await self.write()

    async def write(self) -> None:
        taken = self.shadows.take()
        if not taken:
            return
        work = partial(shadow_calls.store, taken=taken)
        loop = asyncio.get_running_loop()
        try:
            left = await loop.run_in_executor(self._threads, self._parts.write, work)
        except SQLAlchemyError:
            log.warning("%s answers of shadows are lost", len(taken.found), exc_info=True)
            self.shadows.put_back(taken)
        else:
            self.shadows.hear(left)

    def close(self) -> None:
        self._threads.shutdown()


@asynccontextmanager
async def shadow_desk(parts: Parts, judge: Judge) -> AsyncIterator[ShadowDesk]:
    """Open it for as long as the context lasts; what is known at the end is written."""
    client = Client(guard_of(parts.config), limits=LIMITS)
    shadows = Shadows(judge)
    desk = ShadowDesk(parts, client, shadows)
    keeping = asyncio.create_task(desk.keep())
    try:
        yield desk
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await shadows.close()
        await desk.write()
        desk.close()
        await client.close()
