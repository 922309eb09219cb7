"""What the timers and the worker of a process share: settings, database, vault, work queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy.orm import Session

from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.vault import Vault

from .drawing import DrawBeside, DrawHere, Drawing
from .queue import WorkQueue

T = TypeVar("T")


@dataclass(frozen=True)
class Parts:
    """A job opens a transaction a use case (`read`, `look`, `write`) and calls a service in it."""

    config: Config
    database: Database
    vault: Vault
    queue: WorkQueue
    drawing: Drawing

    @classmethod
    def of(cls, config: Config, queue: WorkQueue) -> Parts:
        """Connects when first used."""
        database, vault = Database(config.database_url, config.pool_size), Vault.of(config)
        return cls(config, database, vault, queue, DrawBeside(config, DrawHere(database, vault)))

    def close(self) -> None:
        """At the end of the process."""
        self.drawing.close()
        self.database.dispose()

    def read(self, work: Callable[[Session], T]) -> T:
        """Run `work`, which only reads; on PostgreSQL each statement sees its own moment."""
        with self.database.read() as session:
            return work(session)

    def look(self, work: Callable[[Session], T]) -> T:
        """Run `work`, which reads much, in a transaction that sees one state."""
        with self.database.snapshot() as session:
            return work(session)

    def write(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a write transaction."""
        with self.database.begin() as session:
            return work(session)
