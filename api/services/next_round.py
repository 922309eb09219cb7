"""When the next round comes: after the interval, or when its organizer wants it.

Nothing is drawn in a request: the round is made due, and whoever opens rounds (rounds.py) finds it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Advance, Tournament, utc_now
from . import history
from .events import tell
from .lifecycle import Move, lock_own, permit
from .principal import Principal


def ask(
    session: Session, actor: Principal, tournament_id: str, at: datetime | None = None
) -> Tournament:
    """Let the next round come at `at`; without it, or when that has passed, now."""
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.NEXT)
    number = history.running_number(session, tournament_id)
    if number is not None:
        raise Conflict(f"Round {number} is being played.", code="round_running")
    _go_beyond(tournament, history.last_number(session, tournament_id))
    now = utc_now()
    tournament.next_round_at = max(at, now) if at is not None else now
    tournament.version += 1
    announce(session, tournament)
    return tournament


def _go_beyond(tournament: Tournament, number: int) -> None:
    """An end that is held is taken back, unless all rounds are played."""
    if tournament.last_round is None:
        return
    if tournament.rounds and number >= tournament.rounds:
        raise Conflict("There is no further round.", code="no_round")
    tournament.last_round = tournament.finishes_at = None
    tournament.status_reason = None  # why there was no further round


def plan(session: Session, tournament: Tournament) -> None:
    """After a round: the next one comes after the interval, or waits for the organizer."""
    pause = timedelta(seconds=tournament.round_interval_s)
    automatic = tournament.advance == Advance.AUTOMATIC
    tournament.next_round_at = utc_now() + pause if automatic else None
    tournament.version += 1
    announce(session, tournament)


def announce(session: Session, tournament: Tournament) -> None:
    """Tell when the next round comes; without a time it waits for the organizer."""
    at = tournament.next_round_at
    number = history.last_number(session, tournament.id) + 1
    told = {"round": number, "at": at.isoformat(timespec="milliseconds") if at else None}
    tell(session, tournament.id, "round.scheduled", told)
