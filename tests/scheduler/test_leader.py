"""Election and firing once, with real processes (design.md 3: one leader, unique firings)."""

import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from queue import Queue
from threading import Thread
from time import monotonic, sleep

import psycopg
import pytest
from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from baohuang.api.models import Account, Firing
from baohuang.scheduler.drivers import conninfo
from baohuang.scheduler.leader import FileLeadership, PostgresLeadership, leadership
from baohuang.scheduler.once import grid, once

from .arena import until

CONTENDER = Path(__file__).with_name("contender.py")


class Contender:
    """A process of contender.py, and what it said that nobody asked for yet."""

    def __init__(self, url, name, *flags):
        command = [sys.executable, str(CONTENDER), url, name, *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines = Queue()
        self.reader = Thread(target=self.listen)

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def __enter__(self):
        self.reader.start()
        try:
            assert self.lines.get(timeout=60) == "ready"
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


def firings(database):
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(Firing))


def wait_for_firings(database, more):
    seen, deadline = firings(database), monotonic() + 30
    while firings(database) < seen + more:
        assert monotonic() < deadline, "the timer does not fire"
        sleep(0.05)


def test_the_second_leads_after_the_first_was_killed(database):
    url = database.engine.url.render_as_string(hide_password=False)
    with Contender(url, "first", "alone") as first:
        assert first.lines.get(timeout=30) == "leads"
        with Contender(url, "second", "alone") as second:
            wait_for_firings(database, 6)
            assert second.lines.empty()
            first.process.send_signal(signal.SIGKILL)
            assert second.lines.get(timeout=30) == "leads"


def test_four_schedulers_without_election_fire_once_a_due_time(database):
    url = database.engine.url.render_as_string(hide_password=False)
    with ExitStack() as stack:
        four = [stack.enter_context(Contender(url, str(number))) for number in range(4)]
        assert all(contender.lines.get(timeout=30) == "leads" for contender in four)
        wait_for_firings(database, 8)
    # In one look: the server may yet end what a killed process had begun to commit.
    fired = select(func.count()).select_from(Firing).scalar_subquery()
    with database.read() as session:
        rows = session.execute(select(Account.name, fired)).all()
    acts = Counter(name.split()[0] for name, _ in rows)
    assert set(acts.values()) == {1}
    assert {count for _, count in rows} == {len(acts)}


def test_a_firing_that_failed_is_free_again(database):
    due = grid(1000.0, 60)

    def fire_and_fail():
        with database.begin() as session:
            assert once(session, "job", due)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fire_and_fail()
    with database.begin() as session:
        assert once(session, "job", due)
    with database.begin() as session:
        assert not once(session, "job", due)
        assert once(session, "another job", due)


def test_due_times_are_multiples_of_the_period():
    assert grid(1_700_000_000.9, 1).timestamp() == 1_700_000_000
    assert grid(1_700_000_099.0, 100).timestamp() == 1_700_000_000


@pytest.fixture
def two_leaders(postgres_arena):
    with ExitStack() as stack:
        url = make_url(postgres_arena)
        yield [stack.enter_context(closing(PostgresLeadership(url))) for _ in range(2)]


def test_a_lost_session_ends_the_lead(two_leaders, postgres_arena):
    first, second = two_leaders
    assert first.check()
    assert not second.check()
    with psycopg.connect(conninfo(make_url(postgres_arena)), autocommit=True) as connection:
        # With a timeout (ms) the call returns when the session is gone, and its lock with it.
        others = "SELECT pg_terminate_backend(pid, 9000) FROM pg_locks WHERE locktype = 'advisory'"
        connection.execute(others)
    until(second.check)
    assert not first.check()  # notices the loss …
    assert not first.check()  # … and may try again, in vain
    second.close()
    until(first.check)  # the server ends a closed session, and its lock, in its own time


def test_a_file_lock_is_held_by_one(tmp_path):
    first, second = (FileLeadership(tmp_path / "db.lock") for _ in range(2))
    assert first.check()
    assert first.check()
    assert not second.check()
    first.close()
    assert second.check()
    second.close()


def test_a_database_in_memory_has_no_lead():
    with pytest.raises(ValueError, match="in a file"):
        leadership(make_url("sqlite:///:memory:"))
