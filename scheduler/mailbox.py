"""The mailbox of pull agents: one task a worker that looks into the database for all of them.

New questions and notices are put there together, answers and overdue questions are looked for
together, so that a hundred waiting people cost one small query every few hundredths of a second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy.orm import Session

from baohuang.api.remote.control import PATIENCE_S, PAUSE_S
from baohuang.api.remote.pull import Letter, Returned
from baohuang.api.services import doors, questions

from .parts import Parts

T = TypeVar("T")

NOTE_S = 0.1  # how often a note is looked for, while somebody waits for one
LOOK_S = 0.025  # how often answers are looked for, while somebody waits for one
NOTICE_MS = 60_000  # how long a notice lies there


class Doors:
    """The judge of agents that fetch: was the API there, and is it again?"""

    def __init__(self, parts: Parts, threads: Executor) -> None:
        self._parts = parts
        self._threads = threads

    async def closed_ms(self, began: float, ms: int) -> int:
        """Of the `ms` after `began`, how many no process of the API answered in.

        It waits for the next note, a second at most where all is well: that one tells whether the
        time was whole. Raises what the database raises.
        """
        till = began + ms / 1000
        noted, now = await self._read(doors.newest)
        while noted is not None and noted < till and now < till + doors.OPEN_S:
            await asyncio.sleep(NOTE_S)
            noted, now = await self._read(doors.newest)
        return await self._read(partial(doors.closed_ms, since=began, till=till))

    async def well(self) -> bool:
        """A miss says itself whether it was ours."""
        return True

    async def recover(self) -> None:
        """Wait until the API is there again, or patience ends. Raises what the database raises."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if await self._read(doors.is_open):
                return
            await asyncio.sleep(PAUSE_S)

    async def _read(self, work: Callable[[Session], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(self._parts.read, work))


class DatabaseMailbox:
    """Letters of one worker. Close it at the end."""

    def __init__(self, parts: Parts, threads: Executor) -> None:
        self._parts = parts
        self._threads = threads
        self._outbox: list[Letter] = []
        self._waiting: dict[str, asyncio.Future[Returned]] = {}
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, letter: Letter) -> Returned:
        """Offer a question, and wait for its answer or for its time to run out.

        Raises what the database raises.
        """
        answer: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()
        self._waiting[letter.request] = answer
        self._post(letter)
        try:
            return await answer
        finally:
            if self._waiting.get(letter.request) is answer:
                del self._waiting[letter.request]

    async def tell(self, letter: Letter) -> None:
        """Leave a notice there."""
        self._post(
            Letter(
                letter.request, letter.agent_id, letter.match_id, letter.epoch,
                letter.kind, letter.body, 0, NOTICE_MS,
            )
        )  # fmt: skip

    async def close(self) -> None:
        """Stop looking. Nobody may wait any more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _post(self, letter: Letter) -> None:
        self._outbox.append(letter)
        self._news.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep_looking())

    async def _keep_looking(self) -> None:
        """Until nobody waits. An error of the database is that of everybody who waits."""
        while self._outbox or self._waiting:
            self._news.clear()
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 - handed on to every match that waits
                self._hand_on(error)
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._news.wait()

    async def _look(self) -> None:
        letters, self._outbox = self._outbox, []
        if letters:
            await self._run(self._parts.write, partial(questions.offer, letters=letters))
        waiting = list(self._waiting)
        if not waiting:
            return
        found, overdue = await self._run(
            self._parts.read, partial(questions.look, requests=waiting)
        )
        if overdue:
            found |= await self._run(self._parts.write, partial(questions.close, requests=overdue))
        for request, returned in found.items():
            answer = self._waiting.get(request)
            if answer is not None and not answer.done():
                answer.set_result(returned)

    async def _run(
        self, transaction: Callable[[Callable[[Session], T]], T], work: Callable[[Session], T]
    ) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(transaction, work))

    def _hand_on(self, error: Exception) -> None:
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
