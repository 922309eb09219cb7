"""The worker's side of services/matches.py: one short transaction a call, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy.orm import Session

from baohuang.api.services import matches, reclaim
from baohuang.api.services.matches import (
    Claim,
    Held,
    LogEntry,
    RecordedMatch,
    SeatCall,
    SeatFault,
    SeatFurther,
)
from baohuang.engine.commentary import Saying
from baohuang.engine.tournament.par import Worth

from .parts import Parts

T = TypeVar("T")


@dataclass(frozen=True)
class Tail:
    """What is to be written of a match: log entries, their faults, what spectators may hear, how
    the calls of agents went, what was sent to them besides; at the end what its hands are worth,
    where that is wanted.
    """

    block: Sequence[LogEntry] = ()
    faults: Sequence[SeatFault] = ()
    sayings: Sequence[Saying] = ()
    calls: Sequence[SeatCall] = ()
    par: Worth | None = None
    further: Sequence[SeatFurther] = ()


class Ledger(Protocol):
    """What a runner needs to hold a match and to write it down."""

    async def claim(self, match_id: str) -> Claim | None:
        """Take a match; None if it is not to be had."""

    async def lease_left(self, match_id: str) -> float | None:
        """Seconds for which another worker holds a match; None if none does."""

    async def save(self, claim: Claim, start: int, tail: Tail) -> Held:
        """Write a block that begins at place `start`, and hear how to go on."""

    async def retired(self, claim: Claim) -> Collection[int]:
        """The seats whose agents must never be called again."""

    async def finish(self, claim: Claim, match: RecordedMatch, tail: Tail) -> bool:
        """Write the end of a match; False if it is no longer ours."""

    async def release(self, claim: Claim) -> None:
        """Give a match back, to go on from what is written."""

    async def fail(self, claim: Claim, error: str) -> None:
        """Note that we could not go on."""

    async def fail_claim(self, match_id: str, error: str) -> None:
        """Note that we could not even claim a match."""


class MatchLedger:
    """The ledger in the database. `owner` is what the match's row shows of this worker."""

    def __init__(
        self, parts: Parts, owner: str, lease_s: float, threads: ThreadPoolExecutor
    ) -> None:
        self._parts = parts
        self._owner = owner
        self._lease_s = lease_s
        self._threads = threads

    async def claim(self, match_id: str) -> Claim | None:
        return await self._write(
            matches.claim, self._parts.vault, match_id, self._owner, self._lease_s
        )

    async def lease_left(self, match_id: str) -> float | None:
        return await self._write(matches.lease_left, match_id)

    async def save(self, claim: Claim, start: int, tail: Tail) -> Held:
        return await self._write(
            matches.checkpoint,
            claim.match_id, claim.epoch, start, tail.block, tail.faults, self._lease_s,
            tail.sayings, tail.calls, tail.further,
        )  # fmt: skip

    async def retired(self, claim: Claim) -> Collection[int]:
        return await self._write(reclaim.retired_seats, claim.match_id)

    async def finish(self, claim: Claim, match: RecordedMatch, tail: Tail) -> bool:
        return await self._write(
            self._finish,
            claim.match_id, claim.epoch, match, tail.block, tail.faults, tail.sayings,
            tail.calls, tail.par, tail.further,
        )  # fmt: skip

    def _finish(self, session: Session, match_id: str, *what: Any) -> bool:
        """With its end the turn of another match of the table may have come."""
        finished = matches.finish(session, match_id, *what)
        if finished and (nudges := matches.next_at_table(session, match_id)):
            self._parts.queue.enqueue(session, nudges)
        return finished

    async def release(self, claim: Claim) -> None:
        await self._write(matches.release, claim.match_id, claim.epoch)

    async def fail(self, claim: Claim, error: str) -> None:
        await self._write(matches.fail, claim.match_id, claim.epoch, error)

    async def fail_claim(self, match_id: str, error: str) -> None:
        await self._write(matches.fail_claim, match_id, error)

    async def _write(self, service: Callable[..., T], *args: object) -> T:
        def work(session: Session) -> T:
            return service(session, *args)

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(self._parts.write, work))
