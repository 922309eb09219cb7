"""The timers' jobs on real rows, with a queue that only takes notes."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError

from baohuang.api.config import Config
from baohuang.api.errors import Conflict
from baohuang.api.models import (
    Account,
    Event,
    Firing,
    IdempotencyKey,
    Match,
    MatchStatus,
    RatingPool,
    Round,
    Series,
    Tournament,
    utc_now,
)
from baohuang.api.services import (
    deadlines,
    entries,
    matches,
    next_round,
    rounds,
    series,
    standings,
    tournament_settings,
    tournaments,
)
from baohuang.scheduler import jobs
from baohuang.scheduler.drawing import DrawBeside, DrawHere, Took
from baohuang.scheduler.pace import Pace
from baohuang.scheduler.parts import Parts
from baohuang.scheduler.schedule import TIMERS, Timer, lead

from .arena import SETTINGS, until

SERIES = {
    "name": "Leap cup",
    "cron": "0 18 29 feb *",
    "time_zone": "Europe/Berlin",
    "lead_s": 24 * 3600,
    "until": None,
}
IN_SERIES = {name: value for name, value in SETTINGS.items() if name not in ("name", "starts_at")}


class Notes:
    """A work queue that remembers what it was given, once the transaction has committed."""

    def __init__(self):
        self.nudged = []
        self.pruned = 0

    def enqueue(self, session, nudges):
        self.nudged += nudges

    def prune(self, session):
        self.pruned += 1


@pytest.fixture
def arena(arena):
    """Ten house bots' entries would do, but agents that nobody calls are as good."""
    arena.prepare([f"https://bot{number}.example/" for number in range(10)], rounds=2)
    return arena


@pytest.fixture
def parts(arena):
    drawing = DrawHere(arena.database, arena.vault)
    return Parts(None, arena.database, arena.vault, Notes(), drawing)


def count(arena, model):
    return arena.one(select(func.count()).select_from(model))


def change(arena, **values):
    with arena.database.begin() as session:
        session.execute(update(Match).values(**values))


def test_a_due_round_is_opened_and_its_matches_are_nudged_in_order_of_tables(arena, parts):
    jobs.open_due_rounds(parts)
    assert count(arena, Round) == 1
    ids = [row[0] for row in arena.rows(select(Match.id).order_by(Match.id))]
    assert [match for match, _ in parts.queue.nudged] == ids
    assert [priority for _, priority in parts.queue.nudged] == [-1, -2]
    jobs.open_due_rounds(parts)
    assert count(arena, Round) == 1


def test_four_schedulers_at_once_open_one_round(arena, parts):
    together = threading.Barrier(4)

    def open_at_once(_):
        together.wait()
        jobs.open_due_rounds(parts)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(open_at_once, range(4)))
    assert count(arena, Round) == 1
    assert count(arena, Match) == 2
    assert len(parts.queue.nudged) == 2


def at_once(job, parts):
    """What four schedulers that all believe to lead do."""
    together = threading.Barrier(4)

    def run(_):
        together.wait()
        job(parts)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(run, range(4)))


def test_four_schedulers_at_once_make_one_tournament_of_a_series(arena, parts, monkeypatch):
    """All of them know that it is due before the first one makes it."""
    start = utc_now() + timedelta(hours=1)
    with arena.database.begin() as session:
        made = series.create(session, arena.organizer, {**SERIES, "settings": IN_SERIES})
        made.next_at = start
    due, together = series.due, threading.Barrier(4, timeout=60)

    def due_for_all(session):
        found = due(session)
        together.wait()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(series, "due", due_for_all)
        at_once(jobs.make_tournaments, parts)
    jobs.make_tournaments(parts)
    assert together.broken is False
    assert made_of(arena, made.id) == [(start, "open")]
    ((status, version),) = arena.rows(select(Series.status, Series.version))
    assert (status, version) == ("active", 1)


def made_of(arena, series_id):
    query = select(Tournament.series_start, Tournament.status).order_by(Tournament.series_start)
    return [tuple(row) for row in arena.rows(query.where(Tournament.series_id == series_id))]


