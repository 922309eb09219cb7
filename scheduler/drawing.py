"""Works rounds out: small fields at once, big ones in child processes, beside everything else.

Seating some hundred entries well takes seconds of pure computation. In a timer's thread it would
hold up the rounds of every other tournament, and in a worker's process the event loop besides.
"""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.pool import AsyncResult, Pool
from time import monotonic
from typing import Protocol

from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.services import places, rounds
from baohuang.api.services.rounds import Drawn
from baohuang.api.vault import Vault

from .tether import tether

SMALL_FIELD = 40  # entries; drawn in well under a second
PROCESSES = 2
GIVE_UP_S = 900.0  # a child that died never answers


class GaveUp(Exception):
    """A round was not worked out in time."""


class Drawing(Protocol):
    """Where rounds are worked out."""

    def draw(self, tournament_id: str) -> Drawn | None:
        """The next round; None while it is still being worked out: ask again. Raises GaveUp."""

    def close(self) -> None:
        """Give up what is not ready."""


class DrawHere:
    """At once, in the caller's thread."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    def draw(self, tournament_id: str) -> Drawn:
        with self._database.read() as session:
            return rounds.draw_next(session, self._vault, tournament_id)

    def field(self, tournament_id: str) -> int:
        """How many entries the tournament has."""
        with self._database.read() as session:
            return places.count(session, tournament_id)

    def close(self) -> None:
        """There is nothing to give up."""


class DrawBeside:
    """Big fields in child processes, which start with the first of them."""

    def __init__(self, config: Config, here: DrawHere, small: int = SMALL_FIELD) -> None:
        self._config = config
        self._here = here
        self._small = small
        self._pool: Pool | None = None
        self._begun: dict[str, tuple[AsyncResult[Drawn], float]] = {}

    def draw(self, tournament_id: str) -> Drawn | None:
        if self._here.field(tournament_id) <= self._small:
            return self._here.draw(tournament_id)
        result, since = self._begun.get(tournament_id) or self._begin(tournament_id)
        if result.ready():
            del self._begun[tournament_id]
            return result.get()
        if monotonic() - since > GIVE_UP_S:
            self.close()  # and with it whatever computes for ever; the others begin again
            raise GaveUp(f"after {GIVE_UP_S:.0f} s")
        return None

    def _begin(self, tournament_id: str) -> tuple[AsyncResult[Drawn], float]:
        begun = self._running().apply_async(_draw, [tournament_id]), monotonic()
        self._begun[tournament_id] = begun
        return begun

    def close(self) -> None:
        self._begun.clear()
        if self._pool is not None:
            self._pool.terminate()
            self._pool = None

    def _running(self) -> Pool:
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = spawn.Pool(PROCESSES, _start_child, [self._config, os.getpid()])
        return self._pool


class _Child:
    """What a child process keeps between two rounds."""

    here: DrawHere


def _start_child(config: Config, parent: int) -> None:
    tether(parent)
    _Child.here = DrawHere(Database(config.database_url), Vault.of(config))


def _draw(tournament_id: str) -> Drawn:
    return _Child.here.draw(tournament_id)
