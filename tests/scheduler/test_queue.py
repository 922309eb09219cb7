"""The work queue: nudges live and die with the caller's transaction, on both engines."""

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import text

from baohuang.scheduler.queue import ENTRYPOINT, MemoryQueue, PostgresQueue


@pytest.fixture
def queue(database):
    if database.engine.dialect.name == "postgresql":
        return PostgresQueue(database.engine.url)
    return MemoryQueue()


class Rollback(Exception):
    """Ends a transaction without its effects."""


def nudge(database, queue, *nudges):
    with database.begin() as session:
        queue.enqueue(session, nudges)


def nudge_and_roll_back(database, queue, *nudges):
    with suppress(Rollback), database.begin() as session:
        queue.enqueue(session, nudges)
        raise Rollback


async def taken(queue, database, enqueue, expected):
    """The payloads that a worker gets to see, in order, one at a time."""
    seen = []
    async with queue.manager() as manager:

        async def job(job):
            seen.append(job.payload.decode())
            if len(seen) == expected:
                manager.shutdown.set()

        manager.entrypoint(ENTRYPOINT)(job)
        await asyncio.to_thread(enqueue)
        async with asyncio.timeout(20):
            await manager.run(batch_size=1)
    return seen


def test_a_nudge_arrives_after_the_commit(database, queue):
    seen = asyncio.run(taken(queue, database, lambda: nudge(database, queue, ("a", 0)), 1))
    assert seen == ["a"]


def test_a_rollback_takes_its_nudges_with_it(database, queue):
    def enqueue():
        nudge_and_roll_back(database, queue, ("gone", 9))
        nudge(database, queue, ("kept", 0))

    assert asyncio.run(taken(queue, database, enqueue, 1)) == ["kept"]


def test_the_higher_priority_goes_first_whatever_came_first(database, queue):
    """A small tournament's first match passes a big one's third."""

    def enqueue():
        nudge(database, queue, ("big 1", 0), ("big 2", -1), ("big 3", -2))
        nudge(database, queue, ("small 1", 0), ("small 2", -1))

    seen = asyncio.run(taken(queue, database, enqueue, 5))
    assert seen == ["big 1", "small 1", "big 2", "small 2", "big 3"]


def test_a_match_that_waits_already_is_not_queued_twice(database, queue):
    def enqueue():
        nudge(database, queue, ("a", 0))
        nudge(database, queue, ("a", 0), ("b", -1))

    assert asyncio.run(taken(queue, database, enqueue, 2)) == ["a", "b"]


@pytest.mark.parametrize("arena_url", ["postgresql"], indirect=True)
def test_the_jobs_are_rows_of_the_callers_transaction(database, queue):
    count = text("SELECT count(*) FROM pgqueuer.pgqueuer")
    with suppress(Rollback), database.begin() as session:
        queue.enqueue(session, [("a", 0), ("b", -1)])
        assert session.scalar(count) == 2
        raise Rollback
    with database.begin() as session:
        assert session.scalar(count) == 0
        queue.prune(session)


class Calls(dict):
    """PgQueuer's calls of itself that are open; `answered` once one of them is not any more."""

    def __init__(self):
        super().__init__()
        self.answered = asyncio.Event()

    def pop(self, *args):
        self.answered.set()
        return super().pop(*args)


@pytest.mark.parametrize("arena_url", ["postgresql"], indirect=True)
def test_a_worker_hears_its_own_first_call(database):
    """PgQueuer calls itself as it starts, and ends ten seconds later if it did not hear that.

    Ten starts, because whether the call overtook LISTEN was chance: it did in a quarter of them.
    """

    async def nothing(job):
        """Never called."""

    async def start(queue):
        async with queue.manager() as manager, asyncio.timeout(9):
            manager.entrypoint(ENTRYPOINT)(nothing)
            manager.pending_health_check = calls = Calls()
            running = asyncio.ensure_future(manager.run(batch_size=1))
            await calls.answered.wait()
            manager.shutdown.set()
            await running

    for _ in range(10):
        asyncio.run(start(PostgresQueue(database.engine.url)))