@pytest.fixture
def weekly(arena, monkeypatch):
    """A series of Fridays at 18:00 in Berlin, and what sets the time for its tournaments."""

    def now(text):
        moment = datetime.fromisoformat(text)
        for module in (series, tournament_settings, tournaments):
            monkeypatch.setattr(module, "utc_now", lambda: moment)

    now("2026-03-26T17:00:00+00:00")  # a day before the first one
    with arena.database.begin() as session:
        fridays = {**SERIES, "cron": "0 18 * * fri", "settings": IN_SERIES}
        made = series.create(session, arena.organizer, fridays)
    return made.id, now


FRIDAY = datetime(2026, 3, 27, 17, tzinfo=UTC)
FRIDAY_AFTER = datetime(2026, 4, 3, 16, tzinfo=UTC)  # summer time began on Sunday


def change_series(arena, series_id, **values):
    with arena.database.begin() as session:
        version = session.get_one(Series, series_id).version
        series.change(session, arena.organizer, series_id, version, values)


def test_a_series_goes_on_after_a_change_that_brings_a_start_back(arena, parts, weekly):
    series_id, now = weekly
    jobs.make_tournaments(parts)
    change_series(arena, series_id, name="Friday cup")
    assert arena.one(select(Series.next_at)) == FRIDAY, "whose tournament is there"
    at_once(jobs.make_tournaments, parts)
    assert arena.one(select(Series.next_at)) == FRIDAY_AFTER
    now("2026-04-02T16:00:00+00:00")
    jobs.make_tournaments(parts)
    jobs.make_tournaments(parts)
    assert made_of(arena, series_id) == [(FRIDAY, "open"), (FRIDAY_AFTER, "open")]


def test_a_series_goes_on_with_the_same_start_when_its_trouble_is_mended(arena, parts, weekly):
    series_id, _ = weekly
    owner = update(Account).where(Account.id == arena.organizer.account_id)
    with arena.database.begin() as session:
        session.execute(owner.values(role="author"))
    jobs.make_tournaments(parts)
    assert arena.one(select(Series.status)) == "paused"
    assert made_of(arena, series_id) == []
    with arena.database.begin() as session:
        session.execute(owner.values(role="organizer"))
    change_series(arena, series_id, status="active")
    jobs.make_tournaments(parts)
    assert made_of(arena, series_id) == [(FRIDAY, "open")]
    assert arena.rows(select(Series.status, Series.next_at)) == [("active", FRIDAY_AFTER)]


def test_four_schedulers_at_once_end_an_overdue_round_once(arena, parts):
    jobs.open_due_rounds(parts)
    with arena.database.begin() as session:
        session.execute(update(Round).values(deadline_at=utc_now()))
    at_once(jobs.enforce_deadlines, parts)
    assert arena.rows(select(Match.hurried, Match.epoch)) == [(True, 1), (True, 1)]
    assert arena.one(select(Round.overran_at)) is not None


class Believer:
    """A lead that everybody has."""

    def check(self):
        return True

    def close(self):
        pass


FAST = [
    Timer(job, 0.05)
    for job in (
        jobs.start_due_tournaments,
        jobs.open_due_rounds,
        jobs.close_finished_rounds,
        jobs.enforce_deadlines,
        jobs.make_tournaments,
        jobs.refresh_standings,
    )
]


