"""What the timers do: each opens a transaction a use case and calls a service.

Every job may run twice at once or not at all without harm; where twice would matter the firing is
guarded by `once`, or the service looks again under the row's lock. What can come back with the same
due time, as a series' start does, is not for `once`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import delete
from sqlalchemy.orm import Session

from baohuang.api.db import db_now
from baohuang.api.models import Firing, Tournament, utc_now
from baohuang.api.services import (
    deadlines,
    deliveries,
    doors,
    endings,
    events,
    idempotency,
    intervals,
    limits,
    logins,
    matches,
    questions,
    ratings,
    rounds,
    series,
    standings,
    tournaments,
    trouble,
)

from .drawing import Took
from .once import grid, once
from .pace import Pace
from .parts import Parts
from .trouble import database_away, place_of, trail_of

log = logging.getLogger(__name__)

T = TypeVar("T")

SWEEP_AT_ONCE = 500
DAY_S = 86_400.0
STANDINGS_PACE = Pace(0.05)
CORRECTIONS_PACE = Pace(0.5)
INTERVALS_PACE = Pace(0.1)
RATINGS_PACE = Pace(0.1)
FAILED_S = 6.0  # what failed counts as so much work
KEEP_FIRINGS = timedelta(days=7)


def start_due_tournaments(parts: Parts) -> None:
    """Start tournaments whose time has come."""

    def start(parts: Parts, tournament_id: str) -> None:
        parts.write(lambda session: tournaments.start_due(session, tournament_id))

    _each(parts, parts.read(tournaments.due), start, _stop("It could not start"))


def open_due_rounds(parts: Parts) -> None:
    """Seat the next round of each tournament whose time has come, and nudge its matches."""
    blame = _stop("The next round could not be opened")
    _each(parts, parts.read(rounds.due), _open_round, blame)


def close_finished_rounds(parts: Parts) -> None:
    """Close rounds whose matches have all ended; that sets the next one's time, or the end."""

    def close(parts: Parts, tournament_id: str) -> None:
        made = parts.look(lambda session: standings.make(session, tournament_id, closing=True))

        def closing(session: Session) -> None:
            if session.get_one(Tournament, tournament_id).version != made.version:
                return  # something changed meanwhile: make them anew, but not under the lock
            rounds.close(session, tournament_id, made)

        parts.write(closing)

    _each(parts, parts.read(rounds.played_out), close, _stop("The round could not be closed"))


def end_held_tournaments(parts: Parts) -> None:
    """Finish tournaments whose end was held, when nothing can come of it any more."""

    def end(parts: Parts, tournament_id: str) -> None:
        parts.write(lambda session: endings.settle(session, tournament_id))

    _each(parts, parts.read(endings.due), end, _stop("It could not finish"))


def enforce_deadlines(parts: Parts) -> None:
    """End what is not finished in rounds whose deadline has passed."""

    def end(parts: Parts, round_id: str) -> None:
        parts.write(lambda session: deadlines.enforce(session, round_id))

    def blame(session: Session, round_id: str, place: str) -> None:
        cause = f"The overdue round could not be ended: {place}."
        trouble.stop_at_round(session, round_id, cause)

    _each(parts, parts.read(deadlines.passed), end, blame)


def make_tournaments(parts: Parts) -> None:
    """Make the tournaments of series whose time has come."""

    def blame(session: Session, due: tuple[str, datetime], place: str) -> None:
        trouble.stop_series(session, due[0], f"No tournament could be made: {place}.")

    _each(parts, parts.read(series.due), _make_tournament, blame)


def refresh_standings(parts: Parts) -> None:
    """Bring the stored standings up to the results that came in.

    The more was played the longer it takes, and the longer they rest: it never takes more than a
    share of the time, however many matches there are. A round's end brings them up at once. What is
    wrong, by a ruling, comes as soon as it is made: of that time it may be half.
    """
    blame = _stop("The standings could not be made")
    dirty, wrong = parts.read(standings.dirty), parts.read(standings.wrong)

    def ready(tournament_id: str) -> bool:
        pace = CORRECTIONS_PACE if tournament_id in wrong else STANDINGS_PACE
        return pace.ready(tournament_id)

    _each(parts, filter(ready, dirty), _refresh, blame)


def refresh_intervals(parts: Parts) -> None:
    """Work out how sure standings are, where a round has closed or something was ruled.

    As with standings: many rounds and rulings of a big tournament get a share of the time.
    """
    _each(parts, filter(INTERVALS_PACE.ready, parts.read(intervals.due)), _resample)


def rate_agents(parts: Parts) -> None:
    """Rate the rule sets anew whose tournaments have ended, or were ruled upon since; as rarely."""
    parts.write(ratings.enrol)
    _each(parts, filter(RATINGS_PACE.ready, parts.read(ratings.due)), _rate)


