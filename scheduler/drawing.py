"""Works rounds, intervals and ratings out: small ones at once, big ones in child processes.

Seating some hundred entries well takes seconds of pure computation, and so do resampling their
deals and rating thousands of them. In a timer's thread it would hold up the rounds of every other
tournament, and in a worker's process the event loop besides.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, Protocol, TypeVar

from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.figures import SMALL_FIELD
from baohuang.api.models import Tournament
from baohuang.api.services import intervals, places, ratings, rounds
from baohuang.api.services.intervals import Worked
from baohuang.api.services.ratings import Rated
from baohuang.api.services.undrawn import Drawn
from baohuang.api.vault import Vault

from .line import Child, Line
from .tether import tether

T = TypeVar("T")

SMALL_DEALS = 20  # for each of these entries, or there is much to resample or to rate


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
        self._rounds = Line(self._child)
        self._figures = Line(self._child)

    def draw(self, tournament_id: str) -> Drawn | None:
        if self._here.field(tournament_id) <= self._small:
            return self._here.draw(tournament_id)
        return self._rounds.ask(_draw, tournament_id)

    def intervals(self, tournament_id: str) -> Took[Worked] | None:
        few = self._here.field(tournament_id) <= self._small
        if few and self._here.played(tournament_id) <= self._small * SMALL_DEALS:
            return self._here.intervals(tournament_id)
        return self._figures.ask(_resample, tournament_id)

    def ratings(self, pool_id: str) -> Took[Rated] | None:
        if self._here.deals(pool_id) <= self._small * SMALL_DEALS:
            return self._here.ratings(pool_id)
        return self._figures.ask(_rate, pool_id)

    def close(self) -> None:
        self._rounds.close()
        self._figures.close()

    def _child(self) -> Child:
        spawn = multiprocessing.get_context("spawn")
        return spawn.Pool(1, _start_child, [self._config, os.getpid()])


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