def test_three_schedulers_that_all_believe_to_lead_do_everything_once(arena, parts):
    """Two tournaments from start to end, one of them round by round when asked, and a series."""
    start = utc_now() + timedelta(hours=1)
    with arena.database.begin() as session:
        made = series.create(session, arena.organizer, {**SERIES, "settings": IN_SERIES})
        made.next_at = start
    manual = another(arena, starts_at=utc_now(), advance="manual")
    both, stop = (arena.tournament_id, manual), threading.Event()
    schedulers = [
        threading.Thread(target=lead, args=(parts, Believer(), stop, FAST, 0.05)) for _ in range(3)
    ]
    for thread in schedulers:
        thread.start()

    def ended():
        """Plays whatever waits, and asks for the round that nobody else would open."""
        change(arena, status=MatchStatus.FINISHED)
        if arena.one(select(Round.status).where(Round.tournament_id == manual)) == "finished":
            with suppress(Conflict), arena.database.begin() as session:
                next_round.ask(session, arena.organizer, manual)
        return all(of(arena, tournament_id)[0] == "finished" for tournament_id in both)

    try:
        until(ended)
    finally:
        stop.set()
        for thread in schedulers:
            thread.join()
    for tournament_id in both:
        told = select(Event.kind, Event.payload).where(Event.tournament_id == tournament_id)
        rows = arena.rows(told.where(Event.kind.in_(("round.opened", "round.finished"))))
        assert sorted((kind, payload["round"]) for kind, payload in rows) == [
            ("round.finished", 1), ("round.finished", 2), ("round.opened", 1), ("round.opened", 2),
        ]  # fmt: skip
        of_life = ("tournament.started", "tournament.finished")
        lives = arena.rows(select(Event.kind).where(Event.tournament_id == tournament_id,
                                                    Event.kind.in_(of_life)))  # fmt: skip
        assert sorted(kind for (kind,) in lives) == sorted(of_life)
    nudged = [match_id for match_id, _ in parts.queue.nudged]
    assert len(nudged) == len(set(nudged)) == count(arena, Match)
    assert arena.one(select(func.count()).where(Tournament.series_id == made.id)) == 1


def test_the_sweep_finds_matches_whose_jobs_were_lost(arena, parts):
    jobs.open_due_rounds(parts)
    opened = parts.queue.nudged.copy()
    parts.queue.nudged.clear()
    jobs.sweep(parts)
    assert parts.queue.nudged == opened


def test_the_sweep_finds_what_a_dead_worker_left_and_not_what_a_live_one_plays(arena, parts):
    jobs.open_due_rounds(parts)
    dead, alive = (match for match, _ in parts.queue.nudged)
    parts.queue.nudged.clear()
    with arena.database.begin() as session:
        matches.claim(session, arena.vault, dead, "dead", -1)
        matches.claim(session, arena.vault, alive, "alive", 60)
    jobs.sweep(parts)
    assert parts.queue.nudged == [(dead, -1)]


def test_the_sweep_leaves_a_paused_tournament_alone_until_it_goes_on(arena, parts):
    jobs.open_due_rounds(parts)
    parts.queue.nudged.clear()
    arena.act(tournaments.pause)
    jobs.sweep(parts)
    assert parts.queue.nudged == []
    arena.act(tournaments.resume)
    jobs.sweep(parts)
    assert len(parts.queue.nudged) == 2


def test_a_finished_round_is_closed_and_the_next_one_opened(arena, parts):
    jobs.open_due_rounds(parts)
    jobs.close_finished_rounds(parts)
    jobs.open_due_rounds(parts)
    assert count(arena, Round) == 1  # its matches are still to be played
    change(arena, status=MatchStatus.FINISHED)
    jobs.close_finished_rounds(parts)

    def second_round():
        jobs.open_due_rounds(parts)
        return count(arena, Round) == 2

    until(second_round)  # one round a second: the firing of this one may be used up


def test_a_big_field_is_drawn_in_a_child_process_and_comes_out_the_same(arena, parts):
    config = Config(database_url=arena.url, secret_key=arena.key)
    beside = replace(parts, drawing=DrawBeside(config, parts.drawing, small=0))
    here = parts.drawing.draw(arena.tournament_id)
    try:
        jobs.open_due_rounds(beside)
        assert count(arena, Round) == 0  # being drawn
        assert until(lambda: beside.drawing.draw(arena.tournament_id)) == here
        until(lambda: [jobs.open_due_rounds(beside), count(arena, Round)][-1])
    finally:
        beside.drawing.close()
    assert len(beside.queue.nudged) == 2


