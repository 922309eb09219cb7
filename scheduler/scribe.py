"""Writes a running match down, block by block, and notices when it is no longer ours.

A block is written after so many decisions or so much time (`Pace`), and the lease is renewed with
it, or by itself while a bot thinks for long. Play waits while a full block is being written, so
what a dead worker's successor must ask again is bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from baohuang.api.remote.agent import Try
from baohuang.api.remote.faults import MAX_DETAIL, Fault
from baohuang.api.remote.logged import Told
from baohuang.api.remote.table import Played
from baohuang.api.services.matches import Claim, Held
from baohuang.engine.commentary import Followed, Mark, since, told_so_far

from .ledger import Ledger, Tail


@dataclass(frozen=True)
class Pace:
    """When a block is due. A bot may think for longer than a block, and for longer than a lease."""

    block: int = 10  # decisions
    block_s: float = 0.5
    lease_s: float = 30.0

    @property
    def renew_s(self) -> float:
        return self.lease_s / 3


class Fenced(Exception):
    """The match is another worker's, or paused, or cancelled: stop, and write nothing."""


class Recalled(Exception):
    """The match is to be given back at once: who is being asked is not to be waited for."""


@dataclass(frozen=True)
class FaultEntry:
    """A fault with its decision's place in the log."""

    seq: int
    seat: int
    kind: str
    charged_to: str
    ms: int
    detail: str | None


@dataclass(frozen=True)
class CallEntry:
    """How the call of an agent went, with its decision's place in the log."""

    seq: int
    asked_at: datetime
    budget_ms: int
    bank_ms: int
    ms: int
    charged_ms: int
    note: str | None

    @classmethod
    def of(cls, seq: int, played: Played) -> CallEntry:
        decision, clock = played.decision, played.clock
        return cls(
            seq,
            datetime.fromtimestamp(played.asked_at, UTC),
            clock.budget_ms,
            clock.bank_ms,
            decision.ms,
            decision.charged_ms,
            decision.note,
        )


@dataclass(frozen=True)
class FurtherEntry:
    """A request that no decision tells of: a notice, or a question that was put again."""

    seat: int
    kind: str
    seq: int | None
    request: str
    asked_at: datetime
    ms: int
    fault: str | None
    charged_to: str | None
    detail: str | None

    @classmethod
    def told(cls, told: Told) -> FurtherEntry:
        kind, request = told.notice.kind, told.notice.request
        return cls._of(told.seat, kind, None, request, told.asked_at, told.fault, told.ms)

    @classmethod
    def tried(cls, seq: int, played: Played, failed: Try) -> FurtherEntry:
        fault = failed.fault
        at = failed.asked_at
        return cls._of(played.seat, "decide", seq, played.request, at, fault, fault.ms)

    @classmethod
    def _of(
        cls, seat: int, kind: str, seq: int | None, request: str, at: float,
        fault: Fault | None, ms: int,
    ) -> FurtherEntry:  # fmt: skip
        asked_at = datetime.fromtimestamp(at, UTC)
        if fault is None:
            return cls(seat, kind, seq, request, asked_at, ms, None, None, None)
        detail = fault.detail[:MAX_DETAIL]
        return cls(
            seat, kind, seq, request, asked_at, ms, fault.kind, fault.charged_to, detail
        )  # fmt: skip


class Written(Followed, Protocol):
    """What is looked at of the referee."""

    @property
    def seat(self) -> int: ...


class Scribe:
    """The hooks of one match at its table, and the task that writes for them."""

    def __init__(self, ledger: Ledger, claim: Claim, match: Written, pace: Pace) -> None:
        self._ledger = ledger
        self._claim = claim
        self._match = match
        self._pace = pace
        self._written = len(claim.log)
        self._told = told_so_far(match)
        self._faults: list[FaultEntry] = []
        self._calls: list[CallEntry] = []
        self._further: list[FurtherEntry] = []
        self._called = {seat for seat, plan in enumerate(claim.seats) if plan.agent_id}
        self._news = asyncio.Event()  # something is unwritten
        self._full = asyncio.Event()  # a whole block is
        self._room = asyncio.Event()  # and now it is not
        self._closed = False
        self._recalled = False

    def goes_on(self) -> bool:
        """Whether the next question may be asked.

        The one that is open when a match is recalled ends, by its answer or by its time: whoever
        could have it taken back and put again had his thinking for nothing, and who sits with him
        would pay for what the arena broke off.
        """
        return not self._recalled

    def on_fault(self, played: Played, fault: Fault) -> None:
        """Keep a fault for the next block; its decision is the last in the log."""
        seq = len(self._match.log) - 1
        self._faults.append(
            FaultEntry(seq, played.seat, fault.kind, fault.charged_to, fault.ms, fault.detail)
        )

    def on_decision(self, played: Played) -> Awaitable[None] | None:
        """See to it that the decision is written in time; wait if the block is full."""
        if played.seat in self._called:
            seq = len(self._match.log) - 1
            self._calls.append(CallEntry.of(seq, played))
            tries = played.decision.tries
            self._further += [FurtherEntry.tried(seq, played, failed) for failed in tries]
        self._news.set()
        if len(self._match.log) - self._written < self._pace.block:
            return None
        self._room.clear()
        self._full.set()
        return self._until_room()

    def on_notice(self, told: Told) -> None:
        """Keep how a notice went for the next block, which does not hurry for it."""
        self._further.append(FurtherEntry.told(told))

    async def _until_room(self) -> None:
        await self._room.wait()

    async def keep(self) -> None:
        """Write when it is time, until closed.

        Raises `Fenced`, `Recalled`, and what the database raises.
        """
        while not self._closed:
            if await _happens(self._news, self._pace.renew_s):
                await _happens(self._full, min(self._pace.block_s, self._pace.renew_s))
            if not self._closed:
                await self.write()
                if self._recalled:
                    await self._leave_who_is_gone()

    async def _leave_who_is_gone(self) -> None:
        """An agent that was retired is never asked again, so its time comes back to nobody."""
        gone = await self._ledger.retired(self._claim)
        if not self._match.over and self._match.seat in gone:
            raise Recalled

    def close(self) -> None:
        """End `keep` as soon as it has written what it is writing."""
        self._closed = True
        self._news.set()
        self._full.set()

    async def write(self) -> None:
        """Write what is new and renew the lease. Never at the same time as `keep`."""
        self._news.clear()
        self._full.clear()
        tail, told = self._unwritten()
        held = await self._ledger.save(self._claim, self._written, tail)
        if held is Held.LOST:
            raise Fenced
        self._recalled = held is Held.RECALLED
        self._written += len(tail.block)
        self._told = told
        del self._faults[: len(tail.faults)]
        del self._calls[: len(tail.calls)]
        del self._further[: len(tail.further)]
        self._room.set()

    def tail(self) -> Tail:
        """What is not yet written, as it is at this moment."""
        return self._unwritten()[0]

    def _unwritten(self) -> tuple[Tail, Mark]:
        """The tail, and how far the match is told with it.

        Nothing is told without a block: a successor knows by the log alone what was told.
        """
        tail = Tail(
            tuple(self._match.log[self._written :]),
            tuple(self._faults),
            calls=tuple(self._calls),
            further=tuple(self._further),
        )
        if not tail.block:
            return tail, self._told
        sayings, told = since(self._match, self._told)
        return replace(tail, sayings=sayings), told


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False
