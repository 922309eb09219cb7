"""What each kind of process does from start to end, and which of them an arena consists of."""

from __future__ import annotations

import asyncio
import resource
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

from baohuang.api.config import Config
from baohuang.api.db import database_url

from .courier import deliver
from .doctor import examine
from .leader import leadership
from .parts import Parts
from .queue import MemoryQueue, NoQueue, PostgresQueue, WorkerQueue, WorkQueue
from .schedule import SWEEP, TIMERS, lead, start
from .supervisor import Child, Supervisor, stop_on_signals
from .worker import work

OPEN_FILES = 65_536


def on_sqlite(config: Config) -> bool:
    """Whether this is the small arrangement: one machine, one database file."""
    return database_url(config.database_url).get_backend_name() == "sqlite"


async def run_scheduler(config: Config) -> None:
    """Run the timers whenever this process leads, until SIGTERM."""
    queue: WorkQueue = NoQueue()
    if not on_sqlite(config):
        queue = PostgresQueue(database_url(config.database_url))
    parts = Parts.of(config, queue)
    try:
        await _lead(parts, stop_on_signals())
    finally:
        parts.close()


async def run_worker(config: Config, timers: bool = False) -> None:
    """Play matches until SIGTERM; with `timers` be a scheduler besides."""
    raise_open_files()
    stop = stop_on_signals()
    queue: WorkerQueue = MemoryQueue()
    if not on_sqlite(config):
        queue = PostgresQueue(database_url(config.database_url))
    parts = Parts.of(config, queue)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_work(parts, queue, stop))
            group.create_task(deliver(parts, stop))
            group.create_task(examine(parts, stop))
            if timers:
                group.create_task(_lead(parts, stop))
    finally:
        parts.close()


def raise_open_files() -> None:
    """Allow as many open files as the system lets us: a worker holds a connection a seat."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _work(parts: Parts, queue: WorkerQueue, stop: asyncio.Event) -> None:
    if not on_sqlite(parts.config):
        await work(parts, queue, stop)
        return
    sweeping = start(parts, [SWEEP])  # a queue in memory is filled by its own process alone
    try:
        await work(parts, queue, stop)
    finally:
        sweeping.shutdown()


async def _lead(parts: Parts, stop: asyncio.Event) -> None:
    """`lead` on a thread of its own, ended with the task."""
    halt = threading.Event()
    lock = leadership(parts.database.engine.url)
    with ThreadPoolExecutor(1, "lead") as thread:
        stopping = asyncio.ensure_future(_pass_on(stop, halt))
        try:
            await asyncio.wrap_future(thread.submit(lead, parts, lock, halt, TIMERS))
        finally:
            stopping.cancel()
            halt.set()


async def _pass_on(stop: asyncio.Event, halt: threading.Event) -> None:
    await stop.wait()
    halt.set()


def children(config: Config) -> Sequence[Child]:
    """The processes of a whole arena on this machine."""
    env = environ(config)
    api = Child("api", command("api", "--kept-port"), env)
    if on_sqlite(config):
        return (api, Child("worker", command("worker", "--timers"), env))
    workers = (
        Child(f"worker-{number}", command("worker"), env)
        for number in range(1, config.match_workers + 1)
    )
    return (api, Child("scheduler", command("scheduler"), env), *workers)


def environ(config: Config) -> dict[str, str]:
    """The settings as a child process reads them."""
    values = {item.metadata["name"]: getattr(config, item.name) for item in fields(config)}
    return {
        name: ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
    }


def command(*words: str) -> tuple[str, ...]:
    """The command line of `baohuang …` in this very installation."""
    return (sys.executable, "-m", "baohuang.scheduler", *words)


async def run_all(config: Config) -> None:
    """Keep a whole arena alive until SIGTERM or Ctrl-C."""
    await Supervisor(children(config)).run(stop_on_signals())