def test_one_tournament_that_fails_does_not_hold_up_the_others(arena, parts, monkeypatch, caplog):
    good = arena.tournament_id
    monkeypatch.setattr(rounds, "due", lambda session: ["no such tournament", good])
    jobs.open_due_rounds(parts)
    assert count(arena, Round) == 1
    assert "no such tournament" in caplog.text


class Secret(Exception):
    """Its text is not for logs."""

    def __str__(self):
        return "hidden card ♠3"


def another(arena, **values):
    """A further tournament, with house bots alone, in the state that `values` make."""
    with arena.database.begin() as session:
        made = tournaments.create(session, arena.vault, arena.organizer, {**SETTINGS, "rounds": 2})
        tournaments.open_entry(session, arena.organizer, made.id)
        for _ in range(5):
            entries.enter_house_bot(session, arena.organizer, made.id, "greedy")
        for name, value in values.items():
            setattr(made, name, value)
        return made.id


def of(arena, tournament_id):
    query = select(Tournament.status, Tournament.status_reason, Tournament.starts_at)
    return arena.rows(query.where(Tournament.id == tournament_id))[0]


def fails_for(bad, service):
    """A service that cannot get on with one tournament."""

    def run(session, *arguments, **more):
        if bad in arguments:
            raise Secret
        return service(session, *arguments, **more)

    return run


def test_a_tournament_that_cannot_start_says_so_waits_and_the_others_start(
    arena, parts, monkeypatch, caplog
):
    bad, good = (another(arena, starts_at=utc_now()) for _ in range(2))
    monkeypatch.setattr(tournaments, "start_due", fails_for(bad, tournaments.start_due))
    jobs.start_due_tournaments(parts)
    assert of(arena, good)[0] == "running"
    status, reason, starts_at = of(arena, bad)
    assert (status, starts_at) == ("open", None)
    assert reason.startswith("It could not start: Secret at test_jobs.py:")
    assert "hidden card" not in caplog.text
    caplog.clear()
    jobs.start_due_tournaments(parts)
    assert caplog.text == "", "it is not tried again"
    kinds = arena.rows(select(Event.kind, Event.payload).where(Event.tournament_id == bad))
    assert ("tournament.not_started", {"reason": reason}) in [tuple(row) for row in kinds]


@pytest.mark.parametrize(
    ("module", "service", "job", "reason"),
    [
        (rounds, "close", jobs.close_finished_rounds, "The round could not be closed: Secret at "),
        (standings, "make", jobs.refresh_standings, "The standings could not be made: Secret "),
        (deadlines, "enforce", jobs.enforce_deadlines, "The overdue round could not be ended: "),
    ],
)
def test_a_tournament_that_a_timer_cannot_get_on_with_needs_attention_and_says_why(
    arena, parts, monkeypatch, module, service, job, reason
):
    good = another(arena, starts_at=utc_now())
    jobs.start_due_tournaments(parts)
    jobs.open_due_rounds(parts)
    bad = arena.tournament_id
    with arena.database.begin() as session:
        overdue = {"deadline_at": utc_now()} if module is deadlines else {}
        session.execute(update(Round).values(byes=[], **overdue))
        if module is rounds:
            session.execute(update(Match).values(status=MatchStatus.FINISHED))
        session.execute(update(Tournament).values(results_count=3))
        culprit = bad
        if module is deadlines:
            of_bad = select(Round.id).where(Round.tournament_id == bad)
            culprit = session.scalars(of_bad).one()
    monkeypatch.setattr(module, service, fails_for(culprit, getattr(module, service)))
    job(parts)
    status, said, _ = of(arena, bad)
    assert status == "needs_attention"
    assert said.startswith(reason)
    assert of(arena, good)[0] == "running"


def test_a_round_that_cannot_be_drawn_stops_its_tournament_alone(arena, parts, monkeypatch):
    good = another(arena, starts_at=utc_now())
    jobs.start_due_tournaments(parts)
    bad = arena.tournament_id
    monkeypatch.setattr(rounds, "draw_next", fails_for(bad, rounds.draw_next))
    jobs.open_due_rounds(parts)
    assert of(arena, bad)[0] == "needs_attention"
    assert of(arena, bad)[1].startswith("The next round could not be opened: Secret at ")
    assert arena.rows(select(Round.tournament_id)) == [(good,)]
    monkeypatch.undo()
    arena.act(tournaments.resume)
    jobs.open_due_rounds(parts)
    assert count(arena, Round) == 2


