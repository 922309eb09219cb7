"""Works rounds, intervals and ratings out: small ones at once, big ones in child processes.

Seating some hundred entries well takes seconds of pure computation, and so do resampling their
deals and rating thousands of them. In a timer's thread it would hold up the rounds of every other
tournament, and in a worker's process the event loop besides.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.pool import AsyncResult, Pool
from time import monotonic
from typing import Generic, Protocol, TypeAlias, TypeVar

from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.models import Tournament
from baohuang.api.services import intervals, places, ratings, rounds
from baohuang.api.services.intervals import Worked
from baohuang.api.services.ratings import Rated
from baohuang.api.services.undrawn import Drawn
from baohuang.api.vault import Vault

from .tether import tether

T = TypeVar("T")
Begun: TypeAlias = dict[str, tuple[AsyncResult[T], float]]
"""What is being worked out, and since when, by tournament or pool."""

SMALL_FIELD = 40  # entries; drawn in well under a second
SMALL_DEALS = 20  # for each of these entries, or there is much to resample or to rate
ROUNDS, FIGURES = "rounds", "figures"
GIVE_UP_S = 900.0  # a child that died never answers


class GaveUp(Exception):
    """Something was not worked out in time."""


@dataclass(frozen=True)
class Took(Generic[T]):
    """What came out, and the seconds of work that it took, waiting aside."""

    made: T
    seconds: float

    @classmethod
    def of(cls, work: Callable[[], T]) -> Took[T]:
        began = monotonic()
        return cls(work(), monotonic() - began)


class Drawing(Protocol):
    """Where rounds are worked out."""

    def draw(self, tournament_id: str) -> Drawn | None:
        """The next round; None while it is still being worked out: ask again. Raises GaveUp."""

    def intervals(self, tournament_id: str) -> Took[Worked] | None:
        """How sure the standings are; None while that is being worked out. Raises GaveUp."""

    def ratings(self, pool_id: str) -> Took[Rated] | None:
        """A pool of ratings; None while it is being worked out. Raises GaveUp."""

    def close(self) -> None:
        """Give up what is not ready."""


class DrawHere:
    """At once, in the caller's thread; what is read for it is all of one moment."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    def draw(self, tournament_id: str) -> Drawn:
        with self._database.snapshot() as session:
            return rounds.draw_next(session, self._vault, tournament_id)

    def intervals(self, tournament_id: str) -> Took[Worked]:
        with self._database.snapshot() as session:
            return Took.of(lambda: intervals.work_out(session, tournament_id))

    def ratings(self, pool_id: str) -> Took[Rated]:
        with self._database.snapshot() as session:
            return Took.of(lambda: ratings.work_out(session, pool_id))

    def deals(self, pool_id: str) -> int:
        """How many deals a pool of ratings has."""
        with self._database.read() as session:
            return ratings.size(session, pool_id)

    def played(self, tournament_id: str) -> int:
        """How many deals a tournament has played, about."""
        with self._database.read() as session:
            tournament = session.get_one(Tournament, tournament_id)
            return tournament.results_count * tournament.deals

    def field(self, tournament_id: str) -> int:
        """How many entries the tournament has."""
        with self._database.read() as session:
            return places.count(session, tournament_id)

    def close(self) -> None:
        """There is nothing to give up."""


class DrawBeside:
    """Big fields in child processes, which start with the first of them.

    One draws rounds and one makes figures: no round waits until some big pool has been rated.
    """

    def __init__(self, config: Config, here: DrawHere, small: int = SMALL_FIELD) -> None:
        self._config = config
        self._here = here
        self._small = small
        self._pools: dict[str, Pool] = {}
        self._lock = threading.Lock()
        self._draws: Begun[Drawn] = {}
        self._intervals: Begun[Took[Worked]] = {}
        self._ratings: Begun[Took[Rated]] = {}

    def draw(self, tournament_id: str) -> Drawn | None:
        if self._here.field(tournament_id) <= self._small:
            return self._here.draw(tournament_id)
        return self._ask(self._draws, _draw, tournament_id, ROUNDS)

    def intervals(self, tournament_id: str) -> Took[Worked] | None:
        few = self._here.field(tournament_id) <= self._small
        if few and self._here.played(tournament_id) <= self._small * SMALL_DEALS:
            return self._here.intervals(tournament_id)
        return self._ask(self._intervals, _resample, tournament_id)

    def ratings(self, pool_id: str) -> Took[Rated] | None:
        if self._here.deals(pool_id) <= self._small * SMALL_DEALS:
            return self._here.ratings(pool_id)
        return self._ask(self._ratings, _rate, pool_id)

    def _ask(
        self, begun: Begun[T], work: Callable[[str], T], subject: str, child: str = FIGURES
    ) -> T | None:
        running = begun.get(subject)
        if running is None:
            running = self._running(child).apply_async(work, [subject]), monotonic()
            begun[subject] = running
        result, since = running
        if result.ready():
            begun.pop(subject, None)
            return result.get()
        if monotonic() - since > GIVE_UP_S:
            self._stop(child)  # and with it whatever computes for ever; the others begin again
            raise GaveUp(f"after {GIVE_UP_S:.0f} s")
        return None

    def close(self) -> None:
        for child in list(self._pools):
            self._stop(child)

    def _stop(self, child: str) -> None:
        if child == ROUNDS:
            self._draws.clear()
        else:
            self._intervals.clear()
            self._ratings.clear()
        with self._lock:
            pool = self._pools.pop(child, None)
        if pool is not None:
            pool.terminate()

    def _running(self, child: str) -> Pool:
        """Timers ask from threads of their own."""
        with self._lock:
            if child not in self._pools:
                spawn = multiprocessing.get_context("spawn")
                self._pools[child] = spawn.Pool(1, _start_child, [self._config, os.getpid()])
            return self._pools[child]


class _Child:
    """What a child process keeps between two rounds."""

    here: DrawHere


def _start_child(config: Config, parent: int) -> None:
    tether(parent)
    _Child.here = DrawHere(Database(config.database_url), Vault.of(config))


def _draw(tournament_id: str) -> Drawn:
    # Half the time of a big draw would go into looking for garbage among what it needs to the end.
    gc.disable()
    try:
        return _Child.here.draw(tournament_id)
    finally:
        gc.enable()


def _rate(pool_id: str) -> Took[Rated]:
    return _Child.here.ratings(pool_id)


def _resample(tournament_id: str) -> Took[Worked]:
    return _Child.here.intervals(tournament_id)
