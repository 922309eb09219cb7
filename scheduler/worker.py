"""The worker: takes nudges from the queue and plays matches, hundreds in one event loop.

It ends with an error when PostgreSQL goes away; a supervisor starts it again. `stop` drains it:
no new match, running ones are given back with their decisions, their jobs go back to the queue.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from secrets import token_hex

from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.models import Job
from pgqueuer.errors import RetryRequested

from .ledger import MatchLedger
from .parts import Parts
from .queue import ENTRYPOINT, WorkerQueue
from .runner import Busy, Outcome, Runner
from .scribe import Pace
from .tables import agent_tables

log = logging.getLogger(__name__)

POLL = timedelta(seconds=1)  # how soon a dead worker's jobs are seen; others come by NOTIFY
BATCH = 4  # jobs taken at a time: workers that wake together share a round among them
RETRY_S = 0.5  # at least, before a match is tried again that another worker holds
POSTGRES_THREADS = 8
SQLITE_THREADS = 1  # SQLite has one writer at a time: better wait here than in its busy loop


def owner_name() -> str:
    """This worker in match rows and logs: host, process, and a suffix for reused numbers."""
    return f"{socket.gethostname()[:50]}:{os.getpid()}:{token_hex(3)}"


class QueueLost(Exception):
    """The connection to the queue broke; start again."""


async def work(parts: Parts, queue: WorkerQueue, stop: asyncio.Event) -> None:
    """Play matches until `stop` is set. Raises `QueueLost`, and what PgQueuer and psycopg raise."""
    config = parts.config
    sqlite = parts.database.engine.dialect.name == "sqlite"
    threads = ThreadPoolExecutor(SQLITE_THREADS if sqlite else POSTGRES_THREADS, "ledger")
    ledger = MatchLedger(parts, owner_name(), config.lease_s, threads)
    try:
        async with queue.manager() as manager, agent_tables(parts, threads) as tables:
            pace, draining = Pace(lease_s=config.lease_s), manager.shutdown
            runner = Runner(ledger, tables, pace, draining)
            await serve_queue(manager, runner, stop, config.matches, config.lease_s)
    finally:
        threads.shutdown()
    if not stop.is_set():
        raise QueueLost("the connection to the queue broke")


async def serve_queue(
    manager: QueueManager, runner: Runner, stop: asyncio.Event, at_once: int, lease_s: float
) -> None:
    """Run the queue's jobs, `at_once` at most, until `stop` is set and all have ended."""

    async def match(job: Job) -> None:
        try:
            outcome = await runner.run((job.payload or b"").decode())
        except Busy as busy:
            # Nobody else may look again: the other one's job is gone, the sweep may be frozen.
            raise RetryRequested(timedelta(seconds=max(busy.seconds, RETRY_S))) from None
        log.debug("match %s: %s", job.payload, outcome)
        if outcome is Outcome.DRAINED:
            raise RetryRequested(timedelta(0), "the worker is shutting down")

    manager.entrypoint(ENTRYPOINT)(match)
    stopping = asyncio.ensure_future(_pass_on(stop, manager.shutdown))
    try:
        await manager.run(
            dequeue_timeout=POLL,
            batch_size=max(1, min(BATCH, at_once // 2)),
            max_concurrent_tasks=max(2, at_once),
            heartbeat_timeout=timedelta(seconds=lease_s),
            shutdown_on_listener_failure=True,
        )
    finally:
        stopping.cancel()


async def _pass_on(stop: asyncio.Event, shutdown: asyncio.Event) -> None:
    await stop.wait()
    shutdown.set()