def test_a_database_that_went_away_is_no_tournaments_fault(arena, parts, monkeypatch):
    def away(*_arguments):
        raise OperationalError("select", {}, Exception())

    monkeypatch.setattr(rounds, "draw_next", away)
    jobs.open_due_rounds(parts)
    assert of(arena, arena.tournament_id)[0] == "running"


def test_a_series_that_cannot_make_its_tournament_pauses_and_says_why(arena, parts, monkeypatch):
    with arena.database.begin() as session:
        made = series.create(session, arena.organizer, {**SERIES, "settings": IN_SERIES})
        made.next_at = utc_now() + timedelta(hours=1)
    monkeypatch.setattr(series, "make_next", fails_for(made.id, series.make_next))
    jobs.make_tournaments(parts)
    ((status, reason),) = arena.rows(select(Series.status, Series.status_reason))
    assert status == "paused"
    assert reason.startswith("No tournament could be made: Secret at test_jobs.py:")


def test_old_rows_are_purged_once_a_day(arena, parts):
    long_ago = utc_now() - timedelta(days=8)
    with arena.database.begin() as session:
        session.add(Firing(job="old", due=long_ago))
        account = session.scalars(select(Account)).first()
        key = {"account_id": account.id, "key": "old", "request_digest": "d"}
        session.add(IdempotencyKey(**key, created_at=long_ago))
    jobs.purge(parts)
    jobs.purge(parts)
    assert parts.queue.pruned == 1
    assert count(arena, IdempotencyKey) == 0
    assert [job for (job,) in arena.rows(select(Firing.job))] == ["purge"]


class Lock:
    """A lead that a test gives and takes away."""

    def __init__(self):
        self.held = threading.Event()
        self.closed = False

    def check(self):
        return self.held.is_set()

    def close(self):
        self.closed = True


def test_timers_run_while_the_lead_is_held_and_only_then():
    lock, stop, fired = Lock(), threading.Event(), threading.Semaphore(0)

    def tick(_parts):
        fired.release()

    thread = threading.Thread(target=lead, args=(None, lock, stop, [Timer(tick, 0.02)], 0.02))
    thread.start()
    try:
        assert not fired.acquire(timeout=0.2)
        lock.held.set()
        assert all(fired.acquire(timeout=10) for _ in range(3))
        lock.held.clear()
        until(lambda: not any("APScheduler" in each.name for each in threading.enumerate()))
    finally:
        stop.set()
        thread.join()
    assert lock.closed


def test_every_timer_has_a_name_of_its_own():
    names = [timer.name for timer in TIMERS]
    assert len(set(names)) == len(names)


def test_intervals_are_worked_out_where_they_are_asked_for_in_a_child_process_for_a_big_field(
    arena, parts
):
    config = Config(database_url=arena.url, secret_key=arena.key)
    beside = replace(parts, drawing=DrawBeside(config, parts.drawing, small=0))
    jobs.refresh_intervals(beside)  # nobody has asked
    change_tournament(arena, intervals_due=1)
    try:
        jobs.refresh_intervals(beside)
        assert arena.one(select(Tournament.intervals_done)) == 0  # being worked out

        def done():
            jobs.refresh_intervals(beside)
            return arena.one(select(Tournament.intervals_done)) == 1

        assert until(done)
    finally:
        beside.drawing.close()


def test_few_entries_that_have_played_much_are_resampled_in_a_child_process_too(arena, parts):
    config = Config(database_url=arena.url, secret_key=arena.key)
    beside = replace(parts, drawing=DrawBeside(config, parts.drawing))
    change_tournament(arena, intervals_due=1, results_count=100_000)
    try:
        jobs.refresh_intervals(beside)
        assert arena.one(select(Tournament.intervals_done)) == 0  # being worked out
        jobs.open_due_rounds(beside)  # a small field: drawn at once
        assert count(arena, Round) == 1
    finally:
        beside.drawing.close()


