"""How a tournament ends: at once after its last round, or held open for what may come of it.

While it is held the cards stay secret, so a match can still be replayed; no round is drawn. It ends
when every appeal's time has passed and none is open, or by its organizer's word (finishing.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from ..models import (
    UNFINISHED,
    Appeal,
    AppealStatus,
    Ending,
    Match,
    Round,
    Ruling,
    Tournament,
    TournamentStatus,
    utc_now,
)
from . import history, standings
from .events import tell
from .lifecycle import UNDER_WAY, Move, make
from .rows import lock_row


def begin(session: Session, tournament: Tournament, reason: str | None = None) -> None:
    """There is no further round: finish, or hold the end as its organizer wants it."""
    if tournament.ending == Ending.AT_ONCE:
        finish(session, tournament, reason)
        return
    tournament.last_round = history.last_number(session, tournament.id)
    tournament.next_round_at = None
    tournament.status_reason = reason
    plan(session, tournament)


def plan(session: Session, tournament: Tournament) -> None:
    """Say when the end that is held comes."""
    tournament.finishes_at = _until(session, tournament)
    tournament.version += 1
    announce(session, tournament)


def replan(session: Session, tournament: Tournament) -> None:
    """Move the end that is held on, as what has just happened may be appealed against as well.

    A ruling, or a replay that is over; the tournament is locked. Nothing where none is held.
    """
    if tournament.last_round is None or tournament.status not in UNDER_WAY:
        return
    running = history.running_number(session, tournament.id) is not None
    if not running and _until(session, tournament) != tournament.finishes_at:
        plan(session, tournament)


def finish(session: Session, tournament: Tournament, reason: str | None = None) -> None:
    """From here on the secret and the keys are shown."""
    tournament.finished_at = utc_now()
    tournament.next_round_at = tournament.finishes_at = tournament.stopped_at = None
    make(session, tournament, Move.FINISH, reason)
    if not history.last_number(session, tournament.id):
        standings.refresh(session, tournament.id)  # else the closing of a round did that


def announce(session: Session, tournament: Tournament) -> None:
    """Tell that no round comes after this one, and when the end comes, if that is known."""
    at = tournament.finishes_at
    when = at.isoformat(timespec="milliseconds") if at else None
    told = {"round": tournament.last_round, "at": when}
    tell(session, tournament.id, "tournament.ending", told)


def due(session: Session) -> list[str]:
    """Ids of the running tournaments that are held open and may end now."""
    return list(session.scalars(select(Tournament.id).where(_due()).order_by(Tournament.id)))


def settle(session: Session, tournament_id: str) -> None:
    """End it, unless its time has moved on meanwhile."""
    tournament = lock_row(session, Tournament, tournament_id)
    if session.scalar(select(Tournament.id).where(Tournament.id == tournament_id, _due())) is None:
        return
    until = _until(session, tournament)
    if until is None or until <= utc_now():
        finish(session, tournament, tournament.status_reason)
        return
    plan(session, tournament)


def _due() -> ColumnElement[bool]:
    appealed = select(Appeal.id).where(
        Appeal.tournament_id == Tournament.id, Appeal.status == AppealStatus.OPEN
    )
    passed = and_(
        Tournament.ending == Ending.AFTER_APPEALS,
        Tournament.finishes_at <= utc_now(),
        ~appealed.correlate(Tournament).exists(),
    )
    return and_(
        Tournament.status == TournamentStatus.RUNNING,
        Tournament.last_round.is_not(None),
        or_(Tournament.ending == Ending.AT_ONCE, passed),
        ~is_playing(),
    )


def is_playing() -> ColumnElement[bool]:
    """Whether a round runs, or a match that is replayed."""
    return or_(history.round_runs(), unfinished())


def unfinished() -> ColumnElement[bool]:
    """Whether a match of the tournament has not ended: of the round, or one that is replayed."""
    query = select(Match.id).where(
        Match.tournament_id == Tournament.id, Match.status.in_(UNFINISHED)
    )
    return query.correlate(Tournament).exists()


def _until(session: Session, tournament: Tournament) -> datetime | None:
    """When nothing can be appealed against any more; None where the organizer says it."""
    if tournament.ending != Ending.AFTER_APPEALS:
        return None
    played = select(func.max(Match.finished_at)).join(Ruling, Ruling.replay_id == Match.id)
    happened = (
        select(func.max(Round.closed_at)).where(Round.tournament_id == tournament.id),
        played.where(Ruling.tournament_id == tournament.id),
        select(func.max(Ruling.created_at)).where(Ruling.tournament_id == tournament.id),
    )
    times = [time for query in happened if (time := session.scalar(query)) is not None]
    return max(times, default=utc_now()) + timedelta(seconds=tournament.appeal_window_s)
