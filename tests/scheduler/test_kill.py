"""SIGKILL, SIGSTOP, SIGTERM, pause: a match is finished once, nothing written is asked again."""

import signal
from time import sleep

import pytest
from sqlalchemy import func, select, text

from baohuang.api.models import Decision, Match, Result
from baohuang.api.services import tournaments
from baohuang.engine.record import verify

from .arena import until
from .bots import running_bots

BLOCK = 10


@pytest.fixture
def bots():
    with running_bots(think_s=0.008) as bots:
        yield bots


@pytest.fixture
def arena(arena, bots):
    """One match of two deals, about 300 decisions, waits for a worker."""
    arena.prepare([bots.url(number) for number in range(5)])
    return arena


def written(arena):
    """How many decisions of each match are written."""
    return dict(arena.rows(select(Decision.match_id, func.count()).group_by(Decision.match_id)))


def check_not_asked_again(bots, logged):
    """What was written when `logged` was taken has been asked once, up to now."""
    for match, decisions in logged.items():
        assert bots.times_asked(match)[:decisions] == [1] * decisions


def at_rest(bots):
    """Whether nobody was asked for the time of a dozen questions."""
    asked = bots.asked.total()
    sleep(0.2)
    return bots.asked.total() == asked


def finished(arena):
    return arena.status() == "finished"


def check_finished(arena, claims):
    """One match, finished once, after so many claims, with a record that can be re-checked."""
    ((_, status, epoch),) = arena.played()
    assert (status, epoch) == ("finished", claims)
    (record,) = arena.records()
    verify(record)
    assert arena.one(select(func.count()).select_from(Result)) == 5


def test_a_killed_workers_match_goes_on_from_its_log(arena, bots):
    with arena.process("worker", "--timers") as worker:
        until(lambda: arena.decisions() >= 40)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    logged = written(arena)
    with arena.process("worker", "--timers"):
        until(lambda: finished(arena))
    check_finished(arena, claims=2)
    check_not_asked_again(bots, logged)
    assert sum(count > 1 for count in bots.asked.values()) <= 2 * BLOCK


def test_a_worker_asked_to_end_gives_its_match_back_whole(arena, bots):
    with arena.process("worker", "--timers") as worker:
        until(lambda: arena.decisions() >= 40)
        worker.terminate()
        assert worker.wait(30) == 0
    ((_, status, _),) = arena.played()
    assert status == "queued"
    assert arena.decisions() >= bots.asked.total() - 1  # all but the question that was open
    with arena.process("worker", "--timers"):
        until(lambda: finished(arena))
    check_finished(arena, claims=2)


def test_a_pause_keeps_the_decisions_and_a_resume_goes_on(arena, bots):
    with arena.process("worker", "--timers"):
        until(lambda: arena.decisions() >= 40)
        arena.act(tournaments.pause)
        until(lambda: arena.played()[0][1] == "queued")
        until(lambda: at_rest(bots))  # the worker hears of it only after the database
        logged = written(arena)
        asked = bots.asked.total()
        sleep(1)  # nothing is to happen, and nothing tells that it did not
        assert bots.asked.total() == asked
        arena.act(tournaments.resume)
        until(lambda: finished(arena))
    check_finished(arena, claims=2)
    check_not_asked_again(bots, logged)


def test_a_cancelled_match_stops_and_has_no_result(arena, bots):
    with arena.process("worker", "--timers"):
        until(lambda: arena.decisions() >= 40)
        arena.act(tournaments.cancel)
        asked = bots.asked.total()
        sleep(1)
        assert bots.asked.total() <= asked + 2 * BLOCK
    assert arena.played()[0][1] == "cancelled"
    assert arena.one(select(func.count()).select_from(Result)) == 0


@pytest.mark.parametrize("arena_url", ["postgresql"], indirect=True)
def test_a_frozen_worker_that_wakes_writes_nothing(arena, bots):
    with arena.process("worker", "--timers") as zombie:
        until(lambda: arena.decisions() >= 40)
        freeze(arena, zombie)
        logged = written(arena)
        with arena.process("worker"):
            until(lambda: arena.decisions() > sum(logged.values()))
            zombie.send_signal(signal.SIGCONT)
            until(lambda: finished(arena))
        assert zombie.poll() is None
    check_finished(arena, claims=2)
    by_zombie = select(func.count()).where(Decision.epoch == 1)
    assert arena.one(by_zombie) == sum(logged.values())
    check_not_asked_again(bots, logged)


def freeze(arena, process):
    """Stop a process outside any transaction, where its locks would stop the others too."""
    busy = text(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()"
    )
    while True:
        process.send_signal(signal.SIGSTOP)
        sleep(0.05)
        if arena.one(busy) == 0:
            return
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("arena_url", ["postgresql"], indirect=True)
def test_a_worker_ends_with_an_error_when_postgresql_goes_away(arena, bots, postgres):
    name = arena.database.engine.url.database
    with arena.process("worker", "--timers") as worker:
        until(lambda: arena.decisions() >= 20)
        arena.close()
        postgres.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        assert worker.wait(30) == 1
    with arena.process("worker", "--timers"):
        until(lambda: finished(arena))
    check_finished(arena, claims=2)
    assert arena.one(select(Match.attempts)) == 0  # it was not the match's fault