class Clock:
    """Moved by the work that takes time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Slow:
    """Works intervals out by itself, in so many seconds of its clock; or it fails."""

    def __init__(self, here, clock, seconds):
        self.here, self.clock, self.seconds, self.times = here, clock, seconds, 0
        self.fails = False

    def intervals(self, tournament_id):
        self.times += 1
        if self.fails:
            raise KeyError(tournament_id)
        self.clock.now += self.seconds
        return Took(self.here.intervals(tournament_id).made, self.seconds)


@pytest.fixture
def slow(arena, parts, monkeypatch):
    """Three seconds of work for intervals that are asked for all the time, by rounds and rulings;
    and parts that do it.
    """
    clock = Clock()
    monkeypatch.setattr(jobs, "INTERVALS_PACE", Pace(0.1, clock))
    made = Slow(parts.drawing, clock, 3.0)
    return made, replace(parts, drawing=made)


def ask_again(arena, slow, parts):
    change_tournament(arena, intervals_due=Tournament.intervals_due + 1)
    jobs.refresh_intervals(parts)
    slow.clock.now += 5.0


def test_standings_that_a_ruling_made_wrong_do_not_rest_as_long(arena, parts, monkeypatch):
    """Two seconds of work: merely old ones rest for forty, wrong ones for four."""
    clock, times = Clock(), []
    monkeypatch.setattr(jobs, "STANDINGS_PACE", Pace(0.05, clock))
    monkeypatch.setattr(jobs, "CORRECTIONS_PACE", Pace(0.5, clock))
    make = standings.make

    def slow_make(session, tournament_id):
        times.append(clock.now)
        clock.now += 2.0
        return make(session, tournament_id)

    jobs.open_due_rounds(parts)
    monkeypatch.setattr(standings, "make", slow_make)
    for _ in range(9):
        change_tournament(arena, standings_count=standings.NONE_KNOWN)
        jobs.refresh_standings(parts)
        clock.now += 1.0
    assert times == [0.0, 6.0, 12.0]
    change_tournament(arena, standings_count=1)
    jobs.refresh_standings(parts)
    assert len(times) == 3, "this one can wait"


def test_intervals_that_are_asked_for_all_the_time_have_a_share_of_it(arena, slow):
    """Three seconds of work, thirty of rest: of the timer's turns the 1st, 7th, 13th and 19th."""
    slow, parts = slow
    for _ in range(20):
        ask_again(arena, slow, parts)
    assert slow.times == 4
    slow.clock.now += 30.0
    jobs.refresh_intervals(parts)
    assert arena.one(select(Tournament.intervals_done)) == 20, "what is asked last is answered"


def test_intervals_that_fail_are_not_tried_at_every_turn(arena, slow):
    slow, parts = slow
    slow.fails = True
    for _ in range(12):
        ask_again(arena, slow, parts)
    assert slow.times == 1, "a minute's rest"
    slow.fails = False
    ask_again(arena, slow, parts)
    assert arena.one(select(Tournament.intervals_done)) == 13


def change_tournament(arena, **values):
    with arena.database.begin() as session:
        session.execute(update(Tournament).values(**values))


def test_a_finished_tournament_is_rated_in_a_child_process_where_there_is_much_to_rate(
    arena, parts
):
    config = Config(database_url=arena.url, secret_key=arena.key)
    beside = replace(parts, drawing=DrawBeside(config, parts.drawing, small=-1))
    jobs.rate_agents(beside)
    assert count(arena, RatingPool) == 0
    change_tournament(arena, status="finished")
    try:
        jobs.rate_agents(beside)
        assert arena.one(select(RatingPool.done)) == 0  # being worked out

        def done():
            jobs.rate_agents(beside)
            return arena.one(select(RatingPool.done)) == 1

        assert until(done)
    finally:
        beside.drawing.close()
    jobs.rate_agents(parts)
    assert arena.one(select(RatingPool.due)) == 1
