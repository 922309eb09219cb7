"""Tournaments and series that a timer cannot get on with: stopped, with the cause, not tried again.

What went wrong is the server's own fault here, so a person has to look; the others go on.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from ..models import Round, Series, SeriesStatus, Tournament, TournamentStatus
from .events import tell
from .lifecycle import MOVES, REASON_CHARS, Move, make
from .rows import get_row, lock_row


def stop(session: Session, tournament_id: str, cause: str) -> None:
    """Stop a tournament; `cause` is shown to everybody, so it must hold no secret.

    One that has begun needs attention; one that was to start waits for its organizer to do it.
    """
    tournament = lock_row(session, Tournament, tournament_id)
    if tournament.status == TournamentStatus.OPEN:
        tournament.starts_at = None
        tournament.status_reason = cause[:REASON_CHARS]
        tournament.version += 1
        told = {"reason": tournament.status_reason}
        tell(session, tournament_id, "tournament.not_started", told)
    elif _goes_on(tournament):
        make(session, tournament, Move.ALERT, cause)


def stop_at_round(session: Session, round_id: str, cause: str) -> None:
    """Stop the tournament of a round."""
    stop(session, get_row(session, Round, round_id).tournament_id, cause)


def stop_series(session: Session, series_id: str, cause: str) -> None:
    """Pause a series."""
    series = lock_row(session, Series, series_id)
    if series.status == SeriesStatus.ACTIVE:
        series.status, series.status_reason = SeriesStatus.PAUSED, cause[:REASON_CHARS]
        series.version += 1


def _goes_on(tournament: Tournament) -> bool:
    stopped = tournament.status == TournamentStatus.NEEDS_ATTENTION
    return tournament.status in MOVES[Move.ALERT] and not stopped
