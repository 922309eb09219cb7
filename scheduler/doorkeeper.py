"""Notes every second that this API process answers (services/doors.py), on a thread of its own.

It goes through the gate and to the database as requests do: a process that lets nobody in, or has
lost its database, is silent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Event, Thread

from sqlalchemy.exc import SQLAlchemyError

from baohuang.api.db import Database
from baohuang.api.services import doors

log = logging.getLogger(__name__)


class Doorkeeper:
    """`inside`: a request's place in the process, for as long as the context lasts."""

    def __init__(
        self, database: Database, inside: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database = database
        self._inside = inside
        self._door: str | None = None
        self._well = True

    def start(self) -> None:
        """Until the process ends."""
        Thread(target=self._keep, args=(Event(),), name="doorkeeper", daemon=True).start()

    def _keep(self, never: Event) -> None:
        self.note()
        while not never.wait(doors.BEAT_S):
            self.note()

    def note(self) -> None:
        """Once. What the database raises is told once, until it is well again."""
        try:
            with self._inside(), self._database.begin() as session:
                if self._door is None or not doors.keep_open(session, self._door):
                    self._door = doors.open_new(session)
            self._well = True
        except SQLAlchemyError as error:
            if self._well:
                log.warning("the database does not take notes: %s", type(error).__name__)
            self._well = False
