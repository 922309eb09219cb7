"""Plays one match from claim to result, or to the point where another worker goes on.

Whatever ends it, what was written is whole and what was not is asked again: a finished match is
written once, a released one goes on from its log, a fenced one is left alone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Protocol

from baohuang.api.services.matches import Claim
from baohuang.engine.match import Match
from baohuang.engine.tournament.par import Model, Worth

from .ledger import Ledger
from .scribe import Fenced, Pace, Recalled, Scribe
from .trouble import database_away, place_of, trail_of

log = logging.getLogger(__name__)


class Tables(Protocol):
    """Where matches are played."""

    def resume(self, claim: Claim) -> Match:
        """The match as far as its log goes."""

    async def play(self, claim: Claim, match: Match, hooks: Scribe) -> None:
        """Bring it to its end, or as far as the hooks let it."""

    async def par(self, claim: Claim, model: Model) -> Worth:
        """What its hands are worth."""


class Outcome(StrEnum):
    """How a run of a match ended."""

    REFUSED = "refused"  # finished, or its tournament does not run
    FINISHED = "finished"
    FENCED = "fenced"  # another worker has it, or it was paused or cancelled
    DRAINED = "drained"  # this worker is shutting down
    RECALLED = "recalled"  # given back, to be claimed anew (services/reclaim.py)
    FAILED = "failed"  # an error, noted with the match


class Busy(Exception):
    """Another worker plays the match, or died; `seconds` until that is known."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"another worker holds the match for {seconds:.1f} s")
        self.seconds = seconds


class Runner:
    """Runs matches, any number at once on one event loop. `draining` makes all of them stop."""

    def __init__(self, ledger: Ledger, tables: Tables, pace: Pace, draining: asyncio.Event) -> None:
        self._ledger = ledger
        self._tables = tables
        self._pace = pace
        self._draining = draining

    async def run(self, match_id: str) -> Outcome:
        """Play a match as far as possible. Raises `Busy`, and what a lost database raises."""
        if self._draining.is_set():
            return Outcome.DRAINED
        try:
            claim = await self._ledger.claim(match_id)
        except Exception as error:
            if database_away(error):
                raise
            return await self._unclaimed(match_id, error)
        if claim is None:
            return await self._refused(match_id)
        try:
            return await self._claimed(claim)
        except Fenced:
            log.info("match %s, epoch %s: stopped, it is not ours any more", match_id, claim.epoch)
            return Outcome.FENCED
        except Exception as error:
            if database_away(error):
                raise  # not the match's fault: its lease runs out and another run goes on
            return await self._failed(claim, error)

    async def _unclaimed(self, match_id: str, error: Exception) -> Outcome:
        """Its terms cannot be read, say: that is the match's fault as much as one in play."""
        log.error("match %s cannot be claimed: %s", match_id, trail_of(error))
        await self._ledger.fail_claim(match_id, place_of(error))
        return Outcome.FAILED

    async def _refused(self, match_id: str) -> Outcome:
        left = await self._ledger.lease_left(match_id)
        if left is not None:
            raise Busy(left)
        return Outcome.REFUSED

    async def _claimed(self, claim: Claim) -> Outcome:
        match = await asyncio.to_thread(self._tables.resume, claim)  # a long log takes its time
        scribe = Scribe(self._ledger, claim, match, self._pace)
        over, par = await self._over(claim, match, scribe)
        if not over:
            await scribe.write()
            await self._ledger.release(claim)
            return Outcome.DRAINED if self._draining.is_set() else Outcome.RECALLED
        ours = await self._ledger.finish(claim, match, replace(scribe.tail(), par=par))
        return Outcome.FINISHED if ours else Outcome.FENCED

    async def _over(self, claim: Claim, match: Match, scribe: Scribe) -> tuple[bool, Worth | None]:
        """Play until the match is over, not ours (`Fenced`) or recalled, or this worker drains.

        Whether it is over, and its par where that is wanted, which is worked out beside the play.
        """
        playing = asyncio.ensure_future(self._play(claim, match, scribe))
        keeping = asyncio.ensure_future(scribe.keep())
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait({playing, keeping, draining}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            playing.cancel()
            draining.cancel()
            scribe.close()
            await asyncio.wait({playing, keeping, draining})
        with suppress(Recalled):
            keeping.result()
        if playing.cancelled():
            return match.over and claim.par is None, None
        return match.over, playing.result()

    async def _play(self, claim: Claim, match: Match, scribe: Scribe) -> Worth | None:
        if claim.par is None:
            await self._tables.play(claim, match, scribe)
            return None
        working = asyncio.ensure_future(self._tables.par(claim, claim.par))
        try:
            await self._tables.play(claim, match, scribe)
            return await working if match.over else None
        finally:
            working.cancel()

    async def _failed(self, claim: Claim, error: Exception) -> Outcome:
        log.error("match %s, epoch %s failed: %s", claim.match_id, claim.epoch, trail_of(error))
        await self._ledger.fail(claim, place_of(error))
        return Outcome.FAILED
