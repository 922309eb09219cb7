"""Calling agents outside of matches: again and again until the worker ends, for whoever is due."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ClassVar, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from baohuang.api.remote.client import Client
from baohuang.api.remote.control import Judge

from .parts import Parts

T = TypeVar("T")
log = logging.getLogger(__name__)

AGAIN_S = 30.0  # after the database failed


class Visits(ABC):
    """What doctor and examiner share. `judge` tells whether a failure is our own.

    `look_s` is the pause between two looks for who is due, `name` what waits while the database
    is away.
    """

    look_s: ClassVar[float]
    name: ClassVar[str]

    def __init__(
        self, parts: Parts, client: Client, judge: Judge, threads: ThreadPoolExecutor
    ) -> None:
        self._parts = parts
        self._client = client
        self._judge = judge
        self._threads = threads

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            pause = self.look_s
            try:
                await self._turn(stop)
            except SQLAlchemyError:
                log.warning("%s wait for the database", self.name, exc_info=True)
                pause = AGAIN_S
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)

    @abstractmethod
    async def _turn(self, stop: asyncio.Event) -> None:
        """Visit all that are due now."""

    async def _write(self, work: Callable[[Session], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._parts.write, work)
