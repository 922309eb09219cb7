"""What the timers do: each opens a transaction a use case and calls a service.

Every job may run twice at once or not at all without harm; where twice would matter the firing is
guarded by `once`.
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
    events,
    idempotency,
    limits,
    matches,
    questions,
    rounds,
    series,
    standings,
    tournaments,
)

from .once import grid, once
from .parts import Parts

log = logging.getLogger(__name__)

T = TypeVar("T")

SWEEP_AT_ONCE = 500
DAY_S = 86_400.0
KEEP_FIRINGS = timedelta(days=7)


def start_due_tournaments(parts: Parts) -> None:
    """Start tournaments whose time has come."""
    parts.write(tournaments.start_due)


def open_due_rounds(parts: Parts) -> None:
    """Seat the next round of each tournament whose time has come, and nudge its matches."""
    _each(parts, parts.read(rounds.due), _open_round)


def close_finished_rounds(parts: Parts) -> None:
    """Close rounds whose matches have all ended; that sets the next one's time, or the end."""
    parts.write(rounds.close_finished)


def enforce_deadlines(parts: Parts) -> None:
    """End what is not finished in rounds whose deadline has passed."""

    def end(parts: Parts, round_id: str) -> None:
        parts.write(lambda session: deadlines.enforce(session, round_id))

    _each(parts, parts.read(deadlines.passed), end)


def make_tournaments(parts: Parts) -> None:
    """Make the tournaments of series whose time has come."""
    _each(parts, parts.read(series.due), _make_tournament)


def refresh_standings(parts: Parts) -> None:
    """Bring the stored standings up to the results that came in."""
    _each(parts, parts.read(standings.dirty), _refresh)


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
            limits.purge(session)
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

    def make(session: Session) -> None:
        if once(session, f"series {series_id}", start):
            series.make_next(session, parts.vault, series_id, start)

    parts.write(make)


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
            parts.queue.enqueue(session, [(match, -rank) for rank, match in enumerate(opened, 1)])

    parts.write(opening)


def _refresh(parts: Parts, tournament_id: str) -> None:
    parts.write(lambda session: standings.refresh(session, tournament_id))


def _number(parts: Parts, tournament_id: str) -> None:
    parts.write(lambda session: events.number_waiting(session, tournament_id))


def _each(parts: Parts, subjects: Iterable[T], act: Callable[[Parts, T], None]) -> None:
    """One at a time; one that fails is logged and does not hold up the others."""
    for subject in subjects:
        try:
            act(parts, subject)
        except Exception:
            log.exception("%s: %s failed", subject, act.__name__)
