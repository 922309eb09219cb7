"""Deadlines of rounds: what is not finished by then is ended as the tournament's rule says, once.

The clock of a round stands while its tournament does not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from ..models import (
    UNFINISHED,
    Match,
    MatchStatus,
    Overdue,
    Round,
    RoundStatus,
    Tournament,
    TournamentStatus,
    utc_now,
)
from .events import Telling, tell, tell_all
from .lifecycle import Move, make
from .rows import get_row, lock_row


def of_round(tournament: Tournament, opened_at: datetime) -> datetime | None:
    """The deadline of a round that opens now."""
    limit = tournament.round_limit_s
    return None if limit is None else opened_at + timedelta(seconds=limit)


def shift(session: Session, tournament: Tournament) -> None:
    """Give the running round the time back for which its tournament did not run."""
    if tournament.stopped_at is None:
        return
    stood = utc_now() - tournament.stopped_at
    tournament.stopped_at = None
    for running in session.scalars(select(Round).where(*_running(tournament.id))):
        if running.deadline_at is not None and running.overran_at is None:
            running.deadline_at += stood
            running.version += 1


def passed(session: Session) -> list[str]:
    """Ids of rounds of running tournaments whose deadline has passed."""
    query = (
        select(Round.id)
        .join(Tournament, Tournament.id == Round.tournament_id)
        .where(
            Tournament.status == TournamentStatus.RUNNING,
            Round.status == RoundStatus.RUNNING,
            Round.deadline_at <= utc_now(),
            Round.overran_at.is_(None),
        )
        .order_by(Round.deadline_at, Round.id)
    )
    return list(session.scalars(query))


def enforce(session: Session, round_id: str) -> None:
    """End what is not finished in a round whose deadline has passed; again changes nothing."""
    late = get_row(session, Round, round_id)
    tournament = lock_row(session, Tournament, late.tournament_id)
    session.refresh(late)
    if tournament.status != TournamentStatus.RUNNING or not _is_due(late):
        return
    late.overran_at = utc_now()
    late.version += 1
    open_matches = _unfinished(session, late.id)
    told = {"round": late.number, "matches": open_matches, "then": tournament.overdue}
    tell(session, tournament.id, "round.overdue", told)
    if not open_matches:
        return
    if tournament.overdue == Overdue.ATTENTION:
        _alert(session, tournament, late)
    else:
        _END[Overdue(tournament.overdue)](session, tournament, *_open(late.id))


def end_rest(session: Session, tournament: Tournament, how: Overdue) -> None:
    """End all matches of the tournament that are not over: `autoplay` or `cancel`."""
    _END[how](session, tournament, *_all_open(tournament.id))


def cancelled(session: Session, tournament_id: str) -> list[Telling]:
    """Cancel all matches of a tournament that are not over; what there is to tell of it."""
    return _cancelled(session, _all_open(tournament_id))


def _is_due(late: Round) -> bool:
    due = late.deadline_at is not None and late.deadline_at <= utc_now()
    return late.status == RoundStatus.RUNNING and late.overran_at is None and due


def _unfinished(session: Session, round_id: str) -> int:
    query = select(func.count()).select_from(Match).where(*_open(round_id))
    return session.scalar(query) or 0


def _autoplay(session: Session, _tournament: Tournament, *which: ColumnElement[bool]) -> None:
    """Whoever plays them is fenced off; who claims them next lets autoplay end them."""
    again = {"status": MatchStatus.QUEUED, "hurried": True, "owner": None, "attempts": 0}
    _end(session, which, **again)


def _cancel(session: Session, tournament: Tournament, *which: ColumnElement[bool]) -> None:
    """They count for nobody."""
    tell_all(session, tournament.id, _cancelled(session, which))


def _cancelled(session: Session, which: Sequence[ColumnElement[bool]]) -> list[Telling]:
    ended = _end(session, which, status=MatchStatus.CANCELLED, finished_at=utc_now())
    return [Telling("match.cancelled", match_id=match_id) for match_id in ended]


def _alert(session: Session, tournament: Tournament, late: Round) -> None:
    missing = _unfinished(session, late.id)
    reason = f"Round {late.number} is overdue: {missing} matches are not finished."
    make(session, tournament, Move.ALERT, reason)


_END = {Overdue.AUTOPLAY: _autoplay, Overdue.CANCEL: _cancel}


def _end(session: Session, which: Sequence[ColumnElement[bool]], **values: Any) -> list[str]:
    changed = session.scalars(
        update(Match)
        .where(*which)
        .values(epoch=Match.epoch + 1, lease_until=None, version=Match.version + 1, **values)
        .returning(Match.id)
        .execution_options(synchronize_session=False)
    )
    return sorted(changed)


def _open(round_id: str) -> tuple[Any, ...]:
    return Match.round_id == round_id, Match.status.in_(UNFINISHED)


def _all_open(tournament_id: str) -> tuple[ColumnElement[bool], ...]:
    return Match.tournament_id == tournament_id, Match.status.in_(UNFINISHED)


def _running(tournament_id: str) -> tuple[Any, ...]:
    return Round.tournament_id == tournament_id, Round.status == RoundStatus.RUNNING
