"""Calls that a request waits for: to look up a URL's name, to verify an agent, to ask it again.

They are made on one event loop of the process, whose resolver knows what was asked before, and an
account has few of them at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any, TypeVar

from .remote.client import Client
from .remote.guard import Guard
from .remote.resolver import Resolver
from .shares import Shares, require

T = TypeVar("T")

EACH = 8  # at once for one account
TOTAL = 128


class Errands:
    """The way out for requests. Any number of threads; the loop begins with the first errand."""

    def __init__(self, guard: Guard, each: int = EACH, total: int = TOTAL) -> None:
        self._guard = guard
        self.resolver: Resolver = _Shared(guard)
        self._shares = Shares(each, total)
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def turn(self, account_id: str) -> Iterator[None]:
        """One of the account's places. Raises `TooMany` if it has none left, `Unavailable`."""
        require(
            self._shares.take(account_id),
            code="too_many_calls",
            own="Other calls of yours are still on their way; wait for them.",
            all_="Too many calls are on their way; try again.",
        )
        try:
            yield
        finally:
            self._shares.give_back(account_id)

    def admit(self, url: str) -> None:
        """The check of a URL with the name servers' answer. Raises `Blocked`."""
        self._run(self.resolver.admit(url))

    def call(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        """What `work` comes to, with a client whose connections nobody else uses."""
        return self._run(self._with_client(work))

    async def _with_client(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        client = Client(self._guard, self.resolver)
        try:
            return await work(client)
        finally:
            await client.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._running()).result()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=self._loop.run_forever, name="errands", daemon=True).start()
            return self._loop


class _Shared(Resolver):
    """It outlives the clients that use it."""

    async def close(self) -> None:
        pass
