"""Every timer in one list, and the loop that runs them while this process leads.

Nothing is stored about timers: what is due follows from the rows, so a firing that was missed is
made good by the next one, and a new leader starts with all of them at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from . import jobs
from .leader import Leadership
from .parts import Parts

log = logging.getLogger(__name__)

CHECK_S = 1.0


@dataclass(frozen=True)
class Timer:
    """`job` runs every `every_s` seconds, and once when its process takes the lead."""

    job: Callable[[Parts], None]
    every_s: float

    @property
    def name(self) -> str:
        return self.job.__name__


SWEEP = Timer(jobs.sweep, 2)
TIMERS = (
    Timer(jobs.start_due_tournaments, 1),
    Timer(jobs.open_due_rounds, 1),
    Timer(jobs.close_finished_rounds, 1),
    Timer(jobs.end_held_tournaments, 1),
    Timer(jobs.enforce_deadlines, 1),
    Timer(jobs.make_tournaments, 5),
    Timer(jobs.refresh_standings, 2),
    Timer(jobs.refresh_intervals, 5),
    Timer(jobs.rate_agents, 15),
    Timer(jobs.number_events, 1),
    SWEEP,
    Timer(jobs.purge, 3600),
    Timer(jobs.purge_events, 3600),
)


def lead(
    parts: Parts,
    lock: Leadership,
    stop: threading.Event,
    timers: Sequence[Timer] = TIMERS,
    check_s: float = CHECK_S,
) -> None:
    """Run `timers` whenever this process holds `lock`, until `stop` is set."""
    running: BackgroundScheduler | None = None
    try:
        while not stop.is_set():
            leads = lock.check()
            if leads and running is None:
                log.info("this process leads: %s timers", len(timers))
                running = start(parts, timers)
            elif running is not None and not leads:
                log.warning("lost the lead")
                running.shutdown(wait=False)
                running = None
            stop.wait(check_s)
    finally:
        if running is not None:
            running.shutdown()
        lock.close()


def start(parts: Parts, timers: Sequence[Timer]) -> BackgroundScheduler:
    """Start the timers on threads of their own. One that overruns skips its next firings."""
    # "maximum number of running instances reached" is how skipping is reported, and is meant.
    logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)
    scheduler = BackgroundScheduler(
        executors={"default": ThreadPoolExecutor(len(timers))},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        timezone=UTC,
    )
    for timer in timers:
        scheduler.add_job(
            timer.job,
            "interval",
            args=[parts],
            id=timer.name,
            seconds=timer.every_s,
            next_run_time=datetime.now(UTC),
        )
    scheduler.start()
    return scheduler
