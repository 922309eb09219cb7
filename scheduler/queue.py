"""The work queue behind one seam: PgQueuer on PostgreSQL, its in-memory adapter when embedded.

A job is only a nudge to play a match; the truth is the match's row. So a nudge may come twice
(the claim refuses the second) and may get lost (the sweep sends another), and replacing PgQueuer
would touch this module and `drivers.py` only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import Protocol

from pgqueuer.adapters.inmemory import InMemoryDriver, InMemoryQueries
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.adapters.persistence.queries import Queries, SyncQueries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.settings import DBSettings
from sqlalchemy import event, text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from .drivers import SessionDriver, split_driver

Nudge = tuple[str, int]  # match id, priority (higher first)

ENTRYPOINT = "match"
SCHEMA = "pgqueuer"  # of its own, so that migrations never see its tables
SETTINGS = DBSettings(db_schema=SCHEMA)
KEEP_LOG = timedelta(days=7)


class WorkQueue(Protocol):
    """Takes nudges in a caller's transaction and hands them to workers once it has committed."""

    def enqueue(self, session: Session, nudges: Sequence[Nudge]) -> None:
        """Nudge matches; one that is queued or being played already is left as it is."""

    def prune(self, session: Session) -> None:
        """Forget what finished long ago."""


class WorkerQueue(WorkQueue, Protocol):
    """A queue that a worker of this process can also take jobs from."""

    def manager(self) -> AbstractAsyncContextManager[QueueManager]:
        """PgQueuer's side of the worker, on the running event loop.

        Its `shutdown` is set when the queue is lost; setting it ends the worker.
        """


class NoQueue:
    """For a lone scheduler on SQLite: another process's worker finds the rows by its own sweep."""

    def enqueue(self, session: Session, nudges: Sequence[Nudge]) -> None:
        """Leave it at the rows."""

    def prune(self, session: Session) -> None:
        """There is nothing to forget."""


def _columns(nudges: Sequence[Nudge]) -> tuple[list[str], list[bytes | None], list[int]]:
    """Entrypoints, payloads and priorities, as PgQueuer's batch form wants them."""
    return (
        [ENTRYPOINT] * len(nudges),
        [match_id.encode() for match_id, _ in nudges],
        [priority for _, priority in nudges],
    )


def _dedupe_keys(nudges: Sequence[Nudge]) -> list[str | None]:
    return [f"match:{match_id}" for match_id, _ in nudges]


class PostgresQueue:
    """PgQueuer's tables in the arena's own database, in a schema of their own."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._statements = QueryQueueBuilder(SETTINGS)

    def enqueue(self, session: Session, nudges: Sequence[Nudge]) -> None:
        """The jobs appear with the caller's commit and vanish with its rollback."""
        if nudges:
            SyncQueries(SessionDriver(session), self._statements).enqueue(
                *_columns(nudges), dedupe_key=_dedupe_keys(nudges), on_conflict="skip"
            )

    def prune(self, session: Session) -> None:
        """PgQueuer writes three log rows a job and never deletes one."""
        names = SETTINGS.qualified
        for table, extra in (
            (names.queue_table_log, "AND aggregated"),
            (names.statistics_table, ""),
        ):
            statement = f"DELETE FROM {table} WHERE created < now() - :keep {extra}"  # noqa: S608 - our own names
            session.execute(text(statement), {"keep": KEEP_LOG})

    @asynccontextmanager
    async def manager(self) -> AsyncIterator[QueueManager]:
        """Two connections of its own, closed at the end."""
        async with split_driver(self._url) as driver:
            queries = Queries(
                driver,
                qbe=QueryBuilderEnvironment(SETTINGS),
                qbq=self._statements,
                qbs=QuerySchedulerBuilder(SETTINGS),
            )
            manager = QueueManager(queries, SETTINGS.channel)
            manager.shutdown = driver.broken  # without this it would first wait for all its jobs
            yield manager


class MemoryQueue:
    """For one process with SQLite: lost when it dies, rebuilt from the rows by the sweep."""

    LOG_EVERY = 1000  # nudges after which PgQueuer's log, which only grows, is emptied

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queries = InMemoryQueries(InMemoryDriver())
        self._tasks: set[asyncio.Task[None]] = set()
        self._since_cleared = 0

    def enqueue(self, session: Session, nudges: Sequence[Nudge]) -> None:
        """Wait for the session's commit, then give the nudges to the worker's loop."""
        waiting: list[Nudge] = session.info.setdefault(self, [])
        if not waiting:
            event.listen(session, "after_commit", self._committed, once=True)
            event.listen(session, "after_rollback", self._forget, once=True)
        waiting.extend(nudges)

    def prune(self, session: Session) -> None:
        """Done while it works, see `LOG_EVERY`."""

    def _forget(self, session: Session) -> None:
        session.info.pop(self, None)

    def _committed(self, session: Session) -> None:
        nudges = session.info.pop(self, [])
        if nudges and self._loop is not None:
            self._loop.call_soon_threadsafe(self._put, nudges)

    def _put(self, nudges: Sequence[Nudge]) -> None:
        task = asyncio.get_running_loop().create_task(self._add(nudges))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _add(self, nudges: Sequence[Nudge]) -> None:
        await self._queries.enqueue(
            *_columns(nudges), dedupe_key=_dedupe_keys(nudges), on_conflict="skip"
        )
        self._since_cleared += len(nudges)
        if self._since_cleared > self.LOG_EVERY:
            self._since_cleared = 0
            await self._queries.clear_queue_log()
            await self._queries.clear_statistics_log()

    @asynccontextmanager
    async def manager(self) -> AsyncIterator[QueueManager]:
        """From now on commits of any thread reach the running loop."""
        self._loop = asyncio.get_running_loop()
        self._queries = InMemoryQueries(InMemoryDriver())
        try:
            yield QueueManager(self._queries, SETTINGS.channel)
        finally:
            self._loop = None