def number_events(parts: Parts) -> None:
    """Number what was told of running matches; until then nobody sees it."""
    _each(parts, parts.read(events.waiting), _number)


def sweep(parts: Parts) -> None:
    """Nudge what waits and may have no job: after a lost queue, a dead worker, a pause.

    Most of it has one, which the queue knows; only the most urgent are looked at, so that a long
    line costs nothing.
    """

    def nudge(session: Session) -> None:
        parts.queue.enqueue(session, matches.pending(session, SWEEP_AT_ONCE))

    parts.write(nudge)


def purge(parts: Parts) -> None:
    """Once a day, forget what is kept for some days only."""

    def forget(session: Session) -> None:
        if once(session, "purge", grid(db_now(session), DAY_S)):
            idempotency.purge(session, utc_now())
            questions.purge(session)
            doors.purge(session)
            limits.purge(session)
            logins.purge(session)
            session.execute(delete(Firing).where(Firing.due < utc_now() - KEEP_FIRINGS))
            parts.queue.prune(session)

    parts.write(forget)


def purge_events(parts: Parts) -> None:
    """Forget events, and what was sent of them, that are older than the operator keeps them."""
    before = utc_now() - timedelta(days=parts.config.event_days)
    parts.write(lambda session: deliveries.purge(session, before))

    def purge_one(parts: Parts, tournament_id: str) -> None:
        parts.write(lambda session: events.purge(session, tournament_id, before))

    _each(parts, parts.read(lambda session: events.outdated(session, before)), purge_one)


def _make_tournament(parts: Parts, due: tuple[str, datetime]) -> None:
    series_id, start = due
    parts.write(lambda session: series.make_next(session, parts.vault, series_id, start))


def _open_round(parts: Parts, tournament_id: str) -> None:
    """Draw first, which may take its time, then open in a short transaction."""
    drawn = parts.drawing.draw(tournament_id)
    if drawn is None:
        return

    def opening(session: Session) -> None:
        if session.get_one(Tournament, tournament_id).version != drawn.version:
            return  # something changed meanwhile: draw again, but not under the lock
        if once(session, f"round of {tournament_id}", grid(db_now(session), 1)):
            opened = rounds.open_next(session, parts.vault, tournament_id, drawn)
            parts.queue.enqueue(session, matches.of_round(session, opened))

    parts.write(opening)


def _refresh(parts: Parts, tournament_id: str) -> None:
    with STANDINGS_PACE.working(tournament_id), CORRECTIONS_PACE.working(tournament_id):
        made = parts.look(lambda session: standings.make(session, tournament_id))
        parts.write(lambda session: standings.catch_up(session, made))


def _resample(parts: Parts, tournament_id: str) -> None:
    worked = _paced(INTERVALS_PACE, tournament_id, parts.drawing.intervals)
    if worked is not None:
        parts.write(lambda session: intervals.store(session, worked))


def _rate(parts: Parts, pool_id: str) -> None:
    rated = _paced(RATINGS_PACE, pool_id, parts.drawing.ratings)
    if rated is not None:
        parts.write(lambda session: ratings.store(session, rated))


def _paced(pace: Pace, subject: str, work: Callable[[str], Took[T] | None]) -> T | None:
    """What came out, if it is ready; then, or after an error, the subject rests."""
    try:
        took = work(subject)
    except Exception:
        pace.worked(subject, FAILED_S)
        raise
    if took is None:
        return None
    pace.worked(subject, took.seconds)
    return took.made


def _number(parts: Parts, tournament_id: str) -> None:
    parts.write(lambda session: events.number_waiting(session, tournament_id))


def _stop(what: str) -> Callable[[Session, str, str], None]:
    """Stops the tournament that is named, once."""

    def stop(session: Session, tournament_id: str, place: str) -> None:
        trouble.stop(session, tournament_id, f"{what}: {place}.")

    return stop


def _each(
    parts: Parts,
    subjects: Iterable[T],
    act: Callable[[Parts, T], None],
    blame: Callable[[Session, T, str], None] | None = None,
) -> None:
    """One at a time; one that fails is logged and does not hold up the others.

    `blame` marks what failed with the error's kind and place, unless it was the database's fault.
    """
    for subject in subjects:
        try:
            act(parts, subject)
        except Exception as error:  # noqa: BLE001 - the one wrapper of a timer's work
            log.error("%s: %s failed: %s", subject, act.__name__, trail_of(error))  # noqa: TRY400
            if blame is not None and not database_away(error):
                _mark(parts, subject, blame, place_of(error))


def _mark(parts: Parts, subject: T, blame: Callable[[Session, T, str], None], place: str) -> None:
    """In a transaction of its own; if even that fails the timer comes again."""
    try:
        parts.write(lambda session: blame(session, subject, place))
    except Exception as error:  # noqa: BLE001 - as above
        log.error("%s could not be marked: %s", subject, trail_of(error))  # noqa: TRY400
